import type { Uuid } from '#src/kernel/ids.ts';
import type { Anchor } from './anchor.ts';
import type { Position } from './event-store.ts';
import type { ListPosition, Page, PageBounds } from './page.ts';

export type KeyType = 'text' | 'integer';
export type KeyValue = string | number | null;

/**
 * A collection of rows: typed key columns beside one JSON body. `values` are columns that change without the
 * body (a balance's amounts). `entries` are thin rows under which one row is also found, several times over
 * (a transaction under each account it touches); a listing over them returns the row and the ordinal.
 * `tenantId` is a key of every collection, and of no row null.
 */
export type CollectionSpec = Readonly<{
  name: string;
  /** Bump to rebuild the collection beside the old one, from the start of the log. */
  version: number;
  keys: Readonly<Record<string, KeyType>>;
  values?: Readonly<Record<string, KeyType>>;
  /** Each: equality keys that a listing filters by; listings walk them in `born` order. */
  indexes: readonly (readonly string[])[];
  /** Equality keys that name at most one row, each led by what it is unique within. */
  unique?: readonly (readonly string[])[];
  entries?: Readonly<{ key: string; facts: Readonly<Record<string, KeyType>> }>;
}>;

/** The keys that every listing is bound by. */
export const scopeOf = ({ indexes: [first = [], ...others] }: CollectionSpec): readonly string[] =>
  first.filter((key) => others.every((index) => index.includes(key)));

export type Put = Readonly<{
  id: string;
  born: ListPosition;
  keys: Readonly<Record<string, KeyValue>>;
  values?: Readonly<Record<string, KeyValue>>;
  /** JSON text. */
  body: string;
  entries?: readonly RowEntry[];
}>;

/**
 * One thin row: `at` is the value of the entries' key, `ordinal` the part of the row it stands for, 0 the row as a whole.
 * Rows born inside journals share an `at` only within one journal: two that entered at one place are one.
 */
export type RowEntry = Readonly<{
  at: string;
  ordinal: number;
  facts: Readonly<Record<string, KeyValue>>;
}>;

/** Absolute new values of some columns of a row that exists. */
export type Set = Readonly<{ id: string; values: Readonly<Record<string, KeyValue>> }>;

/**
 * A row goes, with its keys, values and entries, and never comes back: what remembers its id and position stays,
 * so that an older put that comes again, or a later one, does not show it.
 */
export type Remove = Readonly<{ id: string }>;

/**
 * What one batch of events changes in one collection, in order. A write whose position is not above the
 * row's own is skipped, so that applying a batch twice is harmless.
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
export type EntryRow = Row & Readonly<{ ordinal: number; entryBorn: ListPosition }>;

export type Condition =
  | Readonly<{ key: string; is: KeyValue }>
  | Readonly<{ key: string; in: readonly string[] }>
  | Readonly<{ key: string; prefix: string }>
  | Readonly<{ key: string; from?: string; to?: string }>
  /** Equality on one member of the body's `metadata`, compared as text. */
  | Readonly<{ metadata: string; is: string }>
  /**
   * The body, which is JSON, may hold a string with this text in it. Cheap, since no body is parsed for it: rows
   * without it need not be looked at, rows with it still have to be tested.
   */
  | Readonly<{ mentions: string }>;

export type Listing = Readonly<{
  /** Equality on the columns of one index of the spec: what the walk is bound to. */
  where: Readonly<Record<string, KeyValue>>;
  /** Further conditions a row must meet. */
  filters?: readonly Condition[];
  order: 'asc' | 'desc';
  /** Exclusive. */
  after?: ListPosition;
  /** Rows to leave out first (page-style lists). */
  skip?: number;
  limit: number;
}>;

/** `as`: the name of another way to show the rows than their collection's own. */
export type PageListing = Listing & PageBounds & Readonly<{ as?: string }>;

/** What a row is to the outside, as JSON text. Pure: it runs wherever rows are read. */
export type Renderer = (row: Row) => string;

/**
 * What an entry is to the outside, as JSON text; undefined when it is not what was `wanted`, null when nothing of its
 * list is. Pure, as Renderer.
 */
export type EntryRenderer = (row: EntryRow, wanted: unknown) => string | undefined | null;

