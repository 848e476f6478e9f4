import type { Tenant } from '#src/kernel/tenant.ts';

/** The tenants of a deployment that serves several, as its log has them. */
export interface TenantDirectory {
  /** Returns whether the log was read a moment ago; no change of before 5 s is unknown then. */
  isFresh(): boolean;
  /** Reads what the log has gained. Errors: Unavailable, Damaged. */
  refresh(): Promise<void>;
  get(id: string): Tenant | undefined;
  /** Returns the tenant by the id that its events record. */
  recordedAs(id: string): Tenant | undefined;
  /** Records that the tenant may have data from now on; durable when it resolves. Errors: Unavailable, Damaged. */
  use(id: string): Promise<void>;
}
