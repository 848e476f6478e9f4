import { isProblem } from 'quipu/client';
import { exactly } from '../bank.ts';
import { NotAsTold } from '../not-as-told.ts';
import type { Step } from './step.ts';

export const overdraft: Step = {
  at: '17:40',
  title: 'More than there is',
  async play(bank, paper) {
    paper.say('Alice wants to lend Bruno 5,000.00. She does not have it, and the bank says so:');
    const before = await bank.balance('@alice');
    const loan = {
      description: 'Loan',
      value: '5000',
      from: [exactly('@alice', '5000')],
      to: [exactly('@bruno', '5000')],
    };
    const problem = await bank.move(loan).catch((error: unknown) => error);
    if (!isProblem(problem, 'LDG-0018')) throw new NotAsTold('The loan was not refused');
    paper.document(problem);
    await bank.mustHave({ '@alice': before.available });
    const { version } = await bank.balance('@alice');
    if (version !== before.version) throw new NotAsTold('A refusal left a trace');
    paper.note(`Nothing moved. What the code means: ${bank.url}/docs/errors/${problem.code}`);
  },
};
