import type { Uuid } from '#src/kernel/ids.ts';
import type { Anchor } from './anchor.ts';
import type { Position } from './event-store.ts';
import type { ListPosition, Page, PageBounds } from './page.ts';

/** The type of a column. An `instant` is an Instant, which a store may keep in any form that has the same order. */
export type KeyType = 'text' | 'integer' | 'instant';
export type KeyValue = string | number | null;

/**
 * A collection of rows: typed key columns and one JSON body. `values` are columns that change without the body (a
 * balance's amounts). `entries` are thin rows under which one row is found several times (a transaction under each
 * account it touches); a listing over them returns the row and the ordinal. `tenantId` is a key of every collection and
 * is never null.
 */
export type CollectionSpec = Readonly<{
  name: string;
  /** Increase it to rebuild the collection from the start of the log, while readers use the old rows. */
  version: number;
  keys: Readonly<Record<string, KeyType>>;
  values?: Readonly<Record<string, KeyType>>;
  /** Each index is a list of equality keys that a listing filters by; its rows are in `born` order. */
  indexes: readonly (readonly string[])[];
  /** Equality keys that identify at most one row; the first of each is the scope within which they are unique. */
  unique?: readonly (readonly string[])[];
  entries?: Readonly<{ key: string; facts: Readonly<Record<string, KeyType>> }>;
  /**
   * The body of a row is a pure function of the event that put it last (BodiesFromLog). A store that can read the log
   * keeps that event's position instead. Such a collection has no `values`, and keys whose names facts have as well never
   * change.
   */
  bodyFromLog?: true;
}>;

/** Returns, by collection, the body of a row from the data of the event that put it last, as stored. */
export type BodiesFromLog = Readonly<Record<string, (data: string) => string>>;

/** Returns the keys that every listing is bound by. */
export const scopeOf = ({ indexes: [first = [], ...others] }: CollectionSpec): readonly string[] =>
  first.filter((key) => others.every((index) => index.includes(key)));

export type Put = Readonly<{
  id: string;
  born: ListPosition;
  keys: Readonly<Record<string, KeyValue>>;
  values?: Readonly<Record<string, KeyValue>>;
  /** JSON text. */
  body: string;
  /** False only if the body has no metadata; known without making the body. */
  mentionsMetadata?: boolean;
  entries?: readonly RowEntry[];
}>;

/**
 * One thin row: `at` is the value of the entries' key, `ordinal` the part of the row that it stands for, 0 for the row
 * as a whole. Rows whose `born` is a place in a journal share an `at` only within one journal, because two with one
 * `born` would count as one.
 */
export type RowEntry = Readonly<{
  at: string;
  ordinal: number;
  facts: Readonly<Record<string, KeyValue>>;
}>;

/** New absolute values of some columns of an existing row. */
export type Set = Readonly<{ id: string; values: Readonly<Record<string, KeyValue>> }>;

/**
 * Removes a row for good, with its keys, values and entries. Its id and position are kept, so that neither an older put
 * that is repeated nor a later one restores it.
 */
export type Remove = Readonly<{ id: string }>;

/**
 * The changes that one batch of events makes in one collection, in order. A write whose position is not above that of
 * the row is skipped, so that applying a batch twice is harmless.
 */
export type Change = Readonly<
  { position: Position } & ({ put: Put } | { set: Set } | { remove: Remove })
>;

export type Row = Readonly<{
  id: string;
  born: ListPosition;
  values: Readonly<Record<string, KeyValue>>;
  body: string;
}>;
export type EntryRow = Row & EntryPlace;
type EntryPlace = Readonly<{ ordinal: number; entryBorn: ListPosition }>;

/**
 * A row as renderers see it. It has no id, which a store of short rows would have to spell out for nothing. A store that
 * reads bodies from the log also passes the data of the event; `body` is then made only when it is read.
 */
export type ShownRow = Omit<Row, 'id'> & Readonly<{ data?: string }>;

export type Condition =
  | Readonly<{ key: string; is: KeyValue }>
  | Readonly<{ key: string; in: readonly string[] }>
  | Readonly<{ key: string; prefix: string }>
  | Readonly<{ key: string; from?: string; to?: string }>
  /** Requires that one member of the body's `metadata` equals a value, compared as text. */
  | Readonly<{ metadata: string; is: string }>
  /**
   * Requires that a string in the JSON body may contain this text. This is cheap, because no body is parsed: rows
   * without it can be skipped, but rows with it still have to be tested.
   */
  | Readonly<{ mentions: string }>;

export type Listing = Readonly<{
  /** Equality on the columns of one index of the collection, which bounds the scan. */
  where: Readonly<Record<string, KeyValue>>;
  /** Further conditions that a row must meet. */
  filters?: readonly Condition[];
  order: 'asc' | 'desc';
  /** The position after which the listing begins, exclusive. */
  after?: ListPosition;
  /** The number of rows to skip first (for page-numbered lists). */
  skip?: number;
  limit: number;
}>;

/** A listing of one page; `as` names a renderer other than that of the collection. */
export type PageListing = Listing & PageBounds & Readonly<{ as?: string }>;

