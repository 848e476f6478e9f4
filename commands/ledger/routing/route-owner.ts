import type { Uuid } from '#src/kernel/ids.ts';
import type { RouteBook } from '#commands/ledger/state/route-book.ts';

/** A ledger or an organization as the owner of routes. */
export type RouteOwner = Readonly<{
  organizationId: Uuid;
  /** Absent for an organization. */
  ledgerId?: Uuid;
  routes: RouteBook;
  /** The ledgers whose transaction routes may use the owner's operation routes; none for a ledger. */
  ledgers: () => readonly Uuid[];
}>;
