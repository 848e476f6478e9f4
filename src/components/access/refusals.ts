import { accessRefusals } from '#src/events/access/refusals.ts';
import { explained } from '#src/kernel/explanation.ts';
import { accessExplanations } from '#src/resources/access/explanations.ts';
import samples from '#src/resources/access/samples.json' with { type: 'json' };

export const refusals = explained(accessRefusals, accessExplanations, samples);
