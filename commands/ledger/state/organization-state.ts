import { NONE, type Revision, type Uuid } from '#src/kernel/ids.ts';
import { RouteBook } from './route-book.ts';

/** The state for decisions about an organization. Ledger names are compared without letter case. */
export type Organization = {
  is: 'absent' | 'live' | 'deleted';
  id: Uuid;
  /** The revision of the last event that contained the organization's record. */
  revision: Revision;
  holderId: Uuid | undefined;
  readonly ledgerNames: Map<string, Uuid>;
  /** Ledgers whose name is reserved and whose journal may not be open yet. */
  readonly unsettled: Set<Uuid>;
  /** Ledgers with a reservation of a name or of metadata values that is not settled yet. */
  readonly renames: Map<Uuid, Rename>;
  /** The last event here with the metadata of each live ledger; keys that are not unique may be missing from it. */
  readonly shown: Map<Uuid, Revision>;
  readonly routes: RouteBook;
};

/** `metadata` is set if the change includes metadata. */
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
