import type { SubscriptionFilters } from '#src/kernel/subscription.ts';
import type { OutgoingRecord } from '#src/ports/publisher.ts';

/**
 * Decides whether a subscription with these filters delivers a record (contract events §12.1). The payload is parsed
 * only for a filter by its ids; one that cannot be parsed has none.
 */
export function matchesFilters(
  { types, resourceTypes, eventTypes, subjects, organizationIds, ledgerIds }: SubscriptionFilters,
  record: OutgoingRecord,
): boolean {
  const { headers } = record;
  const byHeader = [types, resourceTypes, eventTypes, subjects];
  const byPayload = [organizationIds, ledgerIds];
  if ([...byHeader, ...byPayload].every((filter) => filter === undefined)) return false;

  const resource = headers['ce-resourcetype'];
  const event = headers['ce-eventtype'];
  const names = [headers['ce-type'], resource && event && `${resource}.${event}`];
  if (types?.some((pattern) => names.some((name) => matches(pattern, name))) === false) {
    return false;
  }
  if (!passes(resourceTypes, resource) || !passes(eventTypes, event)) return false;
  if (!passes(subjects, headers['ce-subject'])) return false;
  if (byPayload.every((filter) => filter === undefined)) return true;

  const { id, organizationId, ledgerId } = idsOf(record);
  return (
    passes(organizationIds, organizationId ?? (resource === 'organization' ? id : undefined)) &&
    passes(ledgerIds, ledgerId ?? (resource === 'ledger' ? id : undefined))
  );
}

/** A final `*` stands for one or more segments; elsewhere it has no meaning. */
function matches(pattern: string, name: string | undefined): boolean {
  if (name === undefined) return false;
  if (pattern === '*') return name !== '';
  if (!pattern.endsWith('.*')) return name === pattern;
  const prefix = pattern.slice(0, -1);
  return name.length > prefix.length && name.startsWith(prefix);
}

const passes = (allowed: readonly string[] | undefined, value: unknown): boolean =>
  allowed === undefined || (typeof value === 'string' && allowed.includes(value));

type RecordIds = Readonly<Record<'id' | 'organizationId' | 'ledgerId', unknown>>;

/** Remembers the ids of a record, because many subscriptions may filter it. */
function idsOf(record: OutgoingRecord): RecordIds {
  let ids = knownIds.get(record);
  if (ids === undefined) {
    const { id, organizationId, ledgerId } = idsIn(record.value);
    ids = { id, organizationId, ledgerId };
    knownIds.set(record, ids);
  }
  return ids;
}
const knownIds = new WeakMap<OutgoingRecord, RecordIds>();

function idsIn(value: string): RecordIds {
  try {
    const payload: unknown = JSON.parse(value);
    return (typeof payload === 'object' && payload !== null ? payload : {}) as never;
  } catch {
    return {} as never;
  }
}
