import type { Amount } from '#src/kernel/amount.ts';
import type { Revision } from '#src/kernel/ids.ts';
import type { Position } from './event-store.ts';
import type { ListPosition } from './page.ts';
import type { CollectionSpec, KeyValue, MetadataWish, Put, Remove, Set } from './read-store.ts';

/** An event as projections see it; its data is parsed once for all of them. */
export type Recorded<Data = unknown> = Readonly<{
  data: Data;
  /** The data as stored, for rows that keep it verbatim. */
  text: string;
  tenantId: string;
  revision: Revision;
  position: Position;
}>;

/** One change of one row; the projector adds the position. */
export type Write = Readonly<
  | { put: Put; set?: undefined; remove?: undefined; wish?: undefined }
  | { put?: undefined; set: Set; remove?: undefined; wish?: undefined }
  | { put?: undefined; set?: undefined; remove: Remove; wish?: undefined }
  /** About another collection. */
  | { put?: undefined; set?: undefined; remove?: undefined; wish: MetadataWish }
>;

/** What one event changes in a collection. Pure; a throw stops this projection and no other. */
export type Handler<Data = never> = (event: Recorded<Data>) => readonly Write[];

/** A read model: what is folded into it, by event type. Other types pass it by. */
export type Projection = Rows | Tally;

/** A row for each thing there is, its values absolute. */
export type Rows = Readonly<{
  collection: CollectionSpec;
  on: Readonly<Record<string, Handler>>;
}>;

/**
 * Sums over many things: rows whose one value, `sums`, is a JSON object of exact decimals by name. An event says what
 * it adds; the projector knows what there was. What comes to nothing has no name any more.
 */
export type Tally = Readonly<{
  collection: CollectionSpec;
  adds: Readonly<Record<string, Adder>>;
}>;

/** Pure; a throw stops this projection and no other. */
export type Adder<Data = never> = (event: Recorded<Data>) => readonly Addition[];

/** Keys and born are of the row, which comes to be with the first addition. */
export type Addition = Readonly<{
  id: string;
  born: ListPosition;
  keys: Readonly<Record<string, KeyValue>>;
  add: Readonly<Record<string, Amount>>;
}>;

/** The value that a row of a tally has. */
export const SUMS = { sums: 'text' } as const;
