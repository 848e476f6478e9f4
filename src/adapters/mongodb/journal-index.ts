import type { Collection } from 'mongodb';
import { randomUUID } from 'node:crypto';
import { NONE, type Revision, type Uuid } from '#src/kernel/ids.ts';
import { DerivedDamaged, Unavailable } from '#src/ports/errors.ts';
import { START, type Position } from '#src/ports/event-store.ts';
import type { IndexBatch, IndexKind, JournalIndex } from '#src/ports/journal-index.ts';
import { anchorIn, anchorText } from './anchor-text.ts';
import { writeInserts, writeUpdates, type Update } from './bulk.ts';
import { decodeText, encodeText } from './index-text.ts';
import type { MongoDatabase } from './database.ts';
import { insertedNew, callServer, WORK_MS } from './call.ts';

/**
 * Opens the index of a log, in one collection named after log and format: another log or format has another one, which
 * is empty. Each entry is a document whose id consists of journal, kind and key; it keeps the checkpoint of the batch
 * that wrote it, and only a later batch changes it. So batches may be repeated, split differently, or come from two
 * processes at once: every entry ends as the last batch left it. Entries are written first, then the revisions reached,
 * then the checkpoint.
 *
 * One document holds the collection's birth, and every lookup reads it too: a dropped collection looks empty, and must
 * not be taken for an index in which a key is absent.
 *
 * Errors: Unavailable, here and in every operation.
 */
export async function openMongoJournalIndex(
  { db }: MongoDatabase,
  logId: Uuid,
  told: (reason: string) => void = () => undefined,
): Promise<JournalIndex> {
  const name = nameOf(logId);
  const entries = db.collection<IndexDocument>(name);
  const birth = await callServer(() => claim(entries));
  await callServer(async () => {
    const others = await db.listCollections({ name: /^index_/ }, { nameOnly: true }).toArray();
    for (const other of others.filter((one) => one.name !== name)) {
      told('they were built from another log, or by another release');
      await db.dropCollection(other.name);
    }
  }, WORK_MS);
  return indexIn(entries, { birth, owned: true });
}

/**
 * Opens the index of a log for a process that only reads it, possibly before another one has created it: until then it
 * is empty.
 */
export function openMongoJournalIndexReader({ db }: MongoDatabase, logId: Uuid): JournalIndex {
  const notOurs = async (): Promise<never> => {
    throw new Error('This index was opened for reading');
  };
  return {
    ...indexIn(db.collection<IndexDocument>(nameOf(logId)), { birth: undefined, owned: false }),
    apply: notOurs,
    forget: notOurs,
  };
}

/**
 * Implements the index. Without `birth`, the first one found counts. A reader accepts a recreated index, because it
 * reads how far that one has come. The owner does not: it would write into what another owner created.
 */
function indexIn(
  entries: Collection<IndexDocument>,
  { birth, owned }: Readonly<{ birth: string | undefined; owned: boolean }>,
): JournalIndex {
  let known = birth;

  /** Reads documents by id, if the index is the one that was opened; none while it does not exist. */
  const read = (ids: readonly string[]): Promise<readonly IndexDocument[]> =>
    callServer(async () => {
      const found = await entries.find({ _id: { $in: [ABOUT, ...ids] } }).toArray();
      const about = found.find(({ _id }) => _id === ABOUT);
      if (about !== undefined && !owned) known = about.birth;
      known ??= about?.birth;
      if (about?.birth !== known) throw new Unavailable('The journal index was recreated.');
      return found;
    });
  const about = async (): Promise<IndexDocument | undefined> => (await read([]))[0];
  const checkpoint = async (): Promise<Position> => (await about())?.p ?? START;

  /**
   * Rejects unless the index holds the journal up to this revision: only then is a missing entry known to be absent.
   */
  const mustHold = async (journal: string, through: Revision): Promise<void> => {
    if (through === NONE) return;
    const { doubt, birth: is } = (await about()) ?? {};
    const id = reachedId(is ?? '', journal);
    const reached = (await read([id])).find(({ _id }) => _id === id)?.r ?? NONE;
    if (doubt !== undefined || reached < through) {
      throw new Unavailable(`The journal index does not hold ${journal} up to ${through} yet`);
    }
  };

  return {
    async find(journal, kind, keys, through = NONE) {
      const byId = new Map(keys.map((key) => [idOf(journal, kind, key), key]));
      const found = new Map<string, Revision>();
      await mustHold(journal, through);
      for (const { _id, r } of await read([...byId.keys()])) {
        const key = byId.get(_id);
        if (key !== undefined && typeof r === 'number') found.set(key, r);
      }
      return new Map(keys.flatMap((key) => (found.has(key) ? [[key, found.get(key)!]] : [])));
    },

    async list(kind) {
      await checkpoint(); // It is still the one that was opened.
      const opened = { _id: startingWith(`${letterOf(kind)} `), r: { $gte: 0 } };
      const found = await callServer(() => entries.find(opened).sort({ _id: 1 }).toArray());
      return found.map(({ _id }) => entryIn(_id));
    },

    async indexed(journal) {
      if (known === undefined) await checkpoint();
      if (known === undefined) return NONE; // It does not exist yet.
      const id = reachedId(known, journal);
      const found = (await read([id])).find(({ _id }) => _id === id);
      return found?.r ?? NONE;
    },

    checkpoint,

    async anchor() {
      const { p: position = START, a = '' } = (await about()) ?? {};
      return anchorIn(a, position);
    },

    async doubt(reason) {
      await callServer(() => entries.updateOne({ _id: ABOUT }, { $set: { doubt: reason } }));
    },

    flaw: async () => (await about())?.doubt,

    async forget() {
      await callServer(() => entries.drop(), WORK_MS);
      known = await callServer(() => claim(entries));
    },

    async apply({ entries: changes, reached, checkpoint: through, hash = '' }: IndexBatch) {
      const { p: is = START, doubt } = (await about()) ?? {};
      if (doubt !== undefined) throw new DerivedDamaged(`The journal index is wrong: ${doubt}`);
      const mine = known;
      if (through <= is || mine === undefined) return; // The batch is already in the index.
      const last = new Map(
        changes.map(({ journal, kind, key, revision }) => [idOf(journal, kind, key), revision]),
      );
      await writeEntries(entries, last, through);
      const byId = [...reached].map(([journal, r]) => [reachedId(mine, journal), r] as const);
      await writeReached(entries, byId, through);
      const moved = { $max: { p: through, ...(hash !== '' && { a: anchorText(through, hash) }) } };
      const { matchedCount } = await callServer(() =>
        entries.updateOne({ _id: ABOUT, birth: mine }, moved),
      );
      if (matchedCount === 0) throw new Unavailable('The journal index was recreated.');
    },

    async close() {
      // MongoDatabase owns the connections.
    },
  };
}

