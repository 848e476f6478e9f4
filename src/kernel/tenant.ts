/** The tenant that a deployment of one tenant records; nobody outside sees this id. */
export const SINGLE_TENANT = 'default';

/** A tenant as its id and the id that its events record: they differ for the owner of data from single-tenant times. */
export type Tenant = Readonly<{
  id: string;
  recordedAs: string;
  status: 'active' | 'suspended';
  /** True once a request of the tenant was admitted: it may have data from then on. */
  isUsed: boolean;
}>;

/**
 * Returns whether a text can be the id of a tenant. The id of a single tenant is reserved, and an id is part of journal
 * names, record keys and names of encryption keys, so only characters that all of them permit are possible.
 */
export const isTenantId = (text: string): boolean => TENANT_ID.test(text) && text !== SINGLE_TENANT;

const TENANT_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
