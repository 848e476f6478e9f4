import type { EventName } from './decider.ts';
import type { EventMetadata } from './event-metadata.ts';
import type { ValueName } from './unique-values.ts';

/** Returns the names under which the event that claimed these values is found. */
export const claimedNames = (claims: readonly ValueName[]): readonly EventName[] =>
  claims.length === 0 ? NONE : claims.map((key) => ({ kind: 'value', key }));

/**
 * Reads the claims in the metadata of an event; hardly any event has some. No value can be mistaken for the member,
 * because quotation marks inside a JSON string are escaped. The search leaves the first one out: it stops at every
 * character like the first.
 */
export const claimsIn = (metadata: string): readonly ValueName[] =>
  metadata.includes('claims":[') ? ((JSON.parse(metadata) as EventMetadata).claims ?? NONE) : NONE;

const NONE: readonly never[] = [];
