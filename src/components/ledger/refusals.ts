import { ledgerRefusals } from '#src/events/ledger/refusals.ts';
import { explained } from '#src/kernel/explanation.ts';
import { ledgerExplanations } from '#src/resources/ledger/explanations/explanations.ts';
import samples from '#src/resources/ledger/samples.json' with { type: 'json' };

export const refusals = explained(ledgerRefusals, ledgerExplanations, samples);
