import type { Decision } from './decider.ts';
import { KEYS_MAX, tooManyKeys } from './free-keys.ts';
import type { Instant } from './instant.ts';

/** Free-form data by key. */
type MetadataValues<Value> = Readonly<Record<string, Value>>;
type Scalar = string | number | boolean;

/** A null value removes its key; null as a whole removes all keys. */
export type MetadataChanges<Value = Scalar> = MetadataValues<Value | null> | null;

type StatusValue = Readonly<{ code: string; description: string | null }>;

/** A status as it is sent on update; the description is replaced in any case. */
export type StatusChanges = Readonly<{ code?: string | undefined; description: string | null }>;

/** A record after a change, with the names of the members that differ. */
export type Patched<Record_> = Readonly<{ record: Record_; changed: readonly string[] }>;

/**
 * Sets the named members of a record; `undefined` removes one. `updatedAt` is set only if a value differs.
 */
export function patched<Record_ extends Readonly<{ updatedAt?: Instant }>>(
  before: Record_,
  changes: { readonly [Member in keyof Record_]?: Record_[Member] | undefined },
  at: Instant,
): Patched<Record_> {
  const members = Object.keys(changes) as (keyof Record_ & string)[];
  const changed = members.filter((member) => !isSame(changes[member], before[member]));
  if (changed.length === 0) return { record: before, changed };
  const after = Object.entries<unknown>({ ...before, ...changes }).filter(
    ([, value]) => value !== undefined,
  );
  return { record: { ...(Object.fromEntries(after) as Record_), updatedAt: at }, changed };
}

/** Returns the event, or the unchanged image if the change has no effect. */
export const ifChanged = <Type extends string, Data extends Changes>(
  event: Readonly<{ type: Type; data: Data }>,
): Decision<Readonly<{ type: Type; data: Data }>> =>
  event.data.changed.length === 0 ? { unchanged: event } : [event];

type Changes = Readonly<{ changed: readonly string[] }>;

/** Returns whether two values of a record are equal, whatever the order of their members. */
function isSame(a: unknown, b: unknown): boolean {
  if (!isObject(a) || !isObject(b)) return a === b;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSame(a[name], b[name]))
  );
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Returns a status after a PATCH: without a code, the stored one stays (contract ledger §1.4). */
export const patchedStatus = (
  before: StatusValue,
  changes: StatusChanges | undefined,
): StatusValue =>
  changes === undefined
    ? before
    : { code: changes.code ?? before.code, description: changes.description };

/**
 * Returns metadata after a PATCH of any record but an asset (contract ledger §1.5); undefined if no key is left. A record
 * that already has more keys than the limit may keep as many. Errors: TOO_MANY_KEYS.
 */
export function mergedMetadata<Value = Scalar>(
  before: MetadataValues<Value> | undefined,
  changes: MetadataChanges<Value> | undefined,
): MetadataValues<Value> | undefined {
  if (changes === undefined) return before;
  if (changes === null) return undefined;
  const after = replacedMetadata({ ...before, ...changes });
  const keys = countOf(after);
  if (keys > KEYS_MAX && keys > countOf(before)) throw tooManyKeys('The merged metadata');
  return after;
}

/** Returns metadata after a PATCH of an asset, which replaces all of it. */
export function replacedMetadata<Value = Scalar>(
  changes: MetadataChanges<Value>,
): MetadataValues<Value> | undefined {
  const kept = Object.entries(changes ?? {}).filter(([, value]) => value !== null);
  return kept.length === 0 ? undefined : (Object.fromEntries(kept) as MetadataValues<Value>);
}

const countOf = (metadata: object | undefined): number => Object.keys(metadata ?? {}).length;
