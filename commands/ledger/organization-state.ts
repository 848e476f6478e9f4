import { NONE, type Revision, type Uuid } from '#src/domain/ids.ts';
import { RouteBook } from './routing/route-book.ts';

/** What decisions about an organization need to know. Letter case does not tell two ledger names apart. */
export type Organization = {
  is: 'absent' | 'live' | 'deleted';
  id: Uuid;
  /** Of the last event that carried its record. */
  revision: Revision;
  holderId: Uuid | undefined;
  readonly ledgerNames: Map<string, Uuid>;
  /** Ledgers whose name is reserved and whose journal may not be open yet. */
  readonly unsettled: Set<Uuid>;
  /** Ledgers that have two names, the second one reserved there, until the rename is settled. */
  readonly renames: Map<Uuid, Rename>;
  readonly routes: RouteBook;
};

export type Rename = Readonly<{ revision: Revision }>;

export const absentOrganization = (): Organization => ({
  is: 'absent',
  id: '' as Uuid,
  revision: NONE,
  holderId: undefined,
  ledgerNames: new Map(),
  unsettled: new Set(),
  renames: new Map(),
  routes: new RouteBook(),
});
