import { refuse } from '#src/kernel/errors.ts';
import type { Submit } from '#src/journal/steps.ts';

/** Which of all submitted commands goes wrong: it is written without a response, or only before a later one, so many after it. */
export type StepFault = Readonly<{ at: number; is: 'unanswered' | Readonly<{ late: number }> }>;

/** Lets one command of a process go wrong; those of its repeats and of other processes that it wraps count too. */
export class LateSteps {
  /** Runs before the command that goes wrong. */
  before: (() => Promise<unknown>) | undefined;
  /** Names the command that went wrong, for messages. */
  what = '';
  readonly #fault: StepFault;
  #count = 0;
  #late: (() => Promise<unknown>) | undefined;

  constructor(fault: StepFault) {
    this.#fault = fault;
  }

  /** Returns whether there were enough commands for the fault. */
  get came(): boolean {
    const { at, is } = this.#fault;
    return this.#count > (is === 'unanswered' ? at : at + is.late);
  }

  wrap(submit: Submit): Submit {
    const { at, is } = this.#fault;
    const wrapped: typeof submit = async (journal, command, key) => {
      const n = this.#count;
      this.#count += 1;
      if (is !== 'unanswered' && n === at + is.late) await this.land();
      if (n !== at) return submit(journal, command, key);
      this.what = `${(command as Readonly<{ type: string }>).type} in ${journal.name}, ${JSON.stringify(is)}`;
      await this.before?.();
      const step = () => submit(journal, command, key);
      if (is === 'unanswered') await step();
      else this.#late = step;
      throw refuse('UNAVAILABLE', 'The outcome is not known.');
    };
    return wrapped;
  }

  /** Lets a late command be written now, unless it was. */
  async land(): Promise<void> {
    const late = this.#late;
    this.#late = undefined;
    await late?.().catch(() => undefined);
  }
}

/** Plays every command that may go wrong, in every way. `play` returns whether there were enough commands for the fault. */
export async function everyLateStep(play: (late: LateSteps) => Promise<boolean>): Promise<number> {
  let played = 0;
  const plays = async (fault: StepFault): Promise<boolean> => {
    const late = new LateSteps(fault);
    played += 1;
    try {
      return await play(late);
    } catch (cause) {
      throw new Error(`${late.what}: ${String(cause)}`, { cause });
    }
  };
  for (let at = 0; await plays({ at, is: 'unanswered' }); at += 1) {
    for (let late = 1; await plays({ at, is: { late } }); late += 1);
  }
  return played;
}
