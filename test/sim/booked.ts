import type { BalanceRecord } from '#src/events/ledger/account.ts';
import type { Side } from '#src/events/shared.ts';
import type { OperationType } from '#src/events/ledger/route-rules.ts';
import type { GroupRecord } from '#src/events/ledger/group.ts';
import type { OperationRecord, TransactionRecord } from '#src/events/ledger/transaction.ts';

/** What the simulator's own books hold. Amounts are whole 10^-34 parts. */

export type BookedOrganization = {
  readonly id: string;
  readonly foundedMs: number;
  readonly names: Map<string, number>;
  readonly reserved: Set<string>;
  readonly settled: Set<string>;
  readonly routes: BookedRoutes;
};

export type BookedLedger = {
  readonly id: string;
  readonly organizationId: string;
  readonly journal: string;
  /** The revision at which each code, and each name, was taken. */
  readonly assets: Map<string, number>;
  readonly assetNames: Map<string, number>;
  readonly accounts: Map<string, BookedAccount>;
  /** The direction in which the accounts of each registered type begin. */
  readonly accountTypes: Map<string, Side>;
  /** In the order of the log. */
  readonly transactions: Map<string, BookedTransaction>;
  /** Whether it takes part in groups. */
  readonly crosses: boolean;
  /** Whether it validates routes. */
  readonly routed: boolean;
  readonly routes: BookedRoutes;
  /** Exceptions from blocks that were ever granted. */
  readonly exceptions: Map<string, BookedException>;
  /** Its parts of groups, by their group. */
  readonly parts: Map<string, BookedPart>;
  /** Per asset: all positions with what is on hold, those of direction `debit` counted negative. */
  readonly sums: Map<string, bigint>;
};

export type BookedAccount = {
  readonly id: string;
  readonly alias: string;
  readonly asset: string;
  readonly external: boolean;
  readonly openedAt: number;
  /** What stopped its movements, from which revision on. */
  readonly stops: Stop[];
  /** How its default balance stood, from which revision on; the last one says whether there still is one. */
  readonly standings: Standing[];
  /** What it may owe, from which revision on. */
  readonly allowances: Allowance[];
  /** The balance that shows what it owes, once it was allowed to. */
  companion?: Readonly<{ standings: Standing[] }>;
};

/** Limit: undefined for any. */
export type Allowance = Readonly<{ revision: number; allowed: boolean; limit: bigint | undefined }>;

export type Stop = Readonly<{ revision: number; blocked: boolean; closed: boolean }>;

export type Standing = Readonly<{
  revision: number;
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
  /** As each of its events left it. */
  readonly images: Image[];
  /** Where it was reverted. */
  revertedAt?: number;
  /** The last step of what reverts it, or was to do so. */
  reversalAt?: number;
};

/** Operation routes by what they are for, and transaction routes of them. Nothing of them changes here. */
export type BookedRoutes = Readonly<{
  operationRoutes: Map<string, BookedRoute>;
  templates: Map<
    string,
    Readonly<{ revision: number; bookedMs: number; operationRoutes: readonly string[] }>
  >;
}>;
/** `crosses`: what leaves or enters a ledger may do so by it. */
export type BookedRoute = Readonly<{ type: OperationType; crosses: boolean }>;

export const noRoutes = (): BookedRoutes => ({ operationRoutes: new Map(), templates: new Map() });

/** A transaction over several ledgers, as each of its events left it. */
export type BookedGroup = Readonly<{
  id: string;
  images: Readonly<{ revision: number; record: GroupRecord }>[];
}>;

/** Lets one debit pass, once; `kept`: for which group, from which revision on. */
export type BookedException = {
  readonly id: string;
  readonly alias: string;
  readonly amount: bigint;
  readonly expiresAt: string;
  readonly grantedAt: number;
  readonly kept: Readonly<{ revision: number; by: string | undefined }>[];
  usedAt?: number;
};

/** What became of a part, from which revision on; while it is bound, nobody may take what it needs. */
export type BookedPart = Readonly<{
  transactionId: string;
  accounts: ReadonlySet<string>;
  states: Readonly<{ revision: number; is: 'prepared' | 'bound' | 'posted' | 'released' }>[];
}>;

export type Image = Readonly<{ revision: number; record: TransactionRecord; text: string }>;

export const emptyLedger = (
  own: Pick<BookedLedger, 'id' | 'organizationId' | 'crosses' | 'routed'>,
  journal: string,
): BookedLedger => ({
  ...own,
  journal,
  routes: noRoutes(),
  exceptions: new Map(),
  parts: new Map(),
  assets: new Map(),
  accountTypes: new Map(),
  assetNames: new Map(),
  accounts: new Map(),
  transactions: new Map(),
  sums: new Map(),
});

/** A balance as it begins. */
export const opened = (
  { id: balanceId, direction }: Pick<BalanceRecord, 'id' | 'direction'>,
  revision: number,
): Standing => ({
  ...{ revision, balanceId, live: true, direction, version: 0 },
  ...{ available: 0n, onHold: 0n, owed: 0n },
});

/** Whether the account ever had its default balance under the id. */
export const hadBalance = ({ standings }: BookedAccount, id: string): boolean =>
  standings.some(({ balanceId }) => balanceId === id);

export const standingOf = ({ standings }: BookedAccount): Standing => standings.at(-1)!;
export const imageOf = ({ images }: BookedTransaction): Image => images.at(-1)!;
export const stateOf = ({ states }: BookedPart) => states.at(-1)!.is;
export const recordOf = ({ images }: BookedGroup): GroupRecord => images.at(-1)!.record;

export const isDebt = ({ balanceKey }: Readonly<{ balanceKey: string }>): boolean =>
  balanceKey === 'overdraft';

/** What legs moved, whatever of it their overdraft took over. */
export type WholeLeg = Readonly<{ operation: OperationRecord; whole: bigint }>;
export function wholeLegs(operations: readonly OperationRecord[]): WholeLeg[] {
  const legs: WholeLeg[] = [];
  for (const operation of operations) {
    const last = legs.at(-1);
    const amount = units(operation.amount);
    if (!isDebt(operation)) legs.push({ operation, whole: amount });
    else if (last) legs[legs.length - 1] = { ...last, whole: last.whole + amount };
  }
  return legs;
}

/** What was true at a revision, of things that are true from one on; the first of them before that. */
export function asOf<Item extends Readonly<{ revision: number }>>(
  items: readonly Item[],
  revision: number,
): Item {
  return items.findLast((item) => item.revision <= revision) ?? items[0]!;
}

/** A decimal as whole 10^-34 parts. */
export function units(decimal: string): bigint {
  const negative = decimal.startsWith('-');
  const [whole = '', fraction = ''] = (negative ? decimal.slice(1) : decimal).split('.');
  const value = BigInt(whole + fraction.padEnd(34, '0'));
  return negative ? -value : value;
}
