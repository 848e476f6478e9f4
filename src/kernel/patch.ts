import type { Decision } from './decider.ts';
import { KEYS_MAX, tooManyKeys } from './free-keys.ts';
import type { Instant } from './instant.ts';

/** Free-form facts by key. */
type MetadataValues<Value> = Readonly<Record<string, Value>>;
type Scalar = string | number | boolean;

/** Null as a value removes its key, null as a whole all of them. */
export type MetadataChanges<Value = Scalar> = MetadataValues<Value | null> | null;

type StatusValue = Readonly<{ code: string; description: string | null }>;

/** A status as it is sent on update; the description is replaced in any case. */
export type StatusChanges = Readonly<{ code?: string | undefined; description: string | null }>;

/** A record after a change, and the names of the members that differ; none when it stays as it was. */
export type Patched<Record_> = Readonly<{ record: Record_; changed: readonly string[] }>;

/**
 * Sets members: one whose value is `undefined` is removed, one that is not named stays. A change to the value it
 * has already is none; a real one is stamped in `updatedAt`.
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

/** A change is recorded; one without effect answers the image as it stands. */
export const ifChanged = <Type extends string, Data extends Changes>(
  event: Readonly<{ type: Type; data: Data }>,
): Decision<Readonly<{ type: Type; data: Data }>> =>
  event.data.changed.length === 0 ? { unchanged: event } : [event];

type Changes = Readonly<{ changed: readonly string[] }>;

/** Whether two values of a record are equal; the order of members tells nothing apart. */
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

/** A status after a PATCH: without a code the stored one stays (contract ledger §1.4). */
export const patchedStatus = (
  before: StatusValue,
  changes: StatusChanges | undefined,
): StatusValue =>
  changes === undefined
    ? before
    : { code: changes.code ?? before.code, description: changes.description };

/**
 * Metadata after a PATCH of any record but an asset (contract ledger §1.5); undefined when none are left. A record that
 * has more keys than may be, from before the limit held for it or from the product, may keep as many.
 * Errors: TOO_MANY_KEYS.
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

/** Metadata after a PATCH of an asset: what is sent is all there is. */
export function replacedMetadata<Value = Scalar>(
  changes: MetadataChanges<Value>,
): MetadataValues<Value> | undefined {
  const kept = Object.entries(changes ?? {}).filter(([, value]) => value !== null);
  return kept.length === 0 ? undefined : (Object.fromEntries(kept) as MetadataValues<Value>);
}

const countOf = (metadata: object | undefined): number => Object.keys(metadata ?? {}).length;
