import { recordProjection } from '#projections/record.ts';
import { replayResource } from '#src/resources/streaming/replay.ts';
import { subscriptionResource } from '#src/resources/streaming/subscription.ts';

export const projections = [
  recordProjection(subscriptionResource),
  recordProjection(replayResource),
];
