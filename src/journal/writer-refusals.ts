import { Refusal, refuse } from '#src/kernel/errors.ts';
import type { Revision } from '#src/kernel/ids.ts';
import { Ambiguous, Unavailable } from '#src/ports/errors.ts';

export const keyInUse = (): Refusal =>
  refuse('IDEMPOTENCY_KEY_IN_USE', 'The idempotency key was used for a different request.');

export const notYours = (): Refusal => refuse('NOT_FOUND', 'There is no such resource.');

export const tooLarge = (): Refusal =>
  refuse('TOO_LARGE', 'The request would be recorded in more than 900 KB.', {
    entityType: 'request',
  });

export const tooBusy = (): Refusal =>
  refuse('TOO_MANY_REQUESTS', 'This ledger has more waiting than it can hold; try again shortly.', {
    retryAfterSeconds: 1,
  });

export const startedAnew = (): Unavailable =>
  new Unavailable('The journal had to be reloaded too often');

export const noAnswer = (journal: string): Unavailable =>
  new Unavailable(`A store that ${journal} needs did not respond in time`);

/** Replaces a refusal, which says that nothing was written, if an append of the command may still be. */
export const unlessInDoubt = (
  error: unknown,
  { mayLandAfter }: Readonly<{ mayLandAfter?: Revision }>,
): unknown =>
  mayLandAfter !== undefined && error instanceof Refusal
    ? new Ambiguous(error.message, { cause: error })
    : error;

/** A forwarded command was not decided, because another process may have decided it up to the revision `read`. */
export class Undecided extends Error {
  readonly read: Revision;
  constructor(read: Revision) {
    super(`The command may have been decided up to revision ${read}`);
    this.name = 'Undecided';
    this.read = read;
  }
}
