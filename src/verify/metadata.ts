import { differ } from './difference.ts';

/** What the metadata of one event says that the next one's must agree with. */
export type Context = Readonly<{ recordedAt: string; tenantId: string }>;

/** `before` is the context of the event before; undefined for the first. */
export function checkMetadata(id: string, metadata: string, before: Context | undefined): Context {
  const { recordedAt, tenantId, eventId, actor, requestId, claims } = JSON.parse(
    metadata,
  ) as Members;
  if (typeof recordedAt !== 'string' || !INSTANT.test(recordedAt)) differ('no recordedAt');
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
  return { recordedAt, tenantId };
}

/** Kind of record, key, value. */
const isClaims = (claims: unknown): boolean =>
  Array.isArray(claims) &&
  claims.length === new Set(claims).size &&
  claims.every((claim) => typeof claim === 'string' && /^[a-z_]+\/\w+\//.test(claim));

type Members = Readonly<Record<string, unknown>>;

/** Fixed width: text order is time order. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
