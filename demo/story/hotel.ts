import { exactly, LEDGER } from '../bank.ts';
import { NotAsTold } from '../not-as-told.ts';
import type { Step } from './step.ts';

export const hotel: Step = {
  at: '15:00',
  title: 'A deposit is held, then taken',
  async play(bank, paper) {
    paper.say('The hotel reserves 400.00 on Bruno’s card. He still has it, but cannot spend it.');
    const held = await bank.move({
      description: 'Hotel deposit',
      value: '400',
      from: [exactly('@bruno', '400')],
      to: [exactly('@hotel', '400')],
      more: { pending: true },
    });
    paper.booked(held);
    const { available, onHold } = await bank.balance('@bruno');
    if (available !== '1900.5' || onHold !== '400') {
      throw new NotAsTold(
        `Bruno should have 1900.5 and 400 on hold, not ${available} and ${onHold}`,
      );
    }
    paper.say('At check-out the hotel takes it.');
    const path = { ...bank.path, transaction_id: held.id };
    paper.booked(
      await bank.client.post(`${LEDGER}/transactions/{transaction_id}/commit`, { path }),
    );
    await bank.mustHave({ '@bruno': '1900.5', '@hotel': '400' });
  },
};
