import {
  areKnownMembers,
  readCompact,
  type CompactMembers,
  type CompactOperation,
  type CompactPosting,
} from './compact-form.ts';

/**
 * Reads data of a TransactionPosted of schema version 2. Without anything unusual its text is scanned, in less than half of
 * the time that JSON.parse takes, which looks each short text up in a table. Errors: those of readCompact.
 */
export const readPosting = (data: string): CompactPosting => scanPosting(data) ?? readCompact(data);

/**
 * Returns undefined if anything is unusual. A text of a client cannot be mistaken for anything else, because none has a
 * quotation mark or a backslash.
 */
export function scanPosting(data: string): CompactPosting | undefined {
  HEAD.lastIndex = 0;
  const head = HEAD.exec(data);
  if (head === null) return undefined;
  const postings: CompactOperation[] = [];
  OPERATION.lastIndex = HEAD.lastIndex;
  for (;;) {
    const at = OPERATION.exec(data);
    if (at === null) return undefined;
    // Groups are read by number, because destructuring would cost as much as the match itself.
    const operation = [at[1], at[2], at[3], at[4], at[5], at[6], Number(at[7])];
    postings.push(operation as unknown as CompactOperation);
    if (at[8] !== ',') break;
  }
  const listed = [head[1], head[2], head[3], head[4], head[5], head[6]];
  const posted = listed as unknown as CompactPosting['posted'];
  const more = moreAt(data, OPERATION.lastIndex);
  return more && (more === NO_MORE ? { posted, postings } : { posted, postings, more });
}

/** A posting without optional members but a description and metadata, whose ordinals have one hexadecimal digit. */
export type UsualPosting = Pick<CompactPosting, 'posted' | 'postings'> &
  Readonly<{ more: Readonly<{ description?: string; metadata?: object }> }>;

/** Returns a posting that may be written as text member by member; undefined for any other. */
export function usualPosting(data: string): UsualPosting | undefined {
  const scanned = scanPosting(data);
  if (scanned === undefined || scanned.postings.length > ONE_DIGIT_MAX) return undefined;
  const { posted, postings, more = NO_MORE } = scanned;
  for (const name in more) if (name !== 'description' && name !== 'metadata') return undefined;
  return { posted, postings, more };
}

/** Returns whether data ends behind its operations as that of most postings does. */
export function endsAsUsual(data: string, from: number): boolean {
  DESCRIPTION.lastIndex = from;
  return data.startsWith('}', from) ? data.length === from + 1 : DESCRIPTION.test(data);
}

/** Reads the optional members of the transaction, which end the data; mostly a description alone. */
function moreAt(data: string, from: number): CompactMembers | undefined {
  if (data.startsWith('}', from)) return data.length === from + 1 ? NO_MORE : undefined;
  DESCRIPTION.lastIndex = from;
  const described = DESCRIPTION.exec(data);
  if (described !== null) return { description: described[1] };
  if (!data.startsWith(MORE, from) || !data.endsWith('}')) return undefined;
  try {
    const more: unknown = JSON.parse(data.slice(from + MORE.length, -1));
    return areKnownMembers(more) ? more : undefined;
  } catch {
    return undefined; // The data is damaged, or has yet another member.
  }
}

const NO_MORE: CompactMembers = {};
const ONE_DIGIT_MAX = 15;
const MORE = ',"more":';
const TEXT = '"([^"\\\\]*)"';
const ID = '"([0-9a-f-]{36})"';
const HEAD = new RegExp(
  `\\{"posted":\\[${ID},${ID},${ID},${TEXT},${TEXT},${TEXT}\\],"postings":\\[`,
  'y',
);
const OPERATION = new RegExp(
  `\\["([CD])",${ID},${TEXT},${TEXT},${TEXT},${TEXT},(\\d{1,15})\\]([,\\]])`,
  'y',
);
const DESCRIPTION = new RegExp(`${MORE}\\{"description":${TEXT}\\}\\}$`, 'y');
