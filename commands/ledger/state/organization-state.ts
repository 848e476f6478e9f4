import { NONE, type Revision, type Uuid } from '#src/kernel/ids.ts';
import { RouteBook } from './route-book.ts';

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
  /** Ledgers that are changed with what is reserved there, a name or values of metadata, until that is settled. */
  readonly renames: Map<Uuid, Rename>;
  /** The last event here that showed the metadata of a live ledger; it need not know of keys that are not unique. */
  readonly shown: Map<Uuid, Revision>;
  readonly routes: RouteBook;
};

/** `metadata`: it says something of them. */
export type Rename = Readonly<{ revision: Revision; metadata?: true }>;

export const absentOrganization = (): Organization => ({
  is: 'absent',
  id: '' as Uuid,
  revision: NONE,
  holderId: undefined,
  ledgerNames: new Map(),
  unsettled: new Set(),
  renames: new Map(),
  shown: new Map(),
  routes: new RouteBook(),
});