const nameOf = (logId: Uuid): string => `index_${String(FORMAT)}_${logId}`;

/** `r` is null for a removed entry. */
type IndexDocument = {
  _id: string;
  p: Position;
  r?: Revision | null;
  birth?: string;
  /** In the document that describes the index: its anchor, and why it must not be used. */
  a?: string;
  doubt?: string;
};

/** Returns the birth of the collection, which is set now if it has none. */
async function claim(entries: Collection<IndexDocument>): Promise<string> {
  const born: IndexDocument = { _id: ABOUT, p: START, birth: randomUUID() };
  await insertedNew(entries, born);
  const about = await entries.findOne({ _id: ABOUT });
  if (about?.birth === undefined) throw new Unavailable('The journal index was recreated.');
  return about.birth;
}

/** Inserts first: most keys are new, and an insert costs half of a guarded update. */
async function writeEntries(
  entries: Collection<IndexDocument>,
  last: ReadonlyMap<string, Revision | null>,
  p: Position,
): Promise<void> {
  const known = await writeInserts(
    entries,
    [...last].map(([_id, r]) => ({ _id, p, r })),
  );
  await writeUpdates(
    entries,
    known.map(({ _id, r }): Update => ({ q: { _id, p: { $lt: p } }, u: { $set: { p, r } } })),
  );
}

async function writeReached(
  entries: Collection<IndexDocument>,
  reached: readonly (readonly [id: string, revision: Revision])[],
  p: Position,
): Promise<void> {
  const updates = reached.map(([_id, r]): Update => ({ q: { _id }, u: { $max: { r, p } } }));
  const matched = await writeUpdates(entries, updates);
  if (matched === updates.length) return;
  const first = reached.map(([_id, r]) => ({ _id, r, p }));
  const known = await writeInserts(entries, first);
  if (known.length > 0) await writeUpdates(entries, updates);
}

const idOf = (journal: string, kind: IndexKind, key: string): string =>
  `${letterOf(kind)} ${journal} ${encodeText(key)}`;

/** Splits an entry's id; a journal's name contains no space. */
function entryIn(id: string): Readonly<{ journal: string; key: string }> {
  const [, journal, key] = /^. (\S*) ([^]*)$/.exec(id) ?? [];
  if (journal === undefined || key === undefined) throw new Error(`Not an entry's id: ${id}`);
  return { journal, key: decodeText(key) };
}

/** The id contains the birth: late writes to a recreated collection then have no effect on it. */
const reachedId = (birth: string, journal: string): string => `j ${birth} ${journal}`;

/** Matches every id of a kind; '!' is the character after the space. */
const startingWith = (kind: string) => ({ $gte: kind, $lt: kind.replace(' ', '!') });

function letterOf(kind: IndexKind): string {
  const letter = LETTERS.get(kind);
  if (letter === undefined) throw new Error(`The journal index has no letter for ${kind}`);
  return letter;
}

/** The letter that each kind's stored ids start with; it never changes its meaning. */
const LETTERS: ReadonlyMap<IndexKind, string> = new Map([
  ['idempotency', 'i'],
  ['transaction', 't'],
  ['open', 'o'],
  ['reversal', 'r'],
  ['group', 'g'],
  ['value', 'v'],
  ['feeDebt', 'd'],
]);
const ABOUT = 'about';

/** Bump when stored content changes its meaning: the index is then rebuilt. */
const FORMAT = 2;
