import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { Micros } from '#src/kernel/instant.ts';
import { Ambiguous, Damaged, Unavailable } from '#src/ports/errors.ts';
import {
  WrongExpectedRevision,
  type NewEvent,
  type Position,
  type StoredEvent,
} from '#src/ports/event-store.ts';

/** The settings of the worker. */
export type StoreWorkerData = Readonly<{ url: string; answerWithinMs: number }>;

/** A request to the worker. Its responses carry its number; the requests of one turn travel in one message. */
export type WorkerRequest = Readonly<
  { number: number } & (
    | { is: 'open'; newLogId: Uuid; withinMs: number }
    | { is: 'append'; stream: string; expected: Revision; texts: readonly string[] }
    | { is: 'read'; stream: string; from: Revision; limit: number }
    | { is: 'readAll'; after: Position; limit: number }
    | { is: 'at'; position: Position }
    | { is: 'last'; stream: string }
    | { is: 'end' }
    | { is: 'positionAt'; instant: Micros }
    | { is: 'subscribe'; after: Position }
    /** The last batch of the subscription `number` was taken, so that the next one may follow. */
    | { is: 'taken' }
    | { is: 'unsubscribe' }
    | { is: 'close' }
  )
>;

export type WorkerAnswer = Readonly<
  { number: number } & (
    { value: unknown } | { fault: PlainError } | { events: readonly StoredEvent[] }
  )
>;

/** An error, as plain data: classes do not cross threads. */
export type PlainError = Readonly<{
  name: string;
  message: string;
  wrong?: Readonly<{ stream: string; expected: Revision; actual: Revision }>;
}>;

export function toPlainError(error: unknown, stream = ''): PlainError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { name, message } = error;
  if (!(error instanceof WrongExpectedRevision)) return { name, message };
  const { expected, actual } = error;
  return { name, message, wrong: { stream, expected, actual } };
}

export function errorFrom({ name, message, wrong }: PlainError): Error {
  if (wrong !== undefined) {
    return new WrongExpectedRevision(wrong.stream, wrong.expected, wrong.actual);
  }
  const Fault = { Ambiguous, Damaged, Unavailable }[name];
  return Fault === undefined ? new Error(message) : new Fault(message);
}

/** Returns id, type, data and metadata of each event in turn: the cheapest form to transfer. */
export const textsOf = (events: readonly NewEvent[]): string[] =>
  events.flatMap(({ id, type, data, metadata }) => [id, type, data, metadata]);

export function eventsOf(texts: readonly string[]): NewEvent[] {
  const events: NewEvent[] = [];
  for (let at = 0; at < texts.length; at += 4) {
    const [id = '', type = '', data = '', metadata = ''] = texts.slice(at, at + 4);
    events.push({ id: id as Uuid, type, data, metadata });
  }
  return events;
}
