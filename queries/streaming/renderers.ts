import { recordRenderers } from '#queries/record.ts';
import type { Renderers } from '#src/ports/read-store.ts';
import { replayResource } from '#src/resources/streaming/replay.ts';
import { subscriptionResource } from '#src/resources/streaming/subscription.ts';

export const renderers: Renderers = {
  rows: recordRenderers([subscriptionResource, replayResource]),
  entries: {},
};
