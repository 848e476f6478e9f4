import type { OutgoingRecord, PublishFailed } from '#src/ports/publisher.ts';

/** Why the delivery of a record was abandoned (contract events §9.4). */
export type FailedDelivery = Readonly<{
  topic: string;
  failure: PublishFailed;
  retries: number;
  /** The time of the first failure, in RFC 3339 format. */
  firstFailureAt: string;
  platform: string;
  producerId: string;
}>;

/** Builds the dead letter of a record: the record itself, with the reason in headers. */
export function deadRecord(
  { key, headers, value }: OutgoingRecord,
  { topic, failure, retries, firstFailureAt, platform, producerId }: FailedDelivery,
): OutgoingRecord {
  const prefix = `x-${platform}-dlq-`;
  return {
    key,
    headers: {
      ...headers,
      [`${prefix}source-topic`]: topic,
      [`${prefix}error-class`]: failure.errorClass,
      [`${prefix}error-message`]: plain(failure.message),
      [`${prefix}retry-count`]: String(retries),
      [`${prefix}first-failure-at`]: firstFailureAt,
      [`${prefix}producer-id`]: producerId,
    },
    value,
  };
}

/** Removes the payload of a dead letter that is too large for the dead-letter topic. */
export const withoutPayload = (dead: OutgoingRecord, platform: string): OutgoingRecord => ({
  key: dead.key,
  headers: {
    ...dead.headers,
    [`x-${platform}-dlq-payload-omitted`]: 'true',
    [`x-${platform}-dlq-payload-bytes`]: String(Buffer.byteLength(dead.value)),
  },
  value: '',
});

const plain = (message: string): string =>
  message.replaceAll(/\p{Cc}+/gu, ' ').slice(0, MESSAGE_LENGTH_MAX);

const MESSAGE_LENGTH_MAX = 500;
