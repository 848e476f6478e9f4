import { exactly, LEDGER, type Transaction } from '../bank.ts';
import { OUTSIDE } from '../cast.ts';
import type { Step } from './step.ts';

export const salaries: Step = {
  at: '08:00',
  title: 'Salaries come in',
  async play(bank, paper) {
    const inflow = (alias: string, value: string): Promise<Transaction> =>
      bank.client.post(`${LEDGER}/transactions/inflow`, {
        path: bank.path,
        body: {
          description: 'Salary',
          send: { asset: 'BRL', value, distribute: { to: [exactly(alias, value)] } },
        },
      });
    paper.say(
      "Alice's and Bruno's employers have accounts at other banks: the money comes from outside.",
    );
    paper.booked(await inflow('@alice', '4200'));
    paper.booked(await inflow('@bruno', '3150.50'));
    await bank.mustHave({ '@alice': '4200', '@bruno': '3150.5', [OUTSIDE]: '7350.5' });
    paper.note(`${OUTSIDE} is a debit balance: it shows what the world has brought in.`);
  },
};
