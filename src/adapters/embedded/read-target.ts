import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { Position } from '#src/ports/event-store.ts';
import { START } from '#src/ports/event-store.ts';
import type { ListPosition } from '#src/ports/page.ts';
import type { Change, RowEntry, KeyValue, Put, Set } from '#src/ports/read-store.ts';
import { BoundedCache } from './bounded-cache.ts';
import type { Generation } from './read-catalog.ts';
import type { Dictionary } from './read-dictionary.ts';
import { encodeValue } from './read-encoding.ts';
import type { LoggedBodies } from './logged-bodies.ts';
import {
  born as bound,
  isInternedFact,
  isSharedFact,
  NO_FACT,
  type Layout,
} from './read-layout.ts';
import { MetadataRows } from './read-metadata.ts';
import { LogBackedRows } from './log-backed-rows.ts';
import { wholeRows, type RowTable } from './read-rows.ts';
import { prepareTarget, type TargetStatements } from './read-statements.ts';
import { prepareQuery } from './sqlite.ts';

type RowKeyValues = Readonly<Record<string, KeyValue>>;
type PendingSet = { position: Position; values: RowKeyValues };
/** Entries that came after their row: [at, ordinal, born]. */
type Later = [at: string, ordinal: number, born: ListPosition][];

/**
 * The generation that receives a collection's changes, with its prepared statements. It must be recreated after a
 * failed transaction, because it remembers what was written.
 */
export class EmbeddedReadTarget {
  readonly generation: Generation;
  readonly #layout: Layout;
  readonly #numberOf: Dictionary;
  readonly #sql: TargetStatements;
  readonly #rows: RowTable;
  readonly #columns: StoredColumns;
  readonly #recentNumbers = new Map<KeyValue, number>();
  readonly #metadata: MetadataRows;
  readonly #rowOf = new BoundedCache<string, number>(ROWS_REMEMBERED);
  #applied: Position;
  #segment: number;
  #inSegment: number;
  #recent: number;

  /** `bodies` are those that a log-backed generation does not store. */
  constructor(
    db: DatabaseSync,
    generation: Generation,
    { dictionary, bodies }: Readonly<{ dictionary: Dictionary; bodies: LoggedBodies | undefined }>,
  ) {
    const { layout } = generation;
    this.generation = generation;
    this.#layout = layout;
    this.#numberOf = dictionary;
    this.#sql = prepareTarget(db, layout);
    this.#columns = storedColumns(layout);
    this.#rows = layout.logBacked ? new LogBackedRows(db, layout) : wholeRows(db, layout);
    this.#metadata = new MetadataRows(db, generation.n, layout, bodies);
    this.#applied = generation.applied;
    const count = (sql: string, ...values: SQLInputValue[]) =>
      prepareQuery<[number]>(db, sql).get(...values)?.[0] ?? 0;
    this.#segment = count(`SELECT max(segment) FROM ${layout.segments}`);
    const inSegment = `SELECT count(*) FROM ${layout.entries} WHERE segment = ?`;
    this.#inSegment = this.#segment === 0 ? SEGMENT_ENTRIES : count(inSegment, this.#segment);
    this.#recent = count(`SELECT count(*) FROM ${layout.recent}`);
  }

