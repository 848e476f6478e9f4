import { feeRefusals } from '#src/events/fees/refusals.ts';
import { explained } from '#src/kernel/explanation.ts';
import { feeExplanations } from '#src/resources/fees/explanations.ts';
import samples from '#src/resources/fees/samples.json' with { type: 'json' };

export const refusals = explained(feeRefusals, feeExplanations, samples);
