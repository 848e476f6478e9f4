import type { DomainEvent, IdSource, JournalOf } from '#src/kernel/decider.ts';
import { isPassing, Refusal } from '#src/kernel/errors.ts';
import type { Revision } from '#src/kernel/ids.ts';
import type { CommandContext } from '#src/kernel/event-metadata.ts';
import { Ambiguous, Unavailable } from '#src/ports/errors.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import type { IdempotencyKey, Outcome } from './batch.ts';
import type { Journals } from './journals.ts';

/** What work in several journals takes: each step is a command in the name of one caller. */
export type Steps = Readonly<{
  /**
   * `take`: under the caller's idempotency key, if there is one. `release`: what was taken at that revision of the
   * journal is free again. Errors: Refusal, Unavailable.
   */
  submit: <Command, Event extends DomainEvent>(
    journal: JournalOf<Command, Event>,
    command: Command,
    key?: 'take' | Readonly<{ release: Revision }>,
  ) => Promise<Outcome<Event>>;
  ids: IdSource;
  sleep: (ms: number) => Promise<void>;
  elapsedMs: () => number;
  /** Whether the same may succeed when it is done again: nothing speaks against it but the moment. */
  mayPass: (error: unknown) => boolean;
}>;

export function createSteps(
  journals: Pick<Journals, 'submit'>,
  { context, key }: Readonly<{ context: CommandContext; key: IdempotencyKey | undefined }>,
  {
    ids,
    scheduler,
  }: Readonly<{ ids: IdSource; scheduler: Pick<Scheduler, 'sleep' | 'elapsedMs'> }>,
): Steps {
  return {
    submit(journal, command, how) {
      const idempotency =
        how === undefined || how === 'take' ? how && key : key && { ...key, releases: how.release };
      return journals.submit(journal, { command, context, idempotency });
    },
    ids,
    sleep: (ms) => scheduler.sleep(ms),
    elapsedMs: () => scheduler.elapsedMs(),
    mayPass: (error) =>
      error instanceof Unavailable ||
      error instanceof Ambiguous ||
      (error instanceof Refusal && isPassing(error)),
  };
}
