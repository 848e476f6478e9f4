import { exactly, LEDGER } from '../bank.ts';
import type { Step } from './step.ts';

export const mistake: Step = {
  at: '16:20',
  title: 'A mistake is undone',
  async play(bank, paper) {
    paper.say('Alice sends 250.00 to Bruno, who was not meant.');
    const wrong = await bank.move({
      description: 'Deposit for the trip',
      value: '250',
      from: [exactly('@alice', '250')],
      to: [exactly('@bruno', '250')],
    });
    paper.booked(wrong);
    paper.say('Nothing is erased: a second transaction mirrors the first.');
    const path = { ...bank.path, transaction_id: wrong.id };
    paper.booked(
      await bank.client.post(`${LEDGER}/transactions/{transaction_id}/revert`, { path }),
    );
    await bank.mustHave({ '@alice': '3162.65' });
  },
};
