import type { Revision } from '#src/domain/ids.ts';
import type { Position } from './event-store.ts';
import type { CollectionSpec, Put, Remove, Set } from './read-store.ts';

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
  | { put: Put; set?: undefined; remove?: undefined }
  | { put?: undefined; set: Set; remove?: undefined }
  | { put?: undefined; set?: undefined; remove: Remove }
>;

/** What one event changes in a collection. Pure; a throw stops this projection and no other. */
export type Handler<Data = never> = (event: Recorded<Data>) => readonly Write[];

/** A read model: its collection, and what each event type changes in it. Other types pass it by. */
export type Projection = Readonly<{
  collection: CollectionSpec;
  on: Readonly<Record<string, Handler>>;
}>;
