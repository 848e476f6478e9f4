import { registryRefusals } from '#src/events/registry/refusals.ts';
import { explained } from '#src/kernel/explanation.ts';
import { registryExplanations } from '#src/resources/registry/explanations.ts';
import samples from '#src/resources/registry/samples.json' with { type: 'json' };

export const refusals = explained(registryRefusals, registryExplanations, samples);
