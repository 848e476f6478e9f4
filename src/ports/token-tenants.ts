/** The tenants of those who get tokens. */
export interface TokenTenants {
  /**
   * Returns the id by which tokens name a tenant, if it is served; `recordedAs` is the id that its events record. Errors:
   * TENANT_NOT_FOUND, TENANT_SUSPENDED, TENANTS_UNAVAILABLE.
   */
  enter(recordedAs: string): string | Promise<string>;

  /** Returns the same id at once, and whether the tenant is suspended or not; undefined for no tenant. */
  nameOf(recordedAs: string): string | undefined;
}
