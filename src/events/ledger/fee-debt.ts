import type { Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';

/**
 * A fee that its payer still owed after the transaction that it was charged on (contract registry-and-fees §B10). Amounts
 * are decimals as text; `remaining` is opened − settled − canceled + reopened.
 */
export type FeeDebtRecord = Readonly<{
  /** The transaction it was charged on and the posting that it would have been, such as `<uuid>:from:1:debit`. */
  id: string;
  /** The order in which the ledger's debts were opened, and are settled, from 1. */
  seq: number;
  originTransactionId: Uuid;
  feePackageId?: Uuid;
  assetCode: string;
  debtor: DebtBalance;
  creditor: DebtBalance;
  opened: string;
  settled: string;
  canceled: string;
  reopened: string;
  refunded: string;
  remaining: string;
  openedAt: Instant;
  updatedAt: Instant;
}>;

/** The balance that owes a debt or earns it, and the accounting route under which its operations are booked. */
export type DebtBalance = Readonly<{
  accountId: Uuid;
  alias: string;
  key: string;
  route?: string;
  routeId?: Uuid;
  routeCode?: string;
  routeDescription?: string;
}>;

export const DEBT_CHANGES = ['opened', 'settled', 'canceled', 'reopened', 'refunded'] as const;

/** One change of a debt by a transaction, with the debt as the change leaves it. */
export type FeeDebtChange = Readonly<{
  kind: (typeof DEBT_CHANGES)[number];
  amount: string;
  debt: FeeDebtRecord;
}>;

/** The posting of its origin that a debt takes the place of. */
export const postingRefOf = ({ id, originTransactionId }: FeeDebtRecord): string =>
  id.slice(originTransactionId.length + 1);
