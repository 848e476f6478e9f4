import type { Uuid } from '#src/kernel/ids.ts';
import type { RouteBook } from '#commands/ledger/state/route-book.ts';

/** A ledger, or an organization, as its routes see it. */
export type RouteOwner = Readonly<{
  organizationId: Uuid;
  /** Absent at the level of the organization. */
  ledgerId?: Uuid;
  routes: RouteBook;
  /** Ledgers whose transaction routes may use its operation routes: only those of an organization have such. */
  ledgers: () => readonly Uuid[];
}>;
