import type {
  ReplayEvent,
  ReplayFields,
  StreamingEvent,
  SubscriptionEvent,
  SubscriptionFields,
  SubscriptionRecord,
} from '#src/events/streaming/streaming.ts';
import { refuse } from '#src/events/streaming/refusals.ts';
import { imageAt } from '#src/kernel/before-image.ts';
import type { Decider, Decision, JournalFact, JournalOf } from '#src/kernel/decider.ts';
import type { Refusal } from '#src/kernel/errors.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { isFuture, type Instant } from '#src/kernel/instant.ts';
import { streamingJournal } from '#src/kernel/journal-name.ts';
import { declareRecord } from '#src/kernel/record.ts';
import type { Subscription } from '#src/kernel/subscription.ts';

const subscriptions = declareRecord({
  name: 'Subscription',
  patch: {
    name: 'replace',
    filters: 'replace',
    target: 'replace',
    format: 'replace',
    ordering: 'replace',
    rateLimit: 'replace',
    status: 'replace',
  },
  kept: ({ target, status }: SubscriptionFields) => ({ kind: target.kind, status }),
  notFound: () => refuse('NOT_FOUND', 'There is no such subscription.'),
});

const replays = declareRecord({
  name: 'Replay',
  patch: { status: 'replace' },
  kept: (_: ReplayFields) => ({}),
  notFound: () => refuse('NOT_FOUND', 'There is no such replay.'),
});

type Replays = ReturnType<typeof replays.initialState>;
type ReplayCommand = Parameters<typeof replays.decide>[1];
type ReplayRequest = ReplayCommand & Readonly<{ type: 'CreateReplay' }>;

type Subscriptions = ReturnType<typeof subscriptions.initialState>;
type SubscriptionCommand = Parameters<typeof subscriptions.decide>[1];
type Creation = SubscriptionCommand & Readonly<{ type: 'CreateSubscription' }>;

/**
 * The subscriptions of a tenant, and its replays that are not completed; dead letters of the relay are in the journal, but
 * no decision depends on them.
 */
export type StreamingState = {
  began: boolean;
  readonly subscriptions: Subscriptions;
  readonly replays: Replays;
};

export type StreamingCommand =
  | SubscriptionCommand
  /** Is refused as the creation would be, and changes nothing. */
  | Readonly<{ type: 'CheckSubscription'; fields: Creation['fields'] }>
  /** Has no effect on a subscription in a status that `status` cannot follow. */
  | Readonly<{ type: 'SetSubscriptionStatus'; id: Uuid; status: Subscription['status'] }>
  /** Is refused unless the subscription exists and has a target of the kind, and changes nothing. */
  | Readonly<{ type: 'CheckTarget'; id: Uuid; kind?: TargetKind }>
  /** Is refused unless the subscription exists and is active, and changes nothing. */
  | Readonly<{ type: 'CheckActive'; id: Uuid }>
  /** Records that the signing secret was replaced. */
  | Readonly<{ type: 'ReplaceSigningSecret'; id: Uuid }>
  /** Is refused where nothing can be published. */
  | (ReplayRequest & Readonly<{ publishesTo: 'nowhere' | 'embedded topics' | 'broker' }>)
  /** Has no effect on a replay that is completed. */
  | Readonly<{ type: 'CompleteReplay'; id: Uuid }>;

type TargetKind = 'webhook' | 'pull';

export type StreamingJournal = JournalOf<StreamingCommand, StreamingEvent>;

export const journalOfStreaming = (tenantId: string): StreamingJournal => ({
  name: streamingJournal(tenantId),
});

/** The public state of the journal. */
export type StreamingFact = JournalFact & Readonly<{ isSigned: (id: Uuid) => boolean }>;

