import { ledgerNotFound } from '#src/domain/absent.ts';
import type { Decider, JournalOf } from '#src/domain/decider.ts';
import type { Revision, Uuid } from '#src/domain/ids.ts';
import { unreachable } from '#src/domain/unreachable.ts';
import type { LedgerEvent, LedgerRecord } from '#src/events/ledger.ts';
import { openAccount, type CreateAccount } from './account/decider.ts';
import { createAsset, evolveAssets, type Assets, type CreateAsset } from './asset.ts';
import { freezeLedger, thawLedger } from './freeze.ts';
import { Book } from './transaction/book.ts';
import { postTransaction, type PostTransaction } from './transaction/decider.ts';

/** Second of the three steps that create a ledger; see open-ledger.ts. */
export type OpenLedger = Readonly<{
  type: 'OpenLedger';
  ledger: LedgerRecord;
  holderId: Uuid;
  reservedAt: Readonly<{ journal: string; revision: Revision }>;
}>;

/** The organization in the path comes along: a ledger is not found below another one. */
export type LedgerCommand = OpenLedger | CreateAsset | CreateAccount | PostTransaction;

/** All that decisions in one ledger need to know: rules and balances, no names and no metadata of records. */
export type Ledger = {
  is: 'absent' | 'live';
  id: Uuid;
  organizationId: Uuid;
  holderId: Uuid;
  revision: Revision;
  readonly assets: Assets;
  readonly book: Book;
};

export type LedgerJournal = JournalOf<LedgerCommand, LedgerEvent>;

/** Routes a command to the rules of its slice; every slice reads the whole ledger. */
export const ledgerDecider: Decider<Ledger, LedgerCommand, LedgerEvent> = {
  category: 'ledger',
  snapshotVersion: 1,

  initialState: () => ({
    is: 'absent',
    id: '' as Uuid,
    organizationId: '' as Uuid,
    holderId: '' as Uuid,
    revision: -1,
    assets: { byCode: new Map(), names: new Set() },
    book: new Book(),
  }),

  needs: () => undefined,

  decide(ledger, command, _facts, stamp) {
    if (command.type === 'OpenLedger') return open(ledger, command);

    if (ledger.is !== 'live' || ledger.organizationId !== command.organizationId) {
      throw ledgerNotFound();
    }
    switch (command.type) {
      case 'CreateAsset':
        return createAsset(ledger, command, stamp);
      case 'CreateAccount':
        return [openAccount(ledger, command, stamp)];
      case 'PostTransaction':
        return [postTransaction(ledger, command, stamp)];
      default:
        return unreachable(command);
    }
  },

  evolve(ledger, event, revision) {
    switch (event.type) {
      case 'LedgerOpened':
        ledger.is = 'live';
        ledger.id = event.data.ledger.id;
        ledger.organizationId = event.data.ledger.organizationId;
        ledger.holderId = event.data.holderId;
        ledger.revision = revision;
        break;
      case 'AssetCreated':
        evolveAssets(ledger.assets, event.data.asset, revision);
        break;
      case 'AccountOpened':
        ledger.book.open(event.data.account, event.data.balance, revision);
        break;
      case 'TransactionPosted':
        ledger.book.move(event.data.transaction.operations);
        break;
      default:
        unreachable(event);
    }
  },

  fact: (ledger) => (ledger.is === 'absent' ? undefined : { live: true }),

  freeze: freezeLedger,
  thaw: (chunks) => thawLedger(ledgerDecider.initialState(), chunks),
};

/** A step taken already leaves no second event, so that it can be repeated after a crash. */
function open(ledger: Ledger, { ledger: record, holderId, reservedAt }: OpenLedger): LedgerEvent[] {
  if (ledger.is !== 'absent') return [];
  return [{ type: 'LedgerOpened', data: { ledger: record, holderId, reservedAt } }];
}
