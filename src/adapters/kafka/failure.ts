import { PublishFailed, type ErrorClass } from '#src/ports/publisher.ts';

/** What the driver met, in the classes that decide what becomes of a record (contract events §9.4). */
export function failureOf(error: unknown, acknowledged: number): PublishFailed {
  const cause = rootOf(error);
  if (cause instanceof PublishFailed) {
    return new PublishFailed(cause.errorClass, cause.message, { acknowledged });
  }
  return new PublishFailed(classOf(cause), cause.message, { cause, acknowledged });
}

/** Whether the broker takes nothing as large; it may be all records together that are. */
export const isTooLarge = (error: unknown): boolean =>
  ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE'].includes(typeOf(rootOf(error)));

/** Under what the driver wrapped around it when it gave up. */
function rootOf(error: unknown): Error {
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
