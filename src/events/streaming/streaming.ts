import type { DeadLetter } from '#src/kernel/dead-letter.ts';
import type { Lifetime, RecordEvent } from '#src/kernel/record.ts';
import type { Replay } from '#src/kernel/replay.ts';
import type { Subscription } from '#src/kernel/subscription.ts';

/** The events of the streaming journal of a tenant. */
export type StreamingEvent = RecordDied | SubscriptionEvent | ReplayEvent;

/** The relay abandoned a record; the dead-letter topic has as much of it as it could accept. */
export type RecordDied = Readonly<{ type: 'RecordDied'; data: DeadLetter }>;

export type SubscriptionEvent = RecordEvent<'Subscription', SubscriptionRecord>;

export type SubscriptionRecord = SubscriptionFields & Lifetime;

/** Its signing secret is in the SecretStore only; `secret` among the changed members says that it was replaced. */
export type SubscriptionFields = Omit<Subscription, keyof Lifetime>;

/** A replay is requested, and later completed; none is deleted. */
export type ReplayEvent = Exclude<
  RecordEvent<'Replay', ReplayRecord>,
  Readonly<{ type: 'ReplayDeleted' }>
>;

export type ReplayRecord = ReplayFields & Lifetime;

export type ReplayFields = Omit<Replay, keyof Lifetime>;
