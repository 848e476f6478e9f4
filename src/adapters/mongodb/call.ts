import {
  MongoBulkWriteError,
  MongoClientClosedError,
  MongoError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerClosedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
  type Collection,
  type OptionalUnlessRequiredId,
} from 'mongodb';
import { TimeBudgetExceeded, Unavailable } from '#src/ports/errors.ts';

/**
 * Runs work on the server and translates its faults into the port's errors. `withinMs` bounds the caller's wait; work
 * already sent may still take effect.
 *
 * Errors: Unavailable; TimeBudgetExceeded when the server reports that a time limit was hit; anything else unchanged.
 */
export async function callServer<Result>(
  work: () => Promise<Result>,
  withinMs = ANSWER_MS,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Unavailable(`The server did not respond within ${String(withinMs)} ms.`));
    }, withinMs);
  });
  try {
    return await Promise.race([work(), late]);
  } catch (error) {
    throw named(error);
  } finally {
    clearTimeout(timer);
  }
}

/** Inserts a document; returns false when its id exists already. */
export async function insertedNew<Stored extends { _id: string }>(
  collection: Collection<Stored>,
  document: Stored,
): Promise<boolean> {
  try {
    await collection.insertOne(document as OptionalUnlessRequiredId<Stored>);
    return true;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === DUPLICATE_KEY) return false;
    throw error;
  }
}

export const DUPLICATE_KEY = 11_000;

function named(error: unknown): unknown {
  const origin = originOf(error);
  if (isOutOfReach(origin)) {
    const why = origin instanceof Error ? origin.message : String(origin);
    return new Unavailable(`The server cannot be reached: ${why}`, { cause: origin });
  }
  if (origin instanceof MongoServerError && origin.code === TIME_LIMIT_HIT) {
    return new TimeBudgetExceeded('The query took more than the time it may.');
  }
  return error;
}

/** Unwraps the driver's error for a connection that failed in the middle of a bulk. */
function originOf(error: unknown): unknown {
  if (!(error instanceof MongoBulkWriteError)) return error;
  const inner: unknown = error.errorResponse;
  return inner instanceof MongoError ? inner : error;
}

function isOutOfReach(error: unknown): boolean {
  if (UNREACHABLE.some((kind) => error instanceof kind)) return true;
  if (error instanceof MongoError && POOL_ERRORS.includes(error.name)) return true;
  if (error instanceof Error && BROKEN_SOCKET.has(String((error as { code?: unknown }).code)))
    return true;
  return error instanceof MongoServerError && codesIn(error).some(isPassing);
}

/** Returns an error's codes, including those of a bulk's single operations. */
function codesIn(error: MongoServerError): readonly number[] {
  const refused = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
  return [Number(error.code), ...refused.map(({ code }) => code)];
}

const UNREACHABLE = [
  MongoNetworkError,
  MongoServerSelectionError,
  MongoServerClosedError,
  MongoTopologyClosedError,
  MongoNotConnectedError,
  MongoClientClosedError,
  MongoOperationTimeoutError,
  MongoWriteConcernError,
];

/** Errors of the driver's connection pool, which it does not export. */
const POOL_ERRORS = ['MongoWaitQueueTimeoutError', 'MongoPoolClosedError', 'MongoPoolClearedError'];

/** Node's error codes that the driver passes on when it writes to a connection that has ended without its knowledge. */
const BROKEN_SOCKET = new Set([
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  'ERR_SOCKET_CLOSED',
]);

/** Returns true if the server gave a write up in favor of another one, so that it certainly did not happen. */
export const isRolledBack = (error: unknown): boolean =>
  error instanceof MongoServerError &&
  codesIn(error).some((code) => code === WRITE_CONFLICT || sqlClass(code) === SQL_ROLLBACK);

const WRITE_CONFLICT = 112;
const SQL_ROLLBACK = '40';
const TIME_LIMIT_HIT = 50;

const isPassing = (code: number): boolean => PASSING.has(code) || SQL_CLASSES.has(sqlClass(code));

/**
 * Codes for temporary faults of a server: no primary, shutting down, unreachable hosts, or an internal failure, which
 * is how a proxy in front of another server reports that it lost it.
 */
const PASSING = new Set([
  1, 6, 7, 8, 64, 89, 91, 112, 189, 262, 317, 358, 9001, 10_058, 10_107, 11_600, 11_602, 13_388,
  13_435, 13_436,
]);

/**
 * FerretDB passes some states of PostgreSQL through, five characters of six bits each, the first in the lowest. These
 * classes are temporary: connection, rollback (including deadlocks), resources, locks, operator, system.
 */
const SQL_CLASSES = new Set(['08', SQL_ROLLBACK, '53', '55', '57', '58']);

const sqlClass = (code: number): string =>
  code < 2 ** 18 ? '' : String.fromCharCode(48 + (code & 63), 48 + ((code >> 6) & 63));

/** The limit for single reads and writes. */
const ANSWER_MS = 5000;

/** The limit for longer work: bulks, indexes, whole collections. */
export const WORK_MS = 20_000;
