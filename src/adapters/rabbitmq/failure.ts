import { PublishFailed, type ErrorClass } from '#src/ports/publisher.ts';

/** What the driver met, in the classes that decide what becomes of a record (contract events §9.4). */
export function failureOf(error: unknown, acknowledged: number): PublishFailed {
  const cause = error instanceof Error ? error : new Error(String(error));
  const errorClass = cause instanceof PublishFailed ? cause.errorClass : classOf(cause);
  return new PublishFailed(errorClass, cause.message, { cause, acknowledged });
}

function classOf(error: Error & { code?: unknown }): ErrorClass {
  const code = typeof error.code === 'number' ? error.code : codeIn(error.message);
  return (
    BY_CODE[code] ??
    (error.message === 'connect ETIMEDOUT' ? 'network_timeout' : 'broker_unavailable')
  );
}

/** A refused handshake is an error without a code of its own. */
const codeIn = (message: string): number => Number(/\b(4\d\d) \(/.exec(message)?.[1]);

/** Reply codes of AMQP 0-9-1. */
const BY_CODE: Readonly<Record<number, ErrorClass>> = {
  311: 'serialization_error', // content too large
  403: 'auth_error',
  404: 'topic_not_found',
  406: 'topic_not_found', // The exchange is there, but another one than we need.
  506: 'broker_overloaded',
};
