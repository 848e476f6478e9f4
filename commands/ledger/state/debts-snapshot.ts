import type { FeeDebtRecord } from '#src/events/ledger/fee-debt.ts';
import type { OpenDebts } from './open-debts.ts';

/** Some open debts, and the number of debts that were ever opened. */
export type DebtsChunk = Readonly<{
  kind: 'feeDebts';
  lastSeq: number;
  debts: readonly FeeDebtRecord[];
}>;

/** Five hundred debts per chunk, each of at most 2 KB; a ledger that never had one gets no chunk. */
export function* debtsToSnapshot(open: OpenDebts): Iterable<string> {
  const { lastSeq } = open;
  if (lastSeq === 0) return;
  const all = [...open.all()];
  for (let from = 0; from === 0 || from < all.length; from += DEBTS_PER_CHUNK) {
    const debts = all.slice(from, from + DEBTS_PER_CHUNK);
    const chunk: DebtsChunk = { kind: 'feeDebts', lastSeq, debts };
    yield JSON.stringify(chunk);
  }
}

export const isDebtsChunk = (chunk: Readonly<{ kind: string }>): chunk is DebtsChunk =>
  chunk.kind === 'feeDebts';

export function debtsFromSnapshot(open: OpenDebts, { lastSeq, debts }: DebtsChunk): void {
  for (const debt of debts) open.put(debt);
  open.restore(lastSeq);
}

const DEBTS_PER_CHUNK = 500;
