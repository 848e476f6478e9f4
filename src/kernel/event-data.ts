import { compactPosting } from './compact-posting.ts';
import { isCompact } from './compact-form.ts';
import type { DomainEvent } from './decider.ts';
import { wholePosting } from './whole-posting.ts';

/** The data of an event as it is stored, with the version of its schema. */
export type StoredData = Readonly<{ data: string; schemaVersion: 1 | 2 }>;

/**
 * Returns the text to store for the data of an event. Version 2 is a shorter form of frequent events; all others are
 * stored whole, as JSON.
 */
export function storedData(event: DomainEvent): StoredData {
  const { type, data } = event;
  const { compact = type === 'TransactionPosted' ? compactPosting(data) : undefined } = event;
  if (compact !== undefined && compact.length <= COMPACT_MAX) {
    return { data: compact, schemaVersion: 2 };
  }
  const whole = JSON.stringify(data);
  if (isCompact(whole)) throw new Error(`The data of ${type} would be read as a compact posting`);
  return { data: whole, schemaVersion: 1 };
}

/**
 * Reads the data of an event from its stored text, whatever the version of its schema. Nothing else may parse that text,
 * unless it reads both forms. Errors: SyntaxError, Error for damaged data.
 */
export const parseData = (data: string): object =>
  isCompact(data) ? wholePosting(data) : (JSON.parse(data) as object);

/**
 * The most characters of a compact posting. The record of a longer one could be larger than an append may be, and then
 * than a message that a broker takes; whole, it is refused for its size.
 */
const COMPACT_MAX = 65_536;
