import { record, uuid } from '#src/kernel/schema-fragments.ts';

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
      data: {
        type: 'object',
        additionalProperties: true,
        description:
          'Byte for byte as stored. If `schemaVersion` in the metadata is 2, it is the short form of a transaction: `posted` has its id, organization, ledger, `createdAt`, asset and amount; each of `postings` has side (D or C), account id, alias, amount, available before and after, and version of the balance; all else follows, or is in `more` (docs/journal.md)',
      },
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

/** An event with its revision in its journal. */
export type JournalEventView = Readonly<{
  revision: number;
  position: string;
  id: string;
  type: string;
  data: string;
  metadata: string;
}>;

/** `data` and `metadata` are JSON already and are sent as stored, because a hash covers their bytes. */
export const journalLine = (event: JournalEventView): string => `{${membersOf(event)}}\n`;

/** Formats a line of several journals, which also names its journal. */
export const namedJournalLine = (journal: string, event: JournalEventView): string =>
  `{"stream":${quoted(journal)},${membersOf(event)}}\n`;

const membersOf = ({ revision, position, id, type, data, metadata }: JournalEventView): string =>
  `"revision":${revision},"position":${quoted(position)},"id":${quoted(id)},` +
  `"type":${quoted(type)},"data":${data},"metadata":${metadata}`;

const quoted = (text: string): string => JSON.stringify(text);

/**
 * Parses a line without altering the stored texts; returns undefined for a line of another form. The end of `data` is
 * found by its JSON: braces in strings do not count.
 */
export function readJournalLine(
  line: string,
): Readonly<{ journal: string | undefined; event: JournalEventView }> | undefined {
  const head = HEAD.exec(line);
  if (head === null) return undefined;
  const [all, journal, revision, position = '', id = '', type = ''] = head;
  const end = endOfValue(line, all.length);
  if (end === undefined || !line.startsWith(METADATA, end) || !line.endsWith('}')) return undefined;
  return {
    journal: journal === undefined ? undefined : unquoted(journal),
    event: {
      revision: Number(revision),
      position: unquoted(position),
      id: unquoted(id),
      type: unquoted(type),
      data: line.slice(all.length, end),
      metadata: line.slice(end + METADATA.length, -1),
    },
  };
}

const METADATA = ',"metadata":';
const TEXT = '("[^"\\\\]*(?:\\\\.[^"\\\\]*)*")';
const HEAD = new RegExp(
  `^\\{(?:"stream":${TEXT},)?"revision":(\\d{1,15}),"position":${TEXT},"id":${TEXT},"type":${TEXT},"data":`,
);

/** Returns the offset after the object that begins at `from`; undefined if the object does not end. */
function endOfValue(text: string, from: number): number | undefined {
  if (text[from] !== '{') return undefined;
  let depth = 0;
  MARK.lastIndex = from;
  for (let mark = MARK.exec(text); mark !== null; mark = MARK.exec(text)) {
    if (mark[0] === '{') depth += 1;
    else if (mark[0] === '}') depth -= 1;
    if (depth === 0) return MARK.lastIndex;
  }
  return undefined;
}

/** Matches a brace, or a whole string. */
const MARK = /[{}]|"[^"\\]*(?:\\.[^"\\]*)*"/g;

function unquoted(text: string): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    return text; // The text differs from what was written, and verification reports that.
  }
}
