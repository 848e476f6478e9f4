import type { DomainEvent, IdSource, JournalOf } from '#src/kernel/decider.ts';
import { isPassing, Refusal } from '#src/kernel/errors.ts';
import type { Revision } from '#src/kernel/ids.ts';
import type { CommandContext } from '#src/kernel/event-metadata.ts';
import { Ambiguous, Unavailable } from '#src/ports/errors.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import type { IdempotencyKey, Outcome } from './batch.ts';
import type { Journals } from './journals.ts';

/**
 * Submits a command to a journal in the name of one caller. `take` reserves the caller's idempotency key, if it has
 * one; `release` frees the key that was reserved at that revision of the journal. Errors: Refusal, Unavailable.
 */
export type Submit = <Command, Event extends DomainEvent>(
  journal: JournalOf<Command, Event>,
  command: Command,
  key?: 'take' | Readonly<{ release: Revision }>,
) => Promise<Outcome<Event>>;

/** The means by which a process over several journals takes its steps, for a request or when it is resumed. */
export type Steps = Readonly<{
  submit: Submit;
  tenantId: string;
  ids: IdSource;
  sleep: (ms: number) => Promise<void>;
  elapsedMs: () => number;
  /** Returns whether a retry may succeed, because the error is transient. */
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
      const idempotency = how && key && keyFor(how, key);
      return journals.submit(journal, { command, context, idempotency });
    },
    tenantId: context.tenantId,
    ids,
    sleep: (ms) => scheduler.sleep(ms),
    elapsedMs: () => scheduler.elapsedMs(),
    mayPass: (error) =>
      error instanceof Unavailable ||
      error instanceof Ambiguous ||
      (error instanceof Refusal && isPassing(error)),
  };
}

const keyFor = (
  how: 'take' | Readonly<{ release: Revision }>,
  key: IdempotencyKey,
): IdempotencyKey =>
  how === 'take' ? { ...key, mayBeReleased: true } : { ...key, releases: how.release };
