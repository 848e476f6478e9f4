import { planned, type Definition } from '#src/bridge/definition.ts';
import { instant, listOf, oneOf, text, uuid, written } from '#src/bridge/payload-members.ts';
import { orNull, payloadOf } from '#src/bridge/payload-schema.ts';

const status = oneOf('DRAFT', 'ACTIVE', 'INACTIVE', 'DELETED');

const scope = payloadOf({
  ...{ segmentId: orNull(uuid), portfolioId: orNull(uuid), accountId: orNull(uuid) },
  ...{ merchantId: orNull(text), subType: orNull(text) },
  transactionType: orNull(oneOf('CARD', 'WIRE', 'PIX', 'CRYPTO')),
});

/** P50: expressions, names and amounts are secrets of the policy and are not published. */
const rule = payloadOf({
  ...{ id: uuid, status, action: oneOf('ALLOW', 'DENY', 'REVIEW'), scopes: listOf(scope) },
  ...written,
});
const activated = payloadOf({ id: uuid, status, activatedAt: orNull(instant), updatedAt: instant });
const deactivated = payloadOf({
  ...{ id: uuid, status, deactivatedAt: orNull(instant), updatedAt: instant },
});
const moved = payloadOf({ id: uuid, status, updatedAt: instant });
const deleted = payloadOf({ id: uuid, deletedAt: instant });

/** P55. */
const limit = payloadOf({
  ...{ id: uuid, status, currency: text, scopes: listOf(scope) },
  limitType: oneOf('DAILY', 'WEEKLY', 'MONTHLY', 'CUSTOM', 'PER_TRANSACTION'),
  ...{ activeTimeStart: orNull(text), activeTimeEnd: orNull(text) },
  ...{ customStartDate: orNull(text), customEndDate: orNull(text), resetAt: orNull(instant) },
  ...written,
});

const eventOf = (resource: 'rule' | 'limit', event: string, payload: typeof rule) =>
  planned(
    `${resource}.${event}`,
    `companion_${resource}.${event}`,
    `A ${resource} was ${event}`,
    payload,
  );

/** Rules and limits of a companion component; nothing emits them before there is one (contract events §6.4). */
export const definitions: readonly Definition[] = [
  eventOf('rule', 'created', rule),
  eventOf('rule', 'updated', rule),
  eventOf('rule', 'activated', activated),
  eventOf('rule', 'deactivated', deactivated),
  eventOf('rule', 'drafted', moved),
  eventOf('rule', 'deleted', deleted),
  eventOf('limit', 'created', limit),
  eventOf('limit', 'updated', limit),
  eventOf('limit', 'activated', moved),
  eventOf('limit', 'deactivated', moved),
  eventOf('limit', 'drafted', moved),
  eventOf('limit', 'deleted', deleted),
];
