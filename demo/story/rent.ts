import { exactly, remaining } from '../bank.ts';
import type { Step } from './step.ts';

export const rent: Step = {
  at: '09:30',
  title: 'The rent',
  async play(bank, paper) {
    paper.say('1,800.00 for Carla from two sources: Alice gives 950.00, Bruno whatever remains.');
    paper.booked(
      await bank.move({
        description: 'Rent',
        value: '1800',
        from: [exactly('@alice', '950'), remaining('@bruno')],
        to: [exactly('@carla', '1800')],
      }),
    );
    await bank.mustHave({ '@alice': '3250', '@bruno': '2300.5', '@carla': '1800' });
  },
};
