import { record, uuid } from './common.ts';

/** One line of a journal as auditors read it (contract ledger §5.7). */
export const journalEventSchema = {
  title: 'JournalEvent',
  description: 'One line for each event, in order, with no array around them.',
  ...record(
    {
      revision: { type: 'integer', minimum: 0, description: 'From 0 without gaps' },
      position: { type: 'string', description: 'In the whole log; opaque' },
      id: uuid,
      type: { type: 'string' },
      data: { type: 'object', additionalProperties: true, description: 'Byte for byte as stored' },
      metadata: {
        type: 'object',
        additionalProperties: true,
        description:
          'Byte for byte as stored; `hash` is SHA-256 over the previous hash, type, data and the rest of this',
      },
    },
    ['revision', 'position', 'id', 'type', 'data', 'metadata'],
  ),
} as const;

/** An event with its place in its journal. */
export type JournalEvent = Readonly<{
  revision: number;
  position: string;
  id: string;
  type: string;
  data: string;
  metadata: string;
}>;

/** `data` and `metadata` are JSON already and go out as they are stored: a hash covers their bytes. */
export const journalLine = ({ revision, position, id, type, data, metadata }: JournalEvent) =>
  `{"revision":${revision},"position":${quoted(position)},"id":${quoted(id)},` +
  `"type":${quoted(type)},"data":${data},"metadata":${metadata}}\n`;

const quoted = (text: string): string => JSON.stringify(text);
