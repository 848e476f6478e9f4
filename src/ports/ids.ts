import type { IdSource } from '#src/kernel/decider.ts';
import type { Uuid } from '#src/kernel/ids.ts';

export interface Ids extends IdSource {
  /** A new UUIDv7, greater than every one this source minted before. */
  next(): Uuid;
  /** A new UUIDv7 whose last 16 bits are zero: the id of an aggregate with parts (domain/ids.ts, partId). */
  nextWhole(): Uuid;
  /** The UUIDv5 of a name: always the same for the same arguments (RFC 9562 §5.5). */
  named(namespace: Uuid, name: string): Uuid;
}
