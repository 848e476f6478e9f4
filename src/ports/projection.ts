import type { Amount } from '#src/kernel/amount.ts';
import type { Revision } from '#src/kernel/ids.ts';
import type { Position } from './event-store.ts';
import type { ListPosition } from './page.ts';
import type {
  BodiesFromLog,
  CollectionSpec,
  KeyValue,
  MetadataWish,
  Put,
  Remove,
  Set,
} from './read-store.ts';

/** An event as projections see it; its data is parsed once for all of them. */
export type Recorded<Data = unknown> = Readonly<{
  data: Data;
  /** The data as stored, for rows that keep it verbatim. */
  text: string;
  tenantId: string;
  revision: Revision;
  position: Position;
}>;

/** One change of one row; the projector adds the position of the event. */
export type Write = Readonly<
  | { put: Put; set?: undefined; remove?: undefined; wish?: undefined }
  | { put?: undefined; set: Set; remove?: undefined; wish?: undefined }
  | { put?: undefined; set?: undefined; remove: Remove; wish?: undefined }
  /** Requests an index on metadata for another collection. */
  | { put?: undefined; set?: undefined; remove?: undefined; wish: MetadataWish }
>;

/** Returns the changes that one event makes in a collection. Pure; if it throws, only this projection stops. */
export type Handler<Data = never> = (event: Recorded<Data>) => readonly Write[];

/** A read model: the events that are folded into it, by type. It ignores other types. */
export type Projection = Rows | Tally;

/** A projection with one row for each thing, whose values are absolute. */
export type Rows = Readonly<{
  collection: CollectionSpec;
  on: Readonly<Record<string, Handler>>;
  /** The body that every handler puts, for a collection whose bodies may be read from the log. */
  bodyOf?: BodiesFromLog[string];
}>;

/**
 * A projection of sums over many things. The one value of its rows, `sums`, is a JSON object of exact decimals by name.
 * An event contributes amounts to add; the projector knows the previous sums. A sum that becomes zero is removed.
 */
export type Tally = Readonly<{
  collection: CollectionSpec;
  adds: Readonly<Record<string, Adder>>;
}>;

/** Returns the amounts that one event adds. Pure; if it throws, only this projection stops. */
export type Adder<Data = never> = (event: Recorded<Data>) => readonly Addition[];

/** An amount to add. Its keys and `born` are those of the row, which the first addition creates. */
export type Addition = Readonly<{
  id: string;
  born: ListPosition;
  keys: Readonly<Record<string, KeyValue>>;
  add: readonly Sum[];
}>;

/** An amount and the name of the sum that it is added to. */
export type Sum = readonly [name: string, amount: Amount];

/** The value columns of a row of a tally. */
export const SUMS = { sums: 'text' } as const;
