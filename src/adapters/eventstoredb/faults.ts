import { convertToCommandError, ErrorType, isCommandError } from '@eventstore/db-client';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import { NONE, type Revision } from '#src/kernel/ids.ts';
import { Ambiguous, Damaged, Unavailable } from '#src/ports/errors.ts';
import { WrongExpectedRevision } from '#src/ports/event-store.ts';

/** Translates the server's refusal of one append. */
export function refusalOf(response: BatchAppendResp, stream: string, expected: Revision): Error {
  const error = response.getError();
  const details = error?.getDetails();
  const bytes = details?.getValue_asU8() ?? new Uint8Array();
  const reason = error?.getMessage() ?? '';
  switch (details?.getTypeName()) {
    case 'event_store.client.WrongExpectedVersion': {
      const wrong = shared.WrongExpectedVersion.deserializeBinary(bytes);
      const actual = wrong.hasCurrentStreamRevision()
        ? Number(wrong.getCurrentStreamRevision())
        : NONE;
      return new WrongExpectedRevision(stream, expected, actual);
    }
    case 'event_store.client.StreamDeleted':
      return new Damaged(`The stream ${stream} was deleted`);
    case 'event_store.client.AccessDenied':
      return new Unavailable(`The event store refuses access to ${stream}`);
    case 'event_store.client.MaximumAppendSizeExceeded':
      return new Error(`An append to ${stream} is too large for the event store`);
    case 'event_store.client.Timeout':
      return new Ambiguous(`The event store did not finish an append to ${stream} in time`);
    default:
      // The server says about this append itself that it did not take it.
      if (/not ready/i.test(reason))
        return new Unavailable(`The event store is not ready: ${reason}`);
      return new Ambiguous(`An append to ${stream} failed: ${reason}`);
  }
}

/** Translates the failure of a read or a subscription. A missing stream is not a failure: see `isMissing`. */
export function readFault(cause: unknown): Error {
  if (cause instanceof Unavailable || cause instanceof Damaged) return cause;
  const error = asError(cause);
  const type = isCommandError(error) ? error.type : undefined;
  if (type === ErrorType.STREAM_DELETED)
    return new Damaged(`A stream was deleted: ${error.message}`, { cause });
  return new Unavailable(`The event store cannot be read: ${describe(error)}`, { cause });
}

/** Translates the failure of an append whose call broke; `alone`: it was the first on its call, and the only one. */
export function appendFault(cause: unknown, stream: string, alone: boolean): Error {
  const error = asError(cause);
  const message = `The append to ${stream} broke off: ${describe(error)}`;
  const untouched = alone && wasNeverTaken(error);
  return new (untouched ? Unavailable : Ambiguous)(message, { cause });
}

/** Returns true if retrying the same request is useless. */
export function isHopeless(cause: unknown): boolean {
  const error = asError(cause);
  return isCommandError(error) && (HOPELESS.has(error.type) || HOPELESS_CODES.has(error.code ?? 0));
}

function wasNeverTaken(error: Error): boolean {
  const type = isCommandError(error) ? error.type : undefined;
  return (
    type === ErrorType.NOT_LEADER ||
    type === ErrorType.ACCESS_DENIED ||
    NEVER_REACHED.test(error.message)
  );
}

const asError = (cause: unknown): Error =>
  cause instanceof Error ? convertToCommandError(cause) : new Error(String(cause));

const describe = (error: Error): string =>
  error.message || (isCommandError(error) ? error.type : error.name);

const HOPELESS: ReadonlySet<ErrorType> = new Set([
  ErrorType.ACCESS_DENIED,
  ErrorType.STREAM_DELETED,
]);
/** gRPC's INVALID_ARGUMENT and UNIMPLEMENTED. */
const HOPELESS_CODES: ReadonlySet<number> = new Set([3, 12]);

/** Matches the transport's messages when there was no connection at all. */
const NEVER_REACHED = /No connection established|Failed to discover|Name resolution failed/;
