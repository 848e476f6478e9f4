import { PublishFailed, type ErrorClass } from '#src/ports/publisher.ts';

/** Maps an error of the driver to the class that decides how a record is handled (contract events §9.4). */
export function failureOf(error: unknown, acknowledged: number): PublishFailed {
  const cause = rootOf(error);
  if (cause instanceof PublishFailed) {
    return new PublishFailed(cause.errorClass, cause.message, { acknowledged });
  }
  return new PublishFailed(classOf(cause), cause.message, { cause, acknowledged });
}

/** Returns true if the broker rejects the size, possibly only that of all records together. */
export const isTooLarge = (error: unknown): boolean =>
  ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE'].includes(typeOf(rootOf(error)));

/** Finds the original error beneath the driver's wrappers. */
export function rootOf(error: unknown): Error {
  let root = error instanceof Error ? error : new Error(String(error));
  while (WRAPPINGS.has(root.name) && root.cause instanceof Error) root = root.cause;
  return root;
}
const WRAPPINGS = new Set(['KafkaJSNumberOfRetriesExceeded', 'KafkaJSNonRetriableError']);

const typeOf = (error: Error): string => ('type' in error ? String(error.type) : '');

const classOf = (error: Error): ErrorClass =>
  BY_TYPE[typeOf(error)] ?? BY_NAME[error.name] ?? 'broker_unavailable';

const BY_TYPE: Readonly<Record<string, ErrorClass>> = {
  MESSAGE_TOO_LARGE: 'serialization_error',
  RECORD_LIST_TOO_LARGE: 'serialization_error',
  INVALID_RECORD: 'serialization_error',
  UNKNOWN_TOPIC_OR_PARTITION: 'topic_not_found',
  INVALID_TOPIC_EXCEPTION: 'topic_not_found',
  TOPIC_AUTHORIZATION_FAILED: 'auth_error',
  CLUSTER_AUTHORIZATION_FAILED: 'auth_error',
  SASL_AUTHENTICATION_FAILED: 'auth_error',
  UNSUPPORTED_SASL_MECHANISM: 'auth_error',
  ILLEGAL_SASL_STATE: 'auth_error',
  REQUEST_TIMED_OUT: 'network_timeout',
  THROTTLING_QUOTA_EXCEEDED: 'broker_overloaded',
};

const BY_NAME: Readonly<Record<string, ErrorClass>> = {
  KafkaJSSASLAuthenticationError: 'auth_error',
  KafkaJSRequestTimeoutError: 'network_timeout',
};