/** How rows and entries are shown, by collection or by `as`. */
export type Renderers = Readonly<{
  rows: Readonly<Record<string, Renderer>>;
  entries: Readonly<Record<string, EntryRenderer>>;
}>;

/** Who waits for an answer. */
export interface Caller {
  /** Nobody waits any more: the connection is closed. */
  readonly gone: boolean;
}

/** A listing over `entries`: bound to one value of their key; filters may name facts or metadata. */
export type EntryListing = Omit<Listing, 'where'> & Readonly<{ at: string }>;

/**
 * One page over the entries under one value of their key, or under several whose entries stand in one journal, in the
 * order of `born`. `as` names how an entry is shown, and `wanted` is what that is asked for; with `sieves` it leaves
 * entries out.
 */
export type EntryPageListing = Omit<EntryListing, 'at' | 'skip'> &
  PageBounds &
  Readonly<{ at: readonly string[]; as: string; wanted?: unknown; sieves?: boolean }>;

export interface ReadStore {
  /** The log the rows were built from; undefined while empty. */
  readonly logId: Uuid | undefined;

  /** The row whose key columns (or `id`) equal these; they name one row at most. */
  get(
    collection: CollectionSpec,
    where: Readonly<Record<string, KeyValue>>,
  ): Promise<Row | undefined>;
  /** The rows of these ids whose key columns equal these, each once, in any order. Errors as list. */
  getAll(
    collection: CollectionSpec,
    ids: readonly string[],
    where: Readonly<Record<string, KeyValue>>,
  ): Promise<readonly Row[]>;
  /** Errors: TimeBudgetExceeded, Unavailable. */
  list(collection: CollectionSpec, listing: Listing): Promise<readonly Row[]>;
  /**
   * The same as one page, each row as it is shown; written where it is read, since a long one costs. A page has a
   * budget of time and bytes: when either is used up, it ends early and says where it stood (Page.cut). It ends when
   * its caller is gone, too.
   */
  page(collection: CollectionSpec, listing: PageListing, caller?: Caller): Promise<Page>;
  /** As `page`, over entries. */
  pageEntries(
    collection: CollectionSpec,
    listing: EntryPageListing,
    caller?: Caller,
  ): Promise<Page>;
  listEntries(collection: CollectionSpec, listing: EntryListing): Promise<readonly EntryRow[]>;

  close(): Promise<void>;
}

/** The writing side, owned by the projector alone. */
export interface ReadStoreWriter {
  /**
   * Makes the store ready for these collections of this log: creates what is missing, starts a shadow for a
   * collection whose version changed (readers keep the old rows until `swap`), forgets rows of another log.
   * Answers where each collection's events must be read from.
   */
  open(
    logId: Uuid,
    collections: readonly CollectionSpec[],
  ): Promise<ReadonlyMap<string, Readonly<{ checkpoint: Position; shadow: boolean }>>>;

  /** The last event of the log that each generation holds, those included that only readers still use. After `open`. */
  anchors(): Promise<readonly Anchor[]>;

  /** Forgets every row of every collection, and is to be opened again. */
  forget(): Promise<void>;

  /** Applies changes and moves checkpoints, all or nothing; a checkpoint never moves back. */
  apply(batch: readonly CollectionBatch[]): Promise<void>;

  /** The values of rows in the generation that is written, each with the position they are as of. Absent: no such row. */
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
   * Goes on for a moment with indexes on metadata: makes those that somebody wants and drops those that nobody does, in
   * every generation that is written. Answers whether anything is left to do. Filters find the same at any time.
   */
  indexMetadata(): Promise<boolean>;

  /** Makes a caught-up shadow the live collection, without a failed read. */
  swap(collection: string): Promise<void>;

  close(): Promise<void>;
}

/** Whether a tenant wants rows of a collection to be found by a member of their metadata without looking at others. */
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
  /** Of the event at the checkpoint (see Anchor); without it nothing confirms the rows at the next start. */
  hash?: string;
  /** One that is not above what is known of its collection, key and tenant is skipped. */
  wishes?: readonly (MetadataWish & Readonly<{ position: Position }>)[];
}>;
