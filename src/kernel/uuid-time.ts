import type { Uuid } from './ids.ts';
import type { Micros } from './instant.ts';

/** Returns the millisecond in a UUIDv7; undefined for another version, or a time that cannot be expressed exactly. */
export function uuidTime(id: Uuid): Micros | undefined {
  if (!V7.test(id)) return undefined;
  const at = 1000 * parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  return Number.isSafeInteger(at) ? (at as Micros) : undefined;
}

const V7 = /^.{14}7.{4}[89ab]/;

/** The ids that events can have: UUIDv7, until the year 2248. */
export const EVENT_ID_PATTERN =
  '^0[0-7][0-9a-f]{6}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$';
