import type { Instant } from '#src/kernel/instant.ts';
import { differ } from './difference.ts';

/** The members of an event's metadata that the next event must agree with. */
export type MetadataContext = Readonly<{
  recordedAt: Instant;
  tenantId: string;
  schemaVersion: unknown;
  /** Present if the event was caused by a request with an idempotency key. */
  keyed?: KeyedEvent;
}>;

/** The use of an idempotency key, which never expires without `expiresAt`. */
export type KeyedEvent = Readonly<{ key: string; recordedAt: Instant; expiresAt?: Instant }>;

/** `before` is the context of the event before; undefined for the first. */
export function checkMetadata(
  id: string,
  metadata: string,
  before: MetadataContext | undefined,
): MetadataContext {
  const members = JSON.parse(metadata) as Members;
  const { recordedAt, tenantId, eventId, actor, requestId, claims, schemaVersion } = members;
  if (!isInstant(recordedAt)) differ('no recordedAt');
  if (typeof tenantId !== 'string' || tenantId === '') differ('no tenantId');
  if (typeof requestId !== 'string' || typeof actor !== 'object') differ('nobody asked for it');
  if (eventId !== undefined && eventId !== id) {
    differ(`its id is ${id}, its metadata is that of ${JSON.stringify(eventId)}`);
  }
  if (claims !== undefined && !isClaims(claims)) differ('its claims are none');
  if (before !== undefined && recordedAt <= before.recordedAt) {
    differ(`it was recorded at ${recordedAt}, the one before at ${before.recordedAt}`);
  }
  if (before !== undefined && tenantId !== before.tenantId) {
    differ(`it belongs to tenant ${tenantId}, the one before to ${before.tenantId}`);
  }
  const keyed = keyedEventIn(members, recordedAt);
  return { recordedAt, tenantId, schemaVersion, ...(keyed && { keyed }) };
}

function keyedEventIn(
  { idempotencyKey: key, idempotencyExpiresAt: expiresAt }: Members,
  recordedAt: Instant,
): KeyedEvent | undefined {
  if (key === undefined && expiresAt === undefined) return undefined;
  if (typeof key !== 'string' || key === '') differ('its idempotency key is not a text');
  if (expiresAt === undefined) return { key, recordedAt };
  return isInstant(expiresAt)
    ? { key, recordedAt, expiresAt }
    : differ('the expiry of its idempotency key is not an instant');
}

/** A claim consists of a kind of record, a key and a value. */
const isClaims = (claims: unknown): boolean =>
  Array.isArray(claims) &&
  claims.length === new Set(claims).size &&
  claims.every((claim) => typeof claim === 'string' && /^[a-z_]+\/\w+\//.test(claim));

type Members = Readonly<Record<string, unknown>>;

const isInstant = (value: unknown): value is Instant =>
  typeof value === 'string' && INSTANT.test(value);

/** The width is fixed, so the order of texts is the order of times. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