/** Renders a row as JSON text for clients. Pure: it runs in any thread that reads rows. */
export type Renderer = (row: ShownRow) => string;

/**
 * Renders an entry as JSON text for clients; returns undefined if it is not what was `wanted`, and null if nothing in
 * its list is. Pure, as Renderer.
 */
export type EntryRenderer = (
  row: ShownRow & EntryPlace,
  wanted: unknown,
) => string | undefined | null;

/** The renderers of rows and entries, by collection or by `as`. */
export type Renderers = Readonly<{
  rows: Readonly<Record<string, Renderer>>;
  entries: Readonly<Record<string, EntryRenderer>>;
}>;

/** The caller of a read. */
export interface Caller {
  /** The connection is closed, so no caller waits for the result. */
  readonly gone: boolean;
}

/** A listing over `entries` that is bound to one value of their key; filters may name facts or metadata. */
export type EntryListing = Omit<Listing, 'where'> & Readonly<{ at: string }>;

/**
 * One page over the entries with one value of their key, or with several whose entries are all in one journal, in
 * `born` order. `as` names the renderer and `wanted` is its argument; with `sieves`, the renderer leaves entries out.
 */
export type EntryPageListing = Omit<EntryListing, 'at' | 'skip'> &
  PageBounds &
  Readonly<{ at: readonly string[]; as: string; wanted?: unknown; sieves?: boolean }>;

export interface ReadStore {
  /** The log that the rows were built from; undefined while the store is empty. */
  readonly logId: Uuid | undefined;

  /** Returns the row with these key columns (or this `id`), which must identify at most one row. */
  get(
    collection: CollectionSpec,
    where: Readonly<Record<string, KeyValue>>,
  ): Promise<Row | undefined>;
  /** Returns the rows with these ids and key columns, each once, in any order. Errors: as for `list`. */
  getAll(
    collection: CollectionSpec,
    ids: readonly string[],
    where: Readonly<Record<string, KeyValue>>,
  ): Promise<readonly Row[]>;
  /** Returns the rows of a listing. Errors: TimeBudgetExceeded, Unavailable. */
  list(collection: CollectionSpec, listing: Listing): Promise<readonly Row[]>;
  /**
   * Returns one page of rendered rows, rendered where they are read, because transferring a long page is expensive. If
   * the budget of time or bytes is used up, the page ends early and says where it stopped (Page.cut). It also ends when
   * its caller is gone.
   */
  page(collection: CollectionSpec, listing: PageListing, caller?: Caller): Promise<Page>;
  /** Returns one page of rendered entries; otherwise like `page`. */
  pageEntries(
    collection: CollectionSpec,
    listing: EntryPageListing,
    caller?: Caller,
  ): Promise<Page>;
  listEntries(collection: CollectionSpec, listing: EntryListing): Promise<readonly EntryRow[]>;

  close(): Promise<void>;
}

/** The writing side of the read store, used only by the projector. */
export interface ReadStoreWriter {
  /**
   * Prepares the store for these collections of this log: creates what is missing, starts a shadow for a collection
   * whose version changed (readers keep the old rows until `swap`), and deletes rows of another log. Returns the
   * position from which the events of each collection must be read.
   */
  open(
    logId: Uuid,
    collections: readonly CollectionSpec[],
  ): Promise<ReadonlyMap<string, Readonly<{ checkpoint: Position; shadow: boolean }>>>;

  /**
   * Returns the last event that each generation holds, including generations that only readers still use. Call it after
   * `open`.
   */
  anchors(): Promise<readonly Anchor[]>;

  /** Deletes every row of every collection; the store must then be opened again. */
  forget(): Promise<void>;

  /** Applies changes and moves checkpoints atomically; a checkpoint never moves back. */
  apply(batch: readonly CollectionBatch[]): Promise<void>;

  /**
   * Returns the values of rows in the generation that is written, each with its position. Rows that do not exist are
   * left out.
   */
  current(
    collection: string,
    ids: readonly string[],
  ): Promise<
    ReadonlyMap<
      string,
      Readonly<{ position: Position; values: Readonly<Record<string, KeyValue>> }>
    >
  >;

  /**
   * Continues for a moment to build indexes on metadata that were requested and to drop those that no longer are, in
   * every generation that is written. Returns whether work is left. Filters find the same rows at any time.
   */
  indexMetadata(): Promise<boolean>;

  /** Makes a shadow that has caught up the live collection; no read fails meanwhile. */
  swap(collection: string): Promise<void>;

  close(): Promise<void>;
}

/** A tenant's request to create or drop an index on a member of metadata, so that filters by it need no scan. */
export type MetadataWish = Readonly<{
  collection: string;
  key: string;
  tenantId: string;
  wanted: boolean;
}>;

export type CollectionBatch = Readonly<{
  collection: string;
  changes: readonly Change[];
  checkpoint: Position;
  /**
   * The hash of the event at the checkpoint (see Anchor); without it, the rows cannot be confirmed at the next start.
   */
  hash?: string;
  /** A wish whose position is not above the last one of its collection, key and tenant is skipped. */
  wishes?: readonly (MetadataWish & Readonly<{ position: Position }>)[];
}>;
