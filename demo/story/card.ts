import { exactly, share } from '../bank.ts';
import { NotAsTold } from '../not-as-told.ts';
import type { Step } from './step.ts';
import type { Transaction } from '../views.ts';

export const card: Step = {
  at: '12:15',
  title: 'A card payment, shared out',
  async play(bank, paper) {
    paper.say(
      'Alice pays 87.35 at the bakery. Of each payment 97 % are for the shop, 2 % for the card network, 1 % for ' +
        'the bank.',
    );
    const payment = {
      description: 'Card payment',
      value: '87.35',
      from: [exactly('@alice', '87.35')],
      to: [share('@bakery', 97), share('@network', 2), share('@bank', 1)],
    };
    const key = { 'X-Idempotency': 'terminal-7-000042' };
    const first = await bank.move(payment, key);
    paper.booked(first);
    const after = {
      '@alice': '3162.65',
      '@bakery': '84.7295',
      '@network': '1.747',
      '@bank': '0.8735',
    };
    await bank.mustHave(after);
    paper.note('Shares are exact to the last digit; nothing is rounded.');

    const again = await bank.tryToMove<Transaction>(payment, key);
    const replayed = again.headers.get('x-idempotency-replayed') === 'true';
    if (again.body.id !== first.id || !replayed)
      throw new NotAsTold('The payment was booked twice');
    await bank.mustHave(after);
    paper.say(
      'The terminal saw no answer and asks again, under the same key: it gets the first answer, and nothing moves ' +
        'twice.',
    );
  },
};
