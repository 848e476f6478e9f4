import type { IdSource } from '#src/kernel/decider.ts';
import type { Uuid } from '#src/kernel/ids.ts';

export interface Ids extends IdSource {
  /** Returns a new UUIDv7, greater than every earlier one of this source. */
  next(): Uuid;
  /** Returns a new UUIDv7 whose last 16 bits are zero, for an aggregate with parts (domain/ids.ts, partId). */
  nextWhole(): Uuid;
  /** Returns the UUIDv5 of a name, the same for the same arguments (RFC 9562 §5.5). */
  named(namespace: Uuid, name: string): Uuid;
}
