import type { DatabaseSync } from 'node:sqlite';
import { NONE, type Revision } from '#src/kernel/ids.ts';
import { UNANCHORED, type Anchor } from '#src/ports/anchor.ts';
import { Unavailable } from '#src/ports/errors.ts';
import { START, type Position } from '#src/ports/event-store.ts';
import type { IndexKind, JournalIndex } from '#src/ports/journal-index.ts';
import { decodeKey, encodeKey } from './index-key.ts';
import { numberOf } from './index-layout.ts';
import { prepareQuery } from './sqlite.ts';

export type Queries = ReturnType<typeof prepareQueries>;

export function prepareQueries(db: DatabaseSync) {
  const selectJournal = prepareQuery<[number: number, reached: Revision]>(
    db,
    'SELECT journal, reached FROM journals WHERE name = ?',
  );
  const selectEntry = prepareQuery<[Revision]>(
    db,
    `SELECT revision FROM entries WHERE kind = ? AND journal = ? AND key = ?
     ORDER BY revision DESC LIMIT 1`,
  );
  const selectKind = prepareQuery<[journal: string, key: string | Uint8Array]>(
    db,
    `SELECT name, key FROM entries JOIN journals USING (journal) WHERE kind = ?
     GROUP BY journal, key ORDER BY journal, max(revision)`,
  );
  const selectAnchor = prepareQuery<[Position, string]>(db, 'SELECT checkpoint, hash FROM about');
  const selectSum = prepareQuery<[number, number]>(db, 'SELECT sum_a, sum_b FROM about');
  return {
    journal(name: string) {
      const [number, reached] = selectJournal.get(name) ?? [];
      return number === undefined ? undefined : { number, reached: reached ?? NONE };
    },
    entry: (kind: IndexKind, journal: number, key: string): Revision | undefined =>
      selectEntry.get(numberOf(kind), journal, encodeKey(key))?.[0],
    entries: (kind: IndexKind) =>
      selectKind.all(numberOf(kind)).map(([journal, key]) => ({ journal, key: decodeKey(key) })),
    checkpoint: (): Position => selectAnchor.get()?.[0] ?? START,
    anchor(): Anchor {
      const [position, hash] = selectAnchor.get() ?? [START, ''];
      return { position, hash };
    },
    sum: (): [number, number] => selectSum.get() ?? [0, 0],
  };
}

/** Implements the reading half of the port; `ask` passes undefined while there is no index. */
export function reading(
  ask: <Result>(work: (queries: Queries | undefined) => Result) => Promise<Result>,
): Pick<JournalIndex, 'find' | 'list' | 'indexed' | 'checkpoint' | 'anchor'> {
  return {
    find: (journal, kind, keys, through = NONE) =>
      ask((queries) => {
        const found = new Map<string, Revision>();
        const known = queries?.journal(journal);
        if ((known?.reached ?? NONE) < through) throw notThatFar(journal, through);
        if (queries === undefined || known === undefined) return found;
        for (const key of keys) {
          const revision = queries.entry(kind, known.number, key);
          if (revision !== undefined) found.set(key, revision);
        }
        return found;
      }),
    list: (kind) => ask((queries) => queries?.entries(kind) ?? []),
    indexed: (journal) => ask((queries) => queries?.journal(journal)?.reached ?? NONE),
    checkpoint: () => ask((queries) => queries?.checkpoint() ?? START),
    anchor: () => ask((queries) => queries?.anchor() ?? UNANCHORED),
  };
}

const notThatFar = (journal: string, through: Revision): Unavailable =>
  new Unavailable(`The journal index does not hold ${journal} up to ${String(through)} yet`);

export function reaching<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof Unavailable) throw cause;
    throw new Unavailable(UNREACHABLE, { cause });
  }
}

export const UNREACHABLE = 'The journal index cannot be reached';