export const streamingDecider: Decider<StreamingState, StreamingCommand, StreamingEvent> = {
  category: 'streaming',
  snapshotVersion: 2,

  initialState: () => ({
    began: false,
    subscriptions: subscriptions.initialState(),
    replays: replays.initialState(),
  }),

  needs({ subscriptions: live, replays: pending }, command, facts) {
    if (command.type === 'CompleteReplay')
      return replays.needs(pending, completion(command), facts);
    return 'id' in command ? subscriptions.needs(live, asChange(command), facts) : undefined;
  },

  decide({ subscriptions: live, replays: pending }, command, facts, stamp) {
    switch (command.type) {
      case 'CheckSubscription':
        mustBeCreatable(live, command.fields, stamp.instant);
        return [];
      case 'CreateSubscription':
        mustBeCreatable(live, command.fields, stamp.instant);
        break;
      case 'UpdateSubscription':
        mustKeepKind(live, command.id, command.changes.target?.kind);
        break;
      case 'SetSubscriptionStatus': {
        const changes = statusChange(live.get(command.id)?.status, command.status);
        const update = { type: 'UpdateSubscription', id: command.id, changes } as const;
        return subscriptions.decide(live, update, facts, stamp, {});
      }
      case 'CheckTarget':
        targeted(live, command.id, command.kind);
        return [];
      case 'CheckActive':
        mustBeActive(targeted(live, command.id));
        return [];
      case 'ReplaceSigningSecret': {
        const { revision } = targeted(live, command.id, 'webhook');
        const before = imageAt('subscription', revision, facts) as SubscriptionRecord;
        const subscription = { ...before, updatedAt: stamp.instant };
        return [{ type: 'SubscriptionUpdated', data: { subscription, changed: ['secret'] } }];
      }
      case 'CreateReplay':
        mustBePublishable(command.publishesTo);
        if ([...pending.all()].length >= REPLAYS_MAX) {
          throw refuse('TOO_MANY_REPLAYS', `There are ${REPLAYS_MAX} replays already.`);
        }
        return decideReplay(pending, command, facts, stamp, {});
      case 'CompleteReplay':
        if (pending.get(command.id) === undefined) return [];
        return decideReplay(pending, completion(command), facts, stamp, {});
      default:
    }
    return subscriptions.decide(live, command, facts, stamp, {});
  },

  evolve(state, event, revision) {
    state.began = true;
    if (event.type === 'RecordDied') return;
    if (!('replay' in event.data)) {
      subscriptions.evolve(state.subscriptions, event as SubscriptionEvent, revision);
    } else if (event.data.replay.status === 'completed') {
      state.replays.remove(event.data.replay.id);
    } else {
      replays.evolve(state.replays, event as ReplayEvent, revision);
    }
  },

  fact: ({ began, subscriptions: live }): Omit<StreamingFact, 'revision'> | undefined =>
    began ? { live: true, isSigned: (id) => live.get(id)?.kind === 'webhook' } : undefined,

  toSnapshot: ({ began, subscriptions: live, replays: pending }) => [
    JSON.stringify({ began, live: [...live.all()], pending: [...pending.all()] }),
  ],
  fromSnapshot([chunk = '']) {
    const { began, live, pending } = JSON.parse(chunk) as StreamingSnapshot;
    const state = {
      began,
      subscriptions: subscriptions.initialState(),
      replays: replays.initialState(),
    };
    for (const one of live) state.subscriptions.put(one);
    for (const one of pending) state.replays.put(one);
    return state;
  },
};

type StreamingSnapshot = Readonly<{
  began: boolean;
  live: readonly Parameters<Subscriptions['put']>[0][];
  pending: readonly Parameters<Replays['put']>[0][];
}>;

/** Every command about an existing subscription needs its before-image, whatever it changes. */
const asChange = ({ id }: Readonly<{ id: Uuid }>): SubscriptionCommand => ({
  type: 'DeleteSubscription',
  id,
});

const completion = ({ id }: Readonly<{ id: Uuid }>): ReplayCommand => ({
  type: 'UpdateReplay',
  id,
  changes: { status: 'completed' },
});

/** No command deletes a replay. */
const decideReplay = (...parameters: Parameters<typeof replays.decide>) =>
  replays.decide(...parameters) as Decision<ReplayEvent>;

function mustBeCreatable(live: Subscriptions, { startAt }: SubscriptionFields, now: Instant): void {
  if (startAt !== 'now' && isFuture(startAt, now)) {
    throw malformed('startAt', 'must not be in the future', startAt);
  }
  if ([...live.all()].length >= SUBSCRIPTIONS_MAX) {
    const detail = `There are ${SUBSCRIPTIONS_MAX} subscriptions already.`;
    throw refuse('TOO_MANY_SUBSCRIPTIONS', detail);
  }
}

function mustBePublishable(target: 'nowhere' | 'embedded topics' | 'broker'): void {
  if (target === 'nowhere') throw refuse('STREAMING_OFF', 'This deployment publishes no events.');
  if (target === 'embedded topics') {
    throw refuse('NO_BROKER', 'This deployment has no broker to publish to.');
  }
}

/** Leases, deliveries and secrets depend on the kind of the target. */
function mustKeepKind(live: Subscriptions, id: Uuid, kind: string | undefined): void {
  const known = live.get(id);
  if (known === undefined || kind === undefined || kind === known.kind) return;
  throw malformed('target.kind', `must stay ${known.kind}`, kind);
}

/** A disabled subscription stays so until it is resumed; one that does not deliver anyway is not disabled. */
function statusChange(
  from: Subscription['status'] | undefined,
  to: Subscription['status'],
): Readonly<{ status?: Subscription['status'] }> {
  return to === 'active' || from === 'active' ? { status: to } : {};
}

function targeted(live: Subscriptions, id: Uuid, needed?: TargetKind) {
  const known = live.get(id);
  if (known === undefined) throw refuse('NOT_FOUND', 'There is no such subscription.');
  if (needed === undefined || known.kind === needed) return known;
  const target = `The target of the subscription is of the kind ${known.kind}`;
  if (needed === 'webhook') throw refuse('NOTHING_TO_SIGN', `${target}, which is not signed.`);
  throw refuse('NOT_PULLED', `${target}, so its messages cannot be pulled.`);
}

function mustBeActive({ status }: Readonly<{ status: Subscription['status'] }>): void {
  if (status === 'active') return;
  throw refuse('SUBSCRIPTION_NOT_ACTIVE', `The subscription is ${status}; resume it first.`);
}

const malformed = (location: string, message: string, value: string): Refusal =>
  refuse('MALFORMED_FIELD', `${location} ${message}.`, {
    findings: [{ location, message, value }],
  });

/** The planner compares every event with each of them. */
const SUBSCRIPTIONS_MAX = 1000;
/** They run one after the other. */
const REPLAYS_MAX = 100;