  /**
   * Applies changes in order, skipping those not above the previous position of their row. Sets of some columns become one
   * write of the row, which is done before a put of that row.
   */
  apply(changes: readonly Change[], checkpoint: Position, hash = ''): void {
    const sets = new Map<string, PendingSet>();
    const isNew = this.#guard();
    let applied = this.#applied;
    for (const change of changes) {
      if (change.position > applied) applied = change.position;
      if ('set' in change) {
        const { id, values } = change.set;
        if (!isNew(id, change.position)) continue;
        if (sets.size > 0 || !this.#isWhole(values)) collect(sets, change.set, change.position);
        else this.#setWhole(id, change.position, values);
      } else if ('remove' in change) {
        const { id } = change.remove;
        if (isNew(id, change.position)) this.#remove(sets, id, change.position);
      } else if (isNew(change.put.id, change.position)) {
        this.#flush(sets, change.put.id);
        this.#put(change.put, change.position);
      }
    }
    for (const [id, set] of sets) this.#set(id, set);
    this.#rows.flush();
    this.#sql.insertEntries.flush();
    this.#sql.insertRecent.flush();
    if (this.#recent >= RECENT_ROWS) this.#settle();
    this.#sql.progress.run(checkpoint, hash, applied, this.generation.n);
    this.#applied = applied;
  }

  /** Returns the positions and values of those rows that exist. */
  current(ids: readonly string[]): Map<string, { position: Position; values: RowKeyValues }> {
    const found = new Map<string, { position: Position; values: RowKeyValues }>();
    for (const id of ids) {
      const row = this.#rowOf.get(id) ?? this.#find(id);
      const position = row === NO_ROW ? undefined : this.#rows.position(id);
      if (position !== undefined) found.set(id, { position, values: this.#current(row) });
    }
    return found;
  }

  /** Advances the indexes on metadata; returns true if work remains. */
  indexMetadata(): boolean {
    return this.#metadata.step();
  }

  /** Skips reading the row for a change above everything applied so far: repeated changes are the exception. */
  #guard(): (id: string, position: Position) => boolean {
    const applied = this.#applied;
    const before = new Map<string, Position>();
    return (id, position) => {
      if (position > applied) return true;
      const last = before.get(id) ?? this.#rows.position(id) ?? START;
      before.set(id, last);
      return position > last;
    };
  }

  #put(put: Put, position: Position): void {
    const { spec } = this.#layout;
    const keys: KeyValue[] = [];
    for (const { name, type, isInterned } of this.#columns.keys) {
      const value = put.keys[name] ?? null;
      keys.push(isInterned ? this.#internedNumber(value) : encodeValue(this.#layout, type, value));
    }
    const row = this.#rows.insert(put, position, keys);
    if (row === undefined) {
      this.#replace(put, position, keys);
      return;
    }
    this.#metadata.enter(row, put.born, keys, put);
    for (const entry of put.entries ?? []) {
      this.#enter(row, entryBorn(put.born, entry.ordinal), put, entry);
    }
    if (spec.values === undefined) return;
    this.#sql.insertSettled.run(row, position, ...this.#valuesOf(put.values ?? {}));
    this.#rowOf.set(put.id, row);
  }

  /** Replaces a row; it keeps its `born`, and so does each existing entry. */
  #replace(put: Put, position: Position, keys: readonly KeyValue[]): void {
    this.#sql.insertEntries.flush(); // Some of them may be this row's.
    const { row, born, later: laterText, removed } = this.#rows.find(put.id)!;
    if (removed) return;
    const later = laterText === null ? [] : (JSON.parse(laterText) as Later);
    for (const entry of put.entries ?? []) {
      const { at, ordinal } = entry;
      if (this.#updateFacts(row, entryBorn(born, ordinal), put, entry)) continue;
      const known = later.find(([a, o]) => a === at && o === ordinal);
      if (known !== undefined) {
        this.#updateFacts(row, known[2], put, entry);
        continue;
      }
      const place = entryBorn(put.born, ordinal);
      later.push([at, ordinal, place]);
      this.#enter(row, place, put, entry);
    }
    const laterNow = later.length === 0 ? null : JSON.stringify(later);
    this.#rows.replace(row, put, { position, later: laterNow, keys });
    this.#metadata.leave(row);
    this.#metadata.enter(row, born, keys, put);
    if (put.values !== undefined) this.#set(put.id, { position, values: put.values });
  }

  #remove(sets: Map<string, PendingSet>, id: string, position: Position): void {
    sets.delete(id);
    this.#rows.bury(id, position);
    this.#rowOf.set(id, NO_ROW);
    const { row } = this.#rows.find(id)!;
    this.#sql.insertRecent.flush(); // Some of the buffered ones may be this row's.
    this.#sql.unrecent.run(row);
    this.#sql.unsettle.run(row);
    this.#metadata.leave(row);
    if (this.#layout.spec.entries === undefined) return;
    this.#sql.insertEntries.flush();
    this.#sql.deleteEntries.run(row);
  }

  #enter(row: number, born: ListPosition, put: Put, entry: RowEntry): void {
    if (this.#inSegment >= SEGMENT_ENTRIES) {
      this.#segment += 1;
      this.#inSegment = 0;
      this.#sql.insertSegment.run(this.#segment);
    }
    this.#inSegment += 1;
    const at = this.#numberOf(entry.at);
    const columns = [this.#segment, at, bound(born), entry.ordinal, row];
    this.#pushFacts(columns, put, entry);
    this.#sql.insertEntries.add(columns);
  }

  /** Updates the facts of an existing entry; returns false if there is none. */
  #updateFacts(row: number, born: ListPosition, put: Put, entry: RowEntry): boolean {
    const at = this.#numberOf(entry.at);
    const found = this.#sql.findEntry.get(at, bound(born), row);
    if (found === undefined) return false;
    const facts: SQLInputValue[] = [];
    this.#pushFacts(facts, put, entry);
    if (facts.length > 0) this.#sql.updateEntry.run(...facts, found[0], at, bound(born));
    return true;
  }

  #pushFacts(stored: SQLInputValue[], put: Put, { facts }: RowEntry): void {
    for (const { name, type, isInterned, isShared } of this.#columns.facts) {
      const value = facts[name] ?? null;
      if (isShared && value === put.keys[name]) stored.push(null);
      else if (isShared && value === null) stored.push(NO_FACT);
      else if (isInterned) stored.push(this.#internedNumber(value));
      else stored.push(encodeValue(this.#layout, type, value));
    }
  }

  /** Returns the number of a text. Most come again soon, and are found faster than among all of the dictionary. */
  #internedNumber(text: KeyValue): number | null {
    if (text === null) return null;
    let number = this.#recentNumbers.get(text);
    if (number === undefined) {
      number = this.#numberOf(text);
      if (this.#recentNumbers.size >= NUMBERS_AT_HAND) this.#recentNumbers.clear();
      this.#recentNumbers.set(text, number);
    }
    return number;
  }

  #flush(sets: Map<string, PendingSet>, id: string): void {
    if (sets.size === 0) return; // Looking up a new string is not cheap.
    const set = sets.get(id);
    if (set === undefined) return;
    sets.delete(id);
    this.#set(id, set);
    this.#sql.insertRecent.flush();
  }

  #set(id: string, { position, values }: PendingSet): void {
    if (this.#isWhole(values)) {
      this.#setWhole(id, position, values);
      return;
    }
    const row = this.#rowNumber(id);
    if (row === NO_ROW) return;
    this.#setWhole(id, position, { ...this.#current(row), ...values });
  }

  #setWhole(id: string, position: Position, values: RowKeyValues): void {
    const row = this.#rowNumber(id);
    if (row === NO_ROW) return; // A set changes only existing rows.
    const columns: KeyValue[] = [row, position];
    for (const name of this.#layout.values) columns.push(values[name] ?? null);
    this.#sql.insertRecent.add(columns);
    this.#recent += 1;
  }

  #isWhole(values: RowKeyValues): boolean {
    for (const name of this.#layout.values) if (values[name] === undefined) return false;
    return true;
  }

  #rowNumber(id: string): number {
    const known = this.#rowOf.get(id);
    if (known !== undefined) return known;
    const found = this.#find(id);
    if (found !== NO_ROW) this.#rowOf.set(id, found);
    return found;
  }

  #find(id: string): number {
    const found = this.#rows.find(id);
    return found === undefined || found.removed ? NO_ROW : found.row;
  }

