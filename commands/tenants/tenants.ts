import type { TenantEvent } from '#src/events/tenants/tenants.ts';
import type { Instant } from '#src/kernel/instant.ts';
import { isTenantId, SINGLE_TENANT, type Tenant } from '#src/kernel/tenant.ts';
import { unreachable } from '#src/kernel/unreachable.ts';

/** The tenants by id, in the order in which they were added, and the owner of what a single tenant recorded. */
export type TenantsState = {
  readonly byId: Map<string, Tenant>;
  defaultTenant: string | undefined;
};

export type TenantCommand = Readonly<{
  type: 'AddTenant' | 'SuspendTenant' | 'UseTenant' | 'NameDefaultTenant';
  id: string;
}>;

/** The command contradicts what is recorded; the message is for the operator. */
export class TenantRefused extends Error {
  override readonly name = 'TenantRefused';
}

export const noTenants = (): TenantsState => ({ byId: new Map(), defaultTenant: undefined });

/** Returns the events of a command; none if it has been done before. Errors: TenantRefused. */
export function decideTenant(
  { byId, defaultTenant }: TenantsState,
  { type, id }: TenantCommand,
  changedAt: Instant,
): readonly TenantEvent[] {
  const data = { tenant: { id, changedAt } };
  const known = byId.get(id);
  switch (type) {
    case 'AddTenant':
      mustBePossible(id);
      return known?.status === 'active' ? [] : [{ type: 'TenantAdded', data }];
    case 'SuspendTenant':
      if (known === undefined) throw new TenantRefused(`There is no tenant ${id}.`);
      return known.status === 'suspended' ? [] : [{ type: 'TenantSuspended', data }];
    case 'UseTenant':
      return known?.status === 'active' && !known.isUsed ? [{ type: 'TenantFirstUsed', data }] : [];
    case 'NameDefaultTenant': {
      mustBePossible(id);
      if (defaultTenant === id) return [];
      if (defaultTenant !== undefined) {
        throw new TenantRefused(
          `The data from before multi-tenancy belong to ${defaultTenant}, not to ${id}.`,
        );
      }
      if (known?.isUsed === true) {
        throw new TenantRefused(`The tenant ${id} has data of its own already.`);
      }
      const added = known === undefined ? [{ type: 'TenantAdded', data } as const] : [];
      return [...added, { type: 'DefaultTenantNamed', data }];
    }
    default:
      return unreachable(type);
  }
}

export function evolveTenants(state: TenantsState, { type, data }: TenantEvent): void {
  const { id } = data.tenant;
  const { byId } = state;
  const known = byId.get(id) ?? { id, recordedAs: id, status: 'active', isUsed: false };
  switch (type) {
    case 'TenantAdded':
      byId.set(id, { ...known, status: 'active' });
      break;
    case 'TenantSuspended':
      byId.set(id, { ...known, status: 'suspended' });
      break;
    case 'TenantFirstUsed':
      byId.set(id, { ...known, isUsed: true });
      break;
    case 'DefaultTenantNamed':
      byId.set(id, { ...known, recordedAs: SINGLE_TENANT });
      state.defaultTenant = id;
      break;
    default: // Of a later release.
  }
}

function mustBePossible(id: string): void {
  if (isTenantId(id)) return;
  const form =
    'must be up to 128 letters, digits, dots, dashes and underscores that begin with a letter or digit';
  throw new TenantRefused(
    id === SINGLE_TENANT
      ? `The id ${id} is reserved for deployments of one tenant.`
      : `A tenant id ${form}.`,
  );
}
