import { bornAt, projection, tally } from '#projections/projection.ts';
import { negate, parseAmount, type Amount } from '#src/kernel/amount.ts';
import {
  postingRefOf,
  type FeeDebtChange,
  type FeeDebtRecord,
} from '#src/events/ledger/fee-debt.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import { readPosted } from '#src/events/ledger/posted.ts';
import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import type { Addition, Recorded, Write } from '#src/ports/projection.ts';

/** The value of `of` in the rows of debts; in those of changes it is the id of the debt. */
export const DEBTS = 'debts';

/**
 * The fee debts of a ledger, and a row for each of their changes. Both are in one collection, so that no reader sees a
 * debt without its latest change.
 */
export const feeDebtProjection = projection<LedgerEvent>(
  {
    name: 'feeDebt',
    version: 1,
    keys: {
      ...({ tenantId: 'text', ledgerId: 'text', of: 'text' } as const),
      ...({ debtor: 'text', status: 'text', createdAt: 'text' } as const),
    },
    indexes: [
      ['tenantId', 'ledgerId', 'of'],
      ['tenantId', 'ledgerId', 'of', 'debtor'],
    ],
  },
  {
    TransactionPosted: (event) => rowsOf(event, posted(event)),
    TransactionCommitted: (event) => rowsOf(event, committed(event)),
  },
);

/** The open debt of each balance, under `debtorId`. */
export const feeDebtTotals = tally<LedgerEvent>(
  { name: 'feeDebtTotal', version: 1, keys: { tenantId: 'text' }, indexes: [['tenantId']] },
  {
    TransactionPosted: (event) => totalsOf(event, posted(event)),
    TransactionCommitted: (event) => totalsOf(event, committed(event)),
  },
);

export const debtorId = (ledgerId: string, debtor: string): string => `${ledgerId} ${debtor}`;

export const balanceName = ({
  alias,
  key,
}: Pick<FeeDebtRecord['debtor'], 'alias' | 'key'>): string => `${alias}#${key}`;

type Recording = Recorded<Readonly<{ transaction: TransactionRecord }>>;

/** Most transactions change no debt, and are not parsed to find that out. */
const posted = ({ text }: Recording): readonly FeeDebtChange[] => readPosted(text).feeDebts ?? [];
const committed = ({ data }: Recording): readonly FeeDebtChange[] =>
  data.transaction.feeDebts ?? [];

function rowsOf(event: Recording, changes: readonly FeeDebtChange[]): readonly Write[] {
  if (changes.length === 0) return [];
  const { tenantId, revision } = event;
  const { id: transactionId, organizationId, ledgerId } = event.data.transaction;
  return changes.flatMap(({ kind, amount, debt }, n): Write[] => {
    const { id, updatedAt: appliedAt } = debt;
    const own = { tenantId, ledgerId, debtor: balanceName(debt.debtor) };
    const status = debt.remaining === '0' ? 'settled' : 'open';
    const postingRef = kind === 'opened' ? { postingRef: postingRefOf(debt) } : {};
    const entry = { kind, transactionId, ...postingRef, amount, appliedAt };
    return [
      {
        put: {
          id,
          born: bornAt(revision, 2 * n),
          keys: { ...own, of: DEBTS, status, createdAt: debt.openedAt },
          body: JSON.stringify({ organizationId, ledgerId, ...debt }),
        },
      },
      {
        put: {
          id: `${id}/${transactionId}/${kind}`,
          born: bornAt(revision, 2 * n + 1),
          keys: { ...own, of: id, status: kind, createdAt: appliedAt },
          body: JSON.stringify(entry),
        },
      },
    ];
  });
}

function totalsOf(event: Recording, changes: readonly FeeDebtChange[]): readonly Addition[] {
  const { tenantId } = event;
  return changes.flatMap(({ kind, amount, debt }): Addition[] => {
    if (kind === 'refunded') return [];
    const id = debtorId(event.data.transaction.ledgerId, balanceName(debt.debtor));
    const open = signed(kind, parseAmount(amount));
    return [{ id, born: 0, keys: { tenantId }, add: [['open', open]] }];
  });
}

const signed = (kind: FeeDebtChange['kind'], amount: Amount): Amount =>
  kind === 'settled' || kind === 'canceled' ? negate(amount) : amount;
