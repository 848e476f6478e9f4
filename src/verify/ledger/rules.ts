import { checkClaimed, type Claimed } from '#src/verify/claims.ts';
import { differ } from '#src/verify/difference.ts';
import { createRouteRules, type RouteData } from './routes.ts';
import type { AuditRules } from '#src/verify/rules.ts';
import { Books } from './books.ts';
import { FeeDebts } from './fee-debts.ts';
import { Exceptions } from './exceptions.ts';
import { AuditedRecords } from './records.ts';
import type {
  AuditedAccount,
  AuditedAsset,
  AuditedAssetRate,
  AuditedBalance,
  AuditedException,
  AuditedLedger,
  AuditedState,
  AuditedTransaction,
} from './shapes.ts';
import { Rates } from './rates.ts';
import { Transactions } from './transactions.ts';

/** The rules of a ledger's journal: one line for each type of event. */
export function createLedgerRules(): AuditRules {
  const books = new Books();
  const exceptions = new Exceptions();
  const rates = new Rates();
  const debts = new FeeDebts(books);
  const transactions = new Transactions(books, exceptions, debts);
  const records = new AuditedRecords();
  let own: AuditedLedger = { id: '', organizationId: '' };
  let closed = false;

  const mine = <Record extends Readonly<{ ledgerId: string; organizationId?: string }>>(
    record: Record,
  ): Record => {
    const { ledgerId, organizationId = own.organizationId } = record;
    const same = ledgerId === own.id && organizationId === own.organizationId;
    return same ? record : differ(`it is about ledger ${ledgerId} of ${organizationId}`);
  };
  const ledgerItself = (ledger: AuditedLedger): void => {
    mine({ ledgerId: ledger.id, organizationId: ledger.organizationId });
    records.ask(ledger);
  };

  const table: Readonly<Record<string, (data: LedgerData) => void>> = {
    LedgerOpened: ({ ledger }) => ledgerItself(ledger),
    LedgerUpdated: ({ ledger }) => ledgerItself(ledger),
    LedgerSettingsChanged: ({ ledger }) => ledgerItself(ledger),
    LedgerClosed({ ledger }) {
      ledgerItself(ledger);
      closed = true;
    },

    AssetCreated: ({ asset }) => books.addAsset(mine(asset)),
    AssetUpdated: ({ asset }) => books.keepAsset(mine(asset)),
    AssetDeleted: ({ asset }) => books.dropAsset(mine(asset)),

    AssetRateCreated: ({ assetRate }) => rates.add(mine(assetRate)),
    AssetRateUpdated: ({ assetRate }) => rates.keep(mine(assetRate)),

    ...records.rules(mine),

    AccountOpened({ account, balance }) {
      books.openAccount(mine(account), mine(balance));
      records.opened(account, balance);
    },
    AccountUpdated({ account }) {
      books.changeAccount(mine(account));
      records.changed(account);
    },
    AccountClosed({ account }) {
      books.closeAccount(mine(account));
      debts.checkOwesNothing(account.id);
    },
    AccountDeleted({ account }) {
      books.dropAccount(mine(account));
      debts.checkOwesNothing(account.id);
      records.dropped(account);
    },

    BlockExceptionsGranted: ({ exceptions: granted }) => exceptions.grant(granted.map(mine)),

    BalanceCreated: ({ balance }) => books.addBalance(mine(balance)),
    BalanceUpdated: ({ balance }) => books.changeBalance(mine(balance)),
    BalanceDeleted: ({ balance, state }) => books.closeBalance(mine(balance), state),

    GroupPrepared: ({ transaction, binding, accountBlockExceptionId }) =>
      transactions.prepared(mine(transaction), binding, accountBlockExceptionId),
    GroupReleased: ({ transaction }) => transactions.released(mine(transaction)),

    TransactionPosted: ({ transaction, accountBlockExceptionId }) =>
      transactions.posted(mine(transaction), accountBlockExceptionId),
    TransactionHeld: ({ transaction, accountBlockExceptionId }) =>
      transactions.held(mine(transaction), accountBlockExceptionId),
    TransactionCommitted: ({ transaction, stepOperations, accountBlockExceptionId }) =>
      transactions.committed(mine(transaction), stepOperations, accountBlockExceptionId),
    TransactionCanceled: ({ transaction, stepOperations }) =>
      transactions.canceled(mine(transaction), stepOperations),
    TransactionNoted: ({ transaction }) => transactions.noted(mine(transaction)),
    TransactionUpdated: ({ transaction }) => transactions.reworded(mine(transaction)),
    OperationUpdated: ({ transaction }) => transactions.reworded(mine(transaction)),

    MetadataClaimed: checkClaimed,

    ...createRouteRules(
      ({ ledgerId = '', organizationId }) => void mine({ ledgerId, organizationId }),
      () => ({ name: `ledger-${own.id}`, shared: `organization-${own.organizationId}` }),
    ),
  };

  return {
    open(data, name) {
      own = (data as LedgerData).ledger;
      const journal = `ledger-${own.id}`;
      return name === undefined || name === journal ? journal : differ(`it begins ${journal}`);
    },
    apply(type, data) {
      if (closed) differ('the ledger was closed before');
      const rule = Object.hasOwn(table, type) ? table[type] : undefined;
      rule?.(data as LedgerData);
      return rule !== undefined;
    },
    transactions: () => transactions.count,
  };
}

/** The members that the rules read; a missing one is a difference when it is read. */
type LedgerData = Readonly<{
  ledger: AuditedLedger;
  asset: AuditedAsset & Readonly<{ organizationId: string }>;
  assetRate: AuditedAssetRate & Readonly<{ organizationId: string }>;
  account: AuditedAccount;
  balance: AuditedBalance;
  state: AuditedState;
  transaction: AuditedTransaction;
  stepOperations: number;
  binding: boolean;
  exceptions: readonly AuditedException[];
  accountBlockExceptionId?: string;
}> &
  Claimed &
  RouteData;
