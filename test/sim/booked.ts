import type { BalanceRecord } from '#src/events/ledger/account.ts';
import type { GroupRecord } from '#src/events/ledger/group.ts';
import type { OperationType } from '#src/events/ledger/route-rules.ts';
import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import type { Side } from '#src/events/shared.ts';

/* The records that the log shows, as its after-images say. Amounts are whole 10^-34 parts. */

export type BookedOrganization = Readonly<{
  id: string;
  reserved: Set<string>;
  settled: Set<string>;
  routes: BookedRoutes;
}>;

export type BookedLedger = Readonly<{
  id: string;
  organizationId: string;
  journal: string;
  assets: Set<string>;
  accounts: Map<string, BookedAccount>;
  accountTypes: Set<string>;
  /** In the order of the log. */
  transactions: Map<string, BookedTransaction>;
  /** The last step of a reversal, by the transaction that it reverts. */
  reversals: Map<string, number>;
  /** The state of the ledger's part of each group. */
  parts: Map<string, PartState>;
  /** Whether it takes part in groups. */
  crosses: boolean;
  /** Whether it validates routes. */
  routed: boolean;
  routes: BookedRoutes;
  exceptions: Map<string, BookedException>;
}>;

export type BookedAccount = Readonly<{
  id: string;
  alias: string;
  asset: string;
  external: boolean;
  stops: Stop[];
  /** The default balance after each event; the last one says whether there still is one. */
  standings: Standing[];
  /** The overdraft balance; empty until there is one. */
  debts: Standing[];
}>;

export type Stop = Readonly<{ revision: number; blocked: boolean; closed: boolean }>;

export type Standing = Readonly<{
  balanceId: string;
  /** False once it was deleted, until it is created again. */
  live: boolean;
  direction: Side;
  version: number;
  available: bigint;
  onHold: bigint;
  owed: bigint;
}>;

export type BookedTransaction = {
  readonly id: string;
  readonly images: Image[];
  isReverted: boolean;
};

export type Image = Readonly<{ revision: number; record: TransactionRecord; text: string }>;

/** Nothing of a route changes here. */
export type BookedRoutes = Readonly<{
  operationRoutes: Map<string, BookedRoute>;
  templates: Map<string, Readonly<{ operationRoutes: readonly string[] }>>;
}>;
/** `crosses`: usable for legs that leave or enter a ledger. */
export type BookedRoute = Readonly<{ type: OperationType; crosses: boolean }>;

export const noRoutes = (): BookedRoutes => ({ operationRoutes: new Map(), templates: new Map() });

export type BookedGroup = { readonly id: string; record: GroupRecord };

export type PartState = 'prepared' | 'bound' | 'posted' | 'released';

/** `usedBy`: the last event that named it. */
export type BookedException = {
  readonly id: string;
  readonly alias: string;
  readonly amount: bigint;
  usedBy?: 'transaction' | 'group';
};

export const emptyLedger = (
  own: Pick<BookedLedger, 'id' | 'organizationId' | 'journal' | 'crosses' | 'routed'>,
): BookedLedger => ({
  ...own,
  routes: noRoutes(),
  exceptions: new Map(),
  parts: new Map(),
  assets: new Set(),
  accountTypes: new Set(),
  accounts: new Map(),
  transactions: new Map(),
  reversals: new Map(),
});

/** A balance as it begins. */
export const opened = ({ id, direction }: Pick<BalanceRecord, 'id' | 'direction'>): Standing => ({
  ...{ balanceId: id, live: true, direction, version: 0 },
  ...{ available: 0n, onHold: 0n, owed: 0n },
});

export const standingOf = ({ standings }: BookedAccount): Standing => standings.at(-1)!;
export const imageOf = ({ images }: BookedTransaction): Image => images.at(-1)!;

export const isDebt = ({ balanceKey }: Readonly<{ balanceKey: string }>): boolean =>
  balanceKey === 'overdraft';

/** A decimal as whole 10^-34 parts. */
export function units(decimal: string): bigint {
  const negative = decimal.startsWith('-');
  const [whole = '', fraction = ''] = (negative ? decimal.slice(1) : decimal).split('.');
  const value = BigInt(whole + fraction.padEnd(34, '0'));
  return negative ? -value : value;
}
