import { PublishFailed, type ErrorClass } from '#src/ports/publisher.ts';

/** Maps an error of the driver to the class that decides how a record is handled (contract events §9.4). */
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

/** Reads the code from the message: the error of a refused handshake has no code property. */
const codeIn = (message: string): number => Number(/\b(4\d\d) \(/.exec(message)?.[1]);

/** Reply codes of AMQP 0-9-1. */
const BY_CODE: Readonly<Record<number, ErrorClass>> = {
  311: 'serialization_error', // content too large
  403: 'auth_error',
  404: 'topic_not_found',
  406: 'topic_not_found', // The exchange exists, but with other properties than required.
  506: 'broker_overloaded',
};