  #current(row: number): RowKeyValues {
    this.#sql.insertRecent.flush();
    const found = this.#sql.recent.get(row) ?? this.#sql.settled.get(row) ?? [];
    return Object.fromEntries(this.#layout.values.map((name, i) => [name, found[i] ?? null]));
  }

  #valuesOf(values: RowKeyValues): KeyValue[] {
    return this.#layout.values.map((name) => values[name] ?? null);
  }

  #settle(): void {
    this.#sql.settle.run();
    this.#sql.clearRecent.run();
    this.#recent = 0;
  }
}

function collect(sets: Map<string, PendingSet>, { id, values }: Set, position: Position): void {
  const earlier = sets.get(id);
  if (earlier === undefined) {
    sets.set(id, { position, values });
  } else {
    earlier.position = position;
    earlier.values = { ...earlier.values, ...values };
  }
}

/**
 * Returns an entry's place among those of its key: the position of the event that added it, then its ordinal. In
 * position texts, '.' sorts before any character that could continue a longer one.
 */
function entryBorn(born: ListPosition, ordinal: number): ListPosition {
  return typeof born === 'number'
    ? born + ordinal
    : `${born}.${ordinal.toString(16).padStart(4, '0')}`;
}

type StoredColumns = ReturnType<typeof storedColumns>;

/** Describes how the columns of keys and facts are stored. */
const storedColumns = (layout: Layout) => ({
  keys: layout.keys.map((name) => ({
    name,
    type: layout.spec.keys[name],
    isInterned: layout.interned.has(name),
  })),
  facts: layout.facts.map((name) => ({
    name,
    type: layout.spec.entries?.facts[name],
    isInterned: isInternedFact(layout, name),
    isShared: isSharedFact(layout, name),
  })),
});

/** SQLite counts rows from 1. */
const NO_ROW = 0;
const ROWS_REMEMBERED = 250_000;
const NUMBERS_AT_HAND = 1000;
/** About 1 MB of thin rows: a batch rewrites every page it touches there. */
const SEGMENT_ENTRIES = 16_384;
/** Rows moved at once, in some 20 ms. */
const RECENT_ROWS = 16_384;
