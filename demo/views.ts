/* What the story reads of the answers. */

export type Answer<T> = Readonly<{ status: number; headers: Headers; body: T }>;

export type List<Item> = Readonly<{ items: readonly Item[]; next_cursor?: string }>;

export type Named = Readonly<{ id: string }>;

export type Balance = Readonly<{
  id: string;
  accountId: string;
  alias: string;
  assetCode: string;
  available: string;
  onHold: string;
  version: number;
  direction: 'credit' | 'debit';
}>;

type BalanceState = Pick<Balance, 'available' | 'onHold' | 'version'>;

export type Operation = Readonly<{
  type: string;
  accountAlias: string;
  balanceId: string;
  amount: Readonly<{ value: string }>;
  balance: BalanceState;
  balanceAfter: BalanceState;
}>;

export type Transaction = Readonly<{
  id: string;
  amount: string;
  status: Readonly<{ code: string }>;
  operations: readonly Operation[];
}>;

export type Problem = Readonly<{ status: number; code: string; title: string; detail: string }>;
