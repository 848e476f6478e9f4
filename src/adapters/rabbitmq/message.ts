import type { Options } from 'amqplib';
import type { OutgoingRecord } from '#src/ports/publisher.ts';

export type Message = Readonly<{
  id: string;
  routingKey: string;
  content: Buffer;
  options: Options.Publish;
}>;

/** Turns a record into an AMQP message (contract events §8); header values are texts, sent as long strings. */
export function messageOf({ headers, value }: OutgoingRecord): Message {
  const at = (name: string): string => headers[name] ?? '';
  const tenant = headers['ce-tenantid'];
  const id = at('ce-id');
  return {
    id,
    routingKey: `${at('ce-resourcetype')}.${at('ce-eventtype')}`,
    content: Buffer.from(value),
    options: {
      mandatory: true,
      persistent: true,
      contentType: headers['ce-datacontenttype'] ?? 'application/json',
      messageId: id,
      type: short(at('ce-type')),
      appId: short(at('ce-source')),
      timestamp: Math.floor(Date.parse(at('ce-time')) / 1000),
      headers: { ...headers, ...(tenant !== undefined && { 'X-Tenant-ID': tenant }) },
    },
  };
}

/** Shortens a text for properties, which hold 255 bytes; the headers have it in full. */
function short(text: string): string {
  let kept = text.slice(0, SHORT_BYTES_MAX);
  while (Buffer.byteLength(kept) > SHORT_BYTES_MAX) kept = kept.slice(0, -1);
  return kept;
}
const SHORT_BYTES_MAX = 255;
