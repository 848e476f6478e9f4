import { bodyOf, exactly, LEDGER, share } from '../bank.ts';
import { NotAsTold } from '../not-as-told.ts';
import type { Step } from './step.ts';

export const card: Step = {
  at: '12:15',
  title: 'A card payment, shared out',
  async play(bank, paper) {
    paper.say(
      'Alice pays 87.35 at the bakery. Of each payment 97 % are for the shop, 2 % for the card network, 1 % for ' +
        'the bank.',
    );
    const payment = {
      path: bank.path,
      headers: { 'X-Idempotency': 'terminal-7-000042' },
      body: bodyOf({
        description: 'Card payment',
        value: '87.35',
        from: [exactly('@alice', '87.35')],
        to: [share('@bakery', 97), share('@network', 2), share('@bank', 1)],
      }),
    };
    const first = await bank.client.post(`${LEDGER}/transactions/json`, payment);
    paper.booked(first);
    const after = {
      '@alice': '3162.65',
      '@bakery': '84.7295',
      '@network': '1.747',
      '@bank': '0.8735',
    };
    await bank.mustHave(after);
    paper.note('Shares are exact to the last digit; nothing is rounded.');

    const again = await bank.client.request('post', `${LEDGER}/transactions/json`, payment);
    const replayed = again.response.headers.get('X-Idempotency-Replayed') === 'true';
    if (again.data.id !== first.id || !replayed)
      throw new NotAsTold('The payment was booked twice');
    await bank.mustHave(after);
    paper.say(
      'The terminal saw no answer and asks again, under the same key: it gets the first answer, and nothing moves ' +
        'twice.',
    );
  },
};
