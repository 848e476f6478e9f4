import { defaultSettings, type LedgerSettings } from '#src/events/ledger/ledger-settings.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { Reservations } from './reservations.ts';
import { RouteBook } from './route-book.ts';
import type { BlockExceptions } from './live-exceptions.ts';
import { OpenDebts } from './open-debts.ts';
import {
  assetRecord,
  emptyRecords,
  type Assets,
  type LedgerRecords,
} from '#commands/ledger/records/declared.ts';
import { Book } from './book.ts';

/** The state for decisions in one ledger: rules and balances, without names and metadata of records. */
export type Ledger = {
  is: 'absent' | 'live' | 'closed';
  id: Uuid;
  organizationId: Uuid;
  holderId: Uuid;
  /** The revision of the last event that contained the ledger's record. */
  revision: Revision;
  /** The organization's revision that reserved the current name, or the last one requested. */
  named: Revision;
  settings: LedgerSettings;
  readonly assets: Assets;
  readonly routes: RouteBook;
  /** The revision of the last event of each rate, by its pair of codes. */
  readonly rates: Map<string, Revision>;
  readonly records: LedgerRecords;
  readonly book: Book;
  /** Transactions whose funds are held, with the revision of their last event. */
  readonly pending: Map<Uuid, Revision>;
  readonly parts: Reservations;
  readonly exceptions: BlockExceptions;
  readonly debts: OpenDebts;
};

/** The state before the first event. */
export const emptyLedger = (): Ledger => ({
  is: 'absent',
  id: '' as Uuid,
  organizationId: '' as Uuid,
  holderId: '' as Uuid,
  revision: -1,
  named: -1,
  settings: defaultSettings,
  assets: assetRecord.initialState(),
  routes: new RouteBook(),
  rates: new Map(),
  records: emptyRecords(),
  book: new Book(),
  pending: new Map(),
  parts: new Map(),
  exceptions: new Map(),
  debts: new OpenDebts(),
});
