/** A text as BSON can hold it: UTF-8 cannot tell one lone surrogate from another, JSON's escapes can. */
export const encodeText = (text: string): string =>
  text.isWellFormed() && !text.startsWith(ESCAPED) ? text : ESCAPED + JSON.stringify(text);

/** Undoes encodeText. */
export const decodeText = (stored: string): string =>
  stored.startsWith(ESCAPED) ? (JSON.parse(stored.slice(ESCAPED.length)) as string) : stored;

const ESCAPED = '\u0001';
