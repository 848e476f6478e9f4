import type { Uuid } from '#src/kernel/ids.ts';
import { START, type Position } from '#src/ports/event-store.ts';
import type {
  Change,
  CollectionSpec,
  Condition,
  EntryRow,
  KeyValue,
  Put,
  ReadStore,
  ReadStoreWriter,
  Row,
  Renderers,
} from '#src/ports/read-store.ts';
import {
  type ListPosition,
  pageOfWalk,
  PageSize,
  type PageItem,
  type Walked,
} from '#src/ports/page.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';

/** What both sides share. It outlives them, as a file would. */
export type ReadMemory = { logId: Uuid | undefined; collections: Map<string, Collection> };

export const createReadMemory = (): ReadMemory => ({ logId: undefined, collections: new Map() });

type Values = Readonly<Record<string, KeyValue>>;
type StoredEntry = Readonly<{ at: string; ordinal: number; born: ListPosition; facts: Values }>;
type StoredRow = Row &
  Readonly<{
    position: Position;
    keys: Values;
    entries: readonly StoredEntry[];
    /** Nothing else is left of it. */
    removed?: true;
  }>;
type Generation = {
  spec: CollectionSpec;
  checkpoint: Position;
  hash: string;
  rows: Map<string, StoredRow>;
};
type Collection = { live: Generation; shadow: Generation | undefined };

/** Rows in maps, for tests and the simulator: every listing sorts what matches. */
export function memoryReadStore(
  memory: ReadMemory,
  scheduler: Scheduler,
  renderers: Renderers = NO_RENDERERS,
  pageBytes?: number,
): ReadStore {
  const rowsOf = ({ name }: CollectionSpec) =>
    [...(memory.collections.get(name)?.live.rows.values() ?? [])].filter(({ removed }) => !removed);
  return {
    get logId() {
      return memory.logId;
    },

    async get(spec, where) {
      await scheduler.yield();
      checkNamesOne(spec, where);
      const found = rowsOf(spec).find(
        (row) => (where['id'] ?? row.id) === row.id && agrees({ id: row.id, ...row.keys }, where),
      );
      return found && shown(found);
    },

    async getAll(spec, ids, where) {
      await scheduler.yield();
      const wanted = new Set(ids);
      return rowsOf(spec)
        .filter(({ id, keys }) => wanted.has(id) && agrees({ id, ...keys }, where))
        .map(shown);
    },

    async list(spec, listing) {
      await scheduler.yield();
      checkIndexed(spec, listing.where);
      const found = rowsOf(spec).filter(({ keys, body }) => {
        return agrees(keys, listing.where) && meets(keys, body, listing.filters);
      });
      return slice(found, ({ born }) => born, listing).map(shown);
    },

    async page(spec, listing) {
      const rows = await this.list(spec, { ...listing, limit: listing.limit + 1 });
      const show = renderers.rows[listing.as ?? spec.name] ?? bodyOf;
      const items = rows.map((row) => ({ born: row.born, text: show(row) }));
      return pageOfWalk(withinBytes(items, pageBytes), listing);
    },

    async pageEntries(spec, { at, as, wanted, limit, ...listing }) {
      const show = renderers.entries[as] ?? renderers.rows[as] ?? bodyOf;
      const lists = at.map((one) =>
        this.listEntries(spec, { ...listing, at: one, limit: Infinity }),
      );
      const sign = listing.order === 'asc' ? 1 : -1;
      const rows = (await Promise.all(lists))
        .flat()
        .sort((a, b) => (a.entryBorn < b.entryBorn ? -sign : sign));
      const items: PageItem[] = [];
      for (const row of rows) {
        const text = show(row, wanted);
        if (text === null) break;
        if (text !== undefined) items.push({ born: row.entryBorn, text });
      }
      return pageOfWalk(withinBytes(items.slice(0, limit + 1), pageBytes), { ...listing, limit });
    },

    async listEntries(spec, listing) {
      await scheduler.yield();
      const found = rowsOf(spec).flatMap((row) => {
        const mine = row.entries.filter(({ at, facts }) => {
          return at === listing.at && meets({ ...row.keys, ...facts }, row.body, listing.filters);
        });
        return mine.map(({ ordinal, born }): EntryRow => {
          return { ...shown(row), ordinal, entryBorn: born };
        });
      });
      return slice(found, ({ entryBorn }) => entryBorn, listing);
    },

    close: async () => {},
  };
}

