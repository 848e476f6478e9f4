import {
  refuseAny,
  type PlatformRefusalName,
  type RefusalFacts,
  type Refuse,
} from '#src/kernel/errors.ts';

/** The refusals of subscriptions, deliveries and replays. */
export const streamingRefusals = {
  TOO_MANY_SUBSCRIPTIONS: { code: 'LDG-0550', kind: 'rule', title: 'Too many subscriptions' },
  NOTHING_TO_SIGN: { code: 'LDG-0551', kind: 'rule', title: 'Subscription without signatures' },
  NOT_PULLED: { code: 'LDG-0552', kind: 'rule', title: 'Subscription not pulled' },
  SUBSCRIPTION_NOT_ACTIVE: { code: 'LDG-0553', kind: 'rule', title: 'Subscription not active' },
  STREAMING_OFF: { code: 'LDG-0554', kind: 'rule', title: 'Streaming is off' },
  NO_BROKER: { code: 'LDG-0555', kind: 'rule', title: 'No broker' },
  TOO_MANY_REPLAYS: { code: 'LDG-0556', kind: 'rule', title: 'Too many replays' },
} as const satisfies Record<string, RefusalFacts>;

export const refuse: Refuse<keyof typeof streamingRefusals | PlatformRefusalName> = refuseAny;
