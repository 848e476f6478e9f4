import { randomUUID } from 'node:crypto';
import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import { PendingCalls } from '#src/adapters/threads/pending-calls.ts';
import type { Revision } from '#src/kernel/ids.ts';
import { Ambiguous, Damaged, Unavailable } from '#src/ports/errors.ts';
import type { Appended, NewEvent } from '#src/ports/event-store.ts';
import type { AppendCall, EventStoreConnection } from './connection.ts';
import { appendFault, refusalOf } from './faults.ts';
import { appendRequests, mustBeWhole } from './messages.ts';
import { positionOf } from './positions.ts';

type AppendSent = Readonly<{ stream: string; expected: Revision; count: number }>;

/**
 * Sends appends, many at once over one call. On a fresh call the first one goes alone: if the connection turns out to
 * be broken, those queued behind it have not left this process, and are known not to be written.
 */
export class Appends {
  readonly #connection: EventStoreConnection;
  readonly #answerWithinMs: number;
  /** Calls by correlation id. */
  readonly #calls: PendingCalls<string, AppendSent, Appended>;
  #call: AppendCall | undefined;
  #opening: Promise<AppendCall> | undefined;
  /** Settles with the first response over a fresh call. */
  #trial: Promise<void> | undefined;
  #proven = false;
  #closed = false;
  #waiting = 0;
  #drained: (() => void) | undefined;

  constructor(connection: EventStoreConnection, answerWithinMs: number) {
    this.#connection = connection;
    this.#answerWithinMs = answerWithinMs;
    this.#calls = new PendingCalls({
      withinMs: answerWithinMs,
      late: ({ stream }) =>
        new Ambiguous(`No response to an append to ${stream} in ${answerWithinMs} ms`),
    });
  }

  async append(stream: string, events: readonly NewEvent[], expected: Revision): Promise<Appended> {
    if (this.#closed) throw new Unavailable('The event store is closed');
    mustBeWhole(events);
    this.#waiting += 1;
    try {
      return await this.#inTurn(() => this.#send(stream, events, expected));
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#drained?.();
    }
  }

  /** Accepts no more appends and finishes the accepted ones. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#waiting > 0) await new Promise<void>((drained) => (this.#drained = drained));
    await this.#calls.drained();
  }

  async #inTurn(send: () => Promise<Appended>): Promise<Appended> {
    while (!this.#proven) {
      if (this.#trial === undefined) {
        const attempt = send();
        const trial = attempt.then(
          () => undefined,
          (error: unknown) => {
            if (!this.#proven) throw error;
          },
        );
        this.#trial = trial.finally(() => (this.#trial = undefined));
        this.#trial.catch(() => {}); // Those who await it see the error.
        return attempt;
      }
      await this.#trial.catch((cause: unknown) => {
        throw new Unavailable('The event store does not respond', { cause });
      });
    }
    return send();
  }

  async #send(stream: string, events: readonly NewEvent[], expected: Revision): Promise<Appended> {
    const call = this.#call ?? (await this.#opened(stream));
    const correlation = randomUUID();
    const deadlineMs = Date.now() + Math.max(this.#answerWithinMs, SERVER_WITHIN_MS);
    const answered = this.#calls.add(correlation, { stream, expected, count: events.length });
    for (const part of appendRequests(correlation, stream, events, expected, deadlineMs)) {
      call.write(part);
    }
    return answered;
  }

  /** Opens a call. Errors: Unavailable; nothing has been sent yet. */
  async #opened(stream: string): Promise<AppendCall> {
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined));
    const { promise: late, reject } = Promise.withResolvers<never>();
    const ms = this.#answerWithinMs;
    const timer = setTimeout(
      () => reject(new Unavailable(`No connection to the event store in ${String(ms)} ms`)),
      ms,
    );
    try {
      return await Promise.race([this.#opening, late]);
    } catch (cause) {
      throw new Unavailable(`An append to ${stream} cannot be sent: ${String(cause)}`, { cause });
    } finally {
      clearTimeout(timer);
    }
  }

  async #open(): Promise<AppendCall> {
    const call = await this.#connection.batchAppend();
    this.#call = call;
    call.on('data', (response: BatchAppendResp) => this.#take(response));
    call.on('error', (error: Error) => this.#break(call, error));
    call.on('end', () => this.#break(call, new Error('The server ended the call')));
    return call;
  }

  #take(response: BatchAppendResp): void {
    this.#proven = true;
    const correlation = response.getCorrelationId()?.getString() ?? '';
    const call = this.#calls.take(correlation);
    if (call === undefined) return; // It was rejected before.
    const { request, resolve, reject } = call;
    const { stream, expected, count } = request;
    const success = response.getSuccess();
    if (success === undefined) {
      reject(refusalOf(response, stream, expected));
      return;
    }
    const revision = Number(success.getCurrentRevision());
    if (revision === expected + count) {
      resolve({ revision, position: positionOf(success.getPosition()?.getCommitPosition() ?? '') });
    } else {
      reject(new Damaged(`${stream} continues at ${String(revision)}: it was deleted before`));
    }
  }

  /** Ends the call and fails every append it carried. */
  #break(call: AppendCall, error: Error): void {
    if (this.#call !== call) return;
    const alone = !this.#proven && this.#calls.size === 1;
    this.#call = undefined;
    this.#proven = false;
    this.#calls.rejectAll(({ stream }) => appendFault(error, stream, alone));
  }
}

/** The server receives a time of day, and its clock may differ: longer than any caller waits. */
const SERVER_WITHIN_MS = 10_000;
