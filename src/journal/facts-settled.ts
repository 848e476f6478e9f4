import type { Scheduler } from '#src/ports/scheduler.ts';
import type { Journals } from './journals.ts';

/**
 * Resolves once every decision that rests on facts from before the call is in the log: at once for those of this process,
 * after a moment for those of others. Errors: Unavailable.
 */
export async function factsSettled(
  journals: Pick<Journals, 'settled'>,
  scheduler: Pick<Scheduler, 'sleep'>,
): Promise<void> {
  if (!(await journals.settled())) await scheduler.sleep(OTHERS_KNOW_MS);
}

/** Other processes learn of an event within a second; see FACT_MS of the writer. */
export const OTHERS_KNOW_MS = 1500;
