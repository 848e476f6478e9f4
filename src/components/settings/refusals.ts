import { settingsRefusals } from '#src/events/settings/refusals.ts';
import { explained } from '#src/kernel/explanation.ts';
import { settingsExplanations } from '#src/resources/settings/explanations.ts';
import samples from '#src/resources/settings/samples.json' with { type: 'json' };

export const refusals = explained(settingsRefusals, settingsExplanations, samples);
