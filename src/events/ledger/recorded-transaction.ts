import { isCompact } from '#src/kernel/compact-form.ts';
import { postingText } from '#src/kernel/posting-text.ts';
import type { TransactionEvent } from './transaction.ts';

/**
 * Returns the text of the transaction in the data of one of its events, byte for byte: JSON.stringify wrote both. In
 * data of version 1 it is the first member, and the only one whose value is an object, so data that ends with two braces
 * ends with it; from version 2 it is derived. Errors: SyntaxError, Error for a damaged event.
 */
export const recordedTransaction = (data: string): string =>
  isCompact(data)
    ? postingText(data)
    : data.startsWith(OPENING) && data.endsWith('}}')
      ? data.slice(OPENING.length, -1)
      : JSON.stringify((JSON.parse(data) as TransactionEvent['data']).transaction);

const OPENING = '{"transaction":';
