import { streamingRefusals } from '#src/events/streaming/refusals.ts';
import { explained } from '#src/kernel/explanation.ts';
import { streamingExplanations } from '#src/resources/streaming/explanations.ts';
import samples from '#src/resources/streaming/samples.json' with { type: 'json' };

export const refusals = explained(streamingRefusals, streamingExplanations, samples);