const bodyOf = ({ body }: Row): string => body;
const NO_RENDERERS: Renderers = { rows: {}, entries: {} };

function withinBytes(items: readonly PageItem[], pageBytes?: number): Walked<PageItem> {
  const size = new PageSize(pageBytes);
  for (const n of items.keys()) {
    const found = items.slice(0, n + 1);
    if (!size.isFull(found) || found.length === items.length) continue;
    return { found, ended: { cut: 'bytes', reached: items[n]!.born } };
  }
  return { found: items };
}

export function memoryReadStoreWriter(memory: ReadMemory, scheduler: Scheduler): ReadStoreWriter {
  const writing = new Map<string, Generation>();
  return {
    async open(logId, collections) {
      await scheduler.yield();
      if (memory.logId !== logId) memory.collections.clear();
      memory.logId = logId;
      return new Map(
        collections.map((spec) => {
          const { generation, shadow } = choose(memory, spec);
          writing.set(spec.name, generation);
          return [spec.name, { checkpoint: generation.checkpoint, shadow }];
        }),
      );
    },

    async anchors() {
      return [...memory.collections.values()].flatMap(({ live, shadow }) =>
        [live, ...(shadow ? [shadow] : [])].map(({ checkpoint: position, hash }) => {
          return { position, hash };
        }),
      );
    },

    async forget() {
      memory.collections.clear();
      writing.clear();
    },

    async apply(batch) {
      await scheduler.yield();
      const targets = batch.map(({ collection }) => {
        const target = writing.get(collection);
        if (target === undefined) throw new Error(`Collection ${collection} was not opened`);
        return target;
      });
      for (const [i, { changes, checkpoint, hash = '' }] of batch.entries()) {
        const target = targets[i]!;
        applyAll(target, changes);
        if (checkpoint <= target.checkpoint) continue;
        target.checkpoint = checkpoint;
        target.hash = hash;
      }
    },

    async current(collection, ids) {
      await scheduler.yield();
      const rows = writing.get(collection)?.rows;
      const found = ids.flatMap((id) => {
        const row = rows?.get(id);
        return row === undefined || row.removed ? [] : [[id, row] as const];
      });
      return new Map(found);
    },

    /** Every listing looks at every row: there is nothing to make faster. */
    async indexMetadata() {
      await scheduler.yield();
      return false;
    },

    async swap(name) {
      await scheduler.yield();
      const collection = memory.collections.get(name);
      if (collection?.shadow === undefined) throw new Error(`${name} has no shadow to swap`);
      memory.collections.set(name, { live: collection.shadow, shadow: undefined });
    },

    close: async () => {},
  };
}

function choose({ collections }: ReadMemory, spec: CollectionSpec) {
  const isCurrent = (other: Generation) => specText(other.spec) === specText(spec);
  const fresh = (): Generation => ({ spec, checkpoint: START, hash: '', rows: new Map() });
  const collection = collections.get(spec.name) ?? { live: fresh(), shadow: undefined };
  collections.set(spec.name, collection);
  if (isCurrent(collection.live)) {
    collection.shadow = undefined;
    return { generation: collection.live, shadow: false };
  }
  if (collection.shadow === undefined || !isCurrent(collection.shadow)) collection.shadow = fresh();
  return { generation: collection.shadow, shadow: true };
}

/** Within a batch changes follow each other; what a row had before the batch decides which are new. */
function applyAll({ spec, rows }: Generation, changes: readonly Change[]): void {
  const unset = Object.fromEntries(Object.keys(spec.values ?? {}).map((name) => [name, null]));
  const before = new Map<string, Position>();
  for (const change of changes) {
    const { id } = 'put' in change ? change.put : 'set' in change ? change.set : change.remove;
    const row = rows.get(id);
    const last = before.get(id) ?? row?.position ?? START;
    before.set(id, last);
    if (change.position <= last || row?.removed) continue;
    if ('remove' in change) {
      rows.set(id, tombstone(id, change.position));
    } else if ('put' in change) {
      rows.set(id, placed(row, change.put, change.position, unset));
    } else if (row !== undefined) {
      const values = { ...row.values, ...change.set.values };
      rows.set(id, { ...row, values, position: change.position });
    }
  }
}

