import { differ } from '#src/verify/difference.ts';
import type { Rules } from '#src/verify/rules.ts';
import { Books } from './books.ts';
import { LiveRecords } from './live-records.ts';
import type {
  Account,
  AccountType,
  Asset,
  Balance,
  Ledger,
  Portfolio,
  Segment,
  State,
  Transaction,
} from './shapes.ts';
import { Transactions } from './transactions.ts';

/** The rules of a ledger's journal: one line for each type of event. */
export function createLedgerRules(): Rules {
  const books = new Books();
  const transactions = new Transactions(books);
  const segments = new LiveRecords<Segment>('segment', ({ name }) => name);
  const portfolios = new LiveRecords<Portfolio>('portfolio');
  const types = new LiveRecords<AccountType>('account type', ({ keyValue }) => keyValue);
  let own: Ledger = { id: '', organizationId: '' };
  let closed = false;

  const mine = <Record extends Readonly<{ ledgerId: string; organizationId?: string }>>(
    record: Record,
  ): Record => {
    const { ledgerId, organizationId = own.organizationId } = record;
    const same = ledgerId === own.id && organizationId === own.organizationId;
    return same ? record : differ(`it is about ledger ${ledgerId} of ${organizationId}`);
  };
  const ledgerItself = ({ id, organizationId }: Ledger) => mine({ ledgerId: id, organizationId });

  const table: Readonly<Record<string, (data: Data) => void>> = {
    LedgerOpened: ({ ledger }) => void ledgerItself(ledger),
    LedgerUpdated: ({ ledger }) => void ledgerItself(ledger),
    LedgerSettingsChanged: ({ ledger }) => void ledgerItself(ledger),
    LedgerClosed({ ledger }) {
      ledgerItself(ledger);
      closed = true;
    },

    AssetCreated: ({ asset }) => books.addAsset(mine(asset)),
    AssetUpdated: ({ asset }) => books.keepAsset(mine(asset)),
    AssetDeleted: ({ asset }) => books.dropAsset(mine(asset)),

    SegmentCreated: ({ segment }) => segments.add(mine(segment)),
    SegmentUpdated: ({ segment }) => segments.change(mine(segment)),
    SegmentDeleted: ({ segment }) => segments.drop(mine(segment)),

    PortfolioCreated: ({ portfolio }) => portfolios.add(mine(portfolio)),
    PortfolioUpdated: ({ portfolio }) => portfolios.change(mine(portfolio)),
    PortfolioDeleted: ({ portfolio }) => portfolios.drop(mine(portfolio)),

    AccountTypeCreated: ({ accountType }) => types.add(mine(accountType)),
    AccountTypeUpdated: ({ accountType }) => types.change(mine(accountType)),
    AccountTypeDeleted: ({ accountType }) => types.drop(mine(accountType)),

    AccountOpened: ({ account, balance }) => books.openAccount(mine(account), mine(balance)),
    AccountUpdated: ({ account }) => books.changeAccount(mine(account)),
    AccountClosed: ({ account }) => books.closeAccount(mine(account)),
    AccountDeleted: ({ account }) => books.dropAccount(mine(account)),

    BalanceCreated: ({ balance }) => books.addBalance(mine(balance)),
    BalanceUpdated: ({ balance }) => void books.keepBalance(mine(balance)),
    BalanceDeleted: ({ balance, state }) => books.closeBalance(mine(balance), state),

    GroupPrepared: ({ transaction, binding }) => transactions.prepared(mine(transaction), binding),
    GroupReleased: ({ transaction }) => transactions.released(mine(transaction)),

    TransactionPosted: ({ transaction }) => transactions.posted(mine(transaction)),
    TransactionHeld: ({ transaction }) => transactions.held(mine(transaction)),
    TransactionCommitted: ({ transaction, stepOperations }) =>
      transactions.committed(mine(transaction), stepOperations),
    TransactionCanceled: ({ transaction, stepOperations }) =>
      transactions.canceled(mine(transaction), stepOperations),
    TransactionNoted: ({ transaction }) => transactions.noted(mine(transaction)),
    TransactionUpdated: ({ transaction }) => transactions.reworded(mine(transaction)),
    OperationUpdated: ({ transaction }) => transactions.reworded(mine(transaction)),
  };

  return {
    open(data, name) {
      own = (data as Data).ledger;
      const journal = `ledger-${own.id}`;
      return name === undefined || name === journal ? journal : differ(`it begins ${journal}`);
    },
    apply(type, data) {
      if (closed) differ('the ledger was closed before');
      const rule = Object.hasOwn(table, type) ? table[type] : undefined;
      rule?.(data as Data);
      return rule !== undefined;
    },
    transactions: () => transactions.count,
  };
}

/** The members that are looked at; one that is missing is a difference when it is read. */
type Data = Readonly<{
  ledger: Ledger;
  asset: Asset & Readonly<{ organizationId: string }>;
  segment: Segment;
  portfolio: Portfolio;
  accountType: AccountType;
  account: Account;
  balance: Balance;
  state: State;
  transaction: Transaction;
  stepOperations: number;
  binding: boolean;
}>;
