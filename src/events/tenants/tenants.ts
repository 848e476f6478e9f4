import type { Instant } from '#src/kernel/instant.ts';

type TenantChange = Readonly<{ tenant: Readonly<{ id: string; changedAt: Instant }> }>;

/** The events of the journal of tenants. */
export type TenantEvent =
  /** The tenant is active: it is new, or it was suspended. */
  | Readonly<{ type: 'TenantAdded'; data: TenantChange }>
  | Readonly<{ type: 'TenantSuspended'; data: TenantChange }>
  /** A request of the tenant was admitted for the first time, so that it may have data. */
  | Readonly<{ type: 'TenantFirstUsed'; data: TenantChange }>
  /** The tenant owns what was, and will be, recorded for a single tenant. It never changes. */
  | Readonly<{ type: 'DefaultTenantNamed'; data: TenantChange }>;
