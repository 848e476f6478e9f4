import { Refusal, type RefusalName } from '#src/kernel/errors.ts';

/** What it was refused for. */
export async function refused(work: Promise<unknown>): Promise<RefusalName> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Refusal) return error.refusal;
    throw error;
  }
  throw new Error('It was not refused');
}
