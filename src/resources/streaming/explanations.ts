import type { streamingRefusals } from '#src/events/streaming/refusals.ts';
import type { Explanations } from '#src/kernel/explanation.ts';

export const streamingExplanations: Explanations<keyof typeof streamingRefusals> = {
  TOO_MANY_SUBSCRIPTIONS: {
    means: 'A tenant can have 1000 subscriptions. Delete one that is not used.',
    detail: 'There are 1000 subscriptions already.',
    entityType: 'Subscription',
  },
  NOTHING_TO_SIGN:
    'Only deliveries to webhooks are signed, and the target of this subscription is not a webhook.',
  NOT_PULLED:
    'Messages are pulled only from subscriptions whose target is of the kind pull; others are sent to their target.',
  SUBSCRIPTION_NOT_ACTIVE:
    'The subscription is paused or disabled, so nothing is sent to its target. Resume it first.',
  STREAMING_OFF:
    'This deployment delivers no events: the operator has not set STREAMING_ENABLED=true. Subscriptions can be prepared all the same.',
  NO_BROKER: {
    means:
      'A replay publishes to the broker, and this deployment has none: its topics are computed from the log, which keeps every event. Create a subscription with an earlier startAt instead.',
    detail: 'This deployment has no broker to publish to.',
    entityType: 'Replay',
  },
  TOO_MANY_REPLAYS: {
    means: 'A tenant can have 100 replays that are not completed. Wait until one is.',
    detail: 'There are 100 replays already.',
    entityType: 'Replay',
  },
};