const tombstone = (id: string, position: Position): StoredRow => ({
  id,
  born: 0,
  position,
  keys: {},
  values: {},
  body: '',
  entries: [],
  removed: true,
});

/** A row keeps the place where it was born, and so does each entry it had already. */
function placed(
  row: StoredRow | undefined,
  put: Put,
  position: Position,
  unset: Values,
): StoredRow {
  const { id, keys, body } = put;
  const mine = (put.entries ?? []).map(({ at, ordinal, facts }): StoredEntry => {
    const known = row?.entries.find((entry) => entry.at === at && entry.ordinal === ordinal);
    return { at, ordinal, facts, born: known?.born ?? entryBorn(put.born, ordinal) };
  });
  const others = (row?.entries ?? []).filter(
    (entry) => !mine.some(({ at, ordinal }) => entry.at === at && entry.ordinal === ordinal),
  );
  const values = { ...(row?.values ?? unset), ...put.values };
  const entries = [...others, ...mine];
  return { id, born: row?.born ?? put.born, position, keys, values, body, entries };
}

const entryBorn = (born: ListPosition, ordinal: number): ListPosition =>
  typeof born === 'number' ? born + ordinal : `${born}.${ordinal.toString(16).padStart(4, '0')}`;

const shown = ({ id, born, values, body }: Row): Row => ({ id, born, values, body });

function slice<Found>(
  found: readonly Found[],
  bornOf: (row: Found) => ListPosition,
  {
    order,
    after,
    skip = 0,
    limit,
  }: { order: string; after?: ListPosition; skip?: number; limit: number },
): Found[] {
  const sign = order === 'asc' ? 1 : -1;
  const compare = (a: ListPosition, b: ListPosition) => (a === b ? 0 : (a < b ? -1 : 1) * sign);
  return found
    .filter((row) => after === undefined || compare(bornOf(row), after) > 0)
    .sort((a, b) => compare(bornOf(a), bornOf(b)))
    .slice(skip, skip + limit);
}

function meets(columns: Values, body: string, filters: readonly Condition[] = []): boolean {
  return filters.every((filter) => {
    if ('metadata' in filter) return metadataIs(body, filter.metadata, filter.is);
    if ('mentions' in filter) return body.includes(filter.mentions) || body.includes('\\');
    const value = columns[filter.key] ?? null;
    if ('is' in filter) return value === filter.is;
    if (typeof value !== 'string') return false;
    if ('in' in filter) return filter.in.includes(value);
    if ('prefix' in filter) return value.startsWith(filter.prefix);
    return value >= (filter.from ?? value) && value <= (filter.to ?? value);
  });
}

function metadataIs(body: string, key: string, is: string): boolean {
  const found = (JSON.parse(body) as { metadata?: Record<string, unknown> | null }).metadata ?? {};
  if (!Object.hasOwn(found, key)) return false;
  return (typeof found[key] === 'string' ? found[key] : JSON.stringify(found[key])) === is;
}

const agrees = (columns: Values, where: Values) =>
  Object.entries(where).every(([name, value]) => (columns[name] ?? null) === value);

function checkNamesOne({ name, unique = [] }: CollectionSpec, where: Values): void {
  if ('id' in where || unique.some((keys) => keys.every((key) => key in where))) return;
  throw new Error(`${Object.keys(where).join(', ')} do not name one row of ${name}`);
}

function checkIndexed({ name, indexes }: CollectionSpec, where: Values): void {
  const names = Object.keys(where).sort().join(', ');
  if (indexes.some((keys) => [...keys].sort().join(', ') === names)) return;
  throw new Error(`${name} has no index on ${names}`);
}

const specText = ({ name, version, keys, values, indexes, unique, entries }: CollectionSpec) =>
  JSON.stringify({ name, version, keys, values, indexes, unique, entries });
