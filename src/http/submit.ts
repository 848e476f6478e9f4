import type { DomainEvent, JournalFact, JournalOf } from '#src/kernel/decider.ts';
import { refuse } from '#src/kernel/errors.ts';
import type { JournalName } from '#src/kernel/journal-name.ts';
import type { IdempotencyKey, Outcome } from '#src/journal/batch.ts';
import type { Journals } from '#src/journal/journals.ts';
import { createSteps, type Steps } from '#src/journal/steps.ts';
import type { Ids } from '#src/ports/ids.ts';
import { fingerprint } from './fingerprint.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import type { Progress } from '#src/runtime/progress.ts';
import type { Request } from './request.ts';

/** The part of a request that a command in its name depends on. */
export type SubmittedRequest = Pick<Request, 'operationId' | 'body' | 'idempotency' | 'context'>;

/** Gives handlers access to the journals. */
export interface Commands {
  /**
   * Submits a command in the name of a request; with `keyed`, under the request's idempotency key. A `keyedHash` is
   * stored in place of the request's hash: what the key was used for before is then returned for any request, and the
   * caller compares them. Errors: Refusal, Unavailable.
   */
  submit<Command, Event extends DomainEvent>(
    request: SubmittedRequest,
    journal: JournalOf<Command, Event>,
    command: Command,
    how?: 'keyed' | Readonly<{ keyedHash: string }>,
  ): Promise<Outcome<Event>>;

  /**
   * Returns steps in several journals in the name of a request, which is admitted once: no step is refused for load.
   * With `keyed`, steps that ask for it are taken under the request's idempotency key. Errors: Refusal
   * TOO_MANY_REQUESTS.
   */
  steps(request: Request, how?: 'keyed'): Steps;

  /** Resolves when everything that this process has decided so far is in the log; see Journals. Errors: Unavailable. */
  settled(): Promise<boolean>;

  /** Admits a batch of writes. Errors: Refusal TOO_MANY_REQUESTS while reads are too far behind. */
  admitBatch(): void;

  /** Resolves when there is room for more, so that a body of any length is taken no faster than reads follow. */
  room(): Promise<void>;

  /**
   * The seconds for which an equal request without a key counts as a retry; 0 means never. Requests with `keyedHash` are
   * not compared here: their handlers see to it.
   */
  readonly bodyHashSeconds: number;

  /** Returns the public state of another journal; undefined when it does not exist for the caller's tenant. */
  fact(request: Pick<Request, 'context'>, journal: JournalName): Promise<JournalFact | undefined>;
}

/** The format of replies to keyed requests. A change of format gets a new number; old formats stay supported. */
export const REPLY_VERSION = 1;

export function createCommands(
  journals: Journals,
  { overloaded }: Pick<Progress, 'overloaded'>,
  { ids, scheduler }: Readonly<{ ids: Ids; scheduler: Pick<Scheduler, 'sleep' | 'elapsedMs'> }>,
  bodyHashSeconds: number,
): Commands {
  return {
    // Not async, because the promise of a promise takes three more turns of the queue of microtasks.
    submit(request, journal, command, how) {
      if (overloaded('single')) return Promise.reject(tooBusy());
      const idempotency =
        how === 'keyed' ? keyOf(request, bodyHashSeconds) : how && keyWith(request, how.keyedHash);
      return journals.submit(journal, { command, context: request.context, idempotency });
    },
    steps(request, how) {
      if (overloaded('single')) throw tooBusy();
      const { context } = request;
      const key = how === 'keyed' ? keyOf(request, bodyHashSeconds) : undefined;
      return createSteps(journals, { context, key }, { ids, scheduler });
    },
    settled: () => journals.settled(),
    admitBatch() {
      if (overloaded('batch')) throw tooBusy();
    },
    async room() {
      while (overloaded('batch')) await scheduler.sleep(LOOK_AGAIN_MS);
    },
    bodyHashSeconds,
    fact: ({ context }, journal) => journals.fact(journal, context.tenantId),
  };
}

/**
 * Returns the idempotency key; without one, an operator may let the request itself be the key for a while (contract
 * ledger §7.9).
 */
function keyOf(request: SubmittedRequest, bodyHashSeconds: number): IdempotencyKey | undefined {
  const { idempotency, operationId, body } = request;
  if (idempotency === undefined && bodyHashSeconds === 0) return undefined;
  const requestHash = fingerprint(operationId, body);
  return idempotency === undefined
    ? { key: requestHash, requestHash, ttlSeconds: bodyHashSeconds, replyVersion: REPLY_VERSION }
    : { ...idempotency, requestHash, replyVersion: REPLY_VERSION };
}

const keyWith = (
  { idempotency }: SubmittedRequest,
  requestHash: string,
): IdempotencyKey | undefined =>
  idempotency && {
    ...idempotency,
    requestHash,
    comparedByCaller: true,
    replyVersion: REPLY_VERSION,
  };

const LOOK_AGAIN_MS = 20;

const tooBusy = () =>
  refuse('TOO_MANY_REQUESTS', 'Reads have fallen behind writes; try again shortly.', {
    retryAfterSeconds: 1,
  });
