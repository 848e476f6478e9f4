import type { TransactionRecord } from '#src/events/ledger.ts';

/** What the simulator's own books hold. Amounts are whole 10^-34 parts. */

export type BookedOrganization = {
  readonly id: string;
  readonly foundedMs: number;
  readonly names: Map<string, number>;
  readonly reserved: Set<string>;
  readonly settled: Set<string>;
};

export type BookedLedger = {
  readonly id: string;
  readonly organizationId: string;
  readonly journal: string;
  /** The revision at which each code, and each name, was taken. */
  readonly assets: Map<string, number>;
  readonly assetNames: Map<string, number>;
  readonly accounts: Map<string, BookedAccount>;
  /** In the order of the log. */
  readonly transactions: Map<string, BookedTransaction>;
  /** Per asset: all positions with what is on hold, those of direction `debit` counted negative. */
  readonly sums: Map<string, bigint>;
};

export type BookedAccount = {
  readonly id: string;
  readonly balanceId: string;
  readonly alias: string;
  readonly asset: string;
  readonly external: boolean;
  readonly openedAt: number;
  /** What stopped its movements, from which revision on. */
  readonly stops: Stop[];
  /** By version: how it stood, from which revision on. */
  readonly standings: Standing[];
};

export type Stop = Readonly<{ revision: number; blocked: boolean; closed: boolean }>;
export type Standing = Readonly<{ revision: number; available: bigint; onHold: bigint }>;

export type BookedTransaction = {
  readonly id: string;
  /** As each of its events left it. */
  readonly images: Image[];
  /** Where it was reverted. */
  revertedAt?: number;
};

export type Image = Readonly<{ revision: number; record: TransactionRecord; text: string }>;

export const emptyLedger = (id: string, organizationId: string, journal: string): BookedLedger => ({
  id,
  organizationId,
  journal,
  assets: new Map(),
  assetNames: new Map(),
  accounts: new Map(),
  transactions: new Map(),
  sums: new Map(),
});

export const standingOf = ({ standings }: BookedAccount): Standing => standings.at(-1)!;
export const imageOf = ({ images }: BookedTransaction): Image => images.at(-1)!;

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
