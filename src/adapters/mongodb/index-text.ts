/** Encodes a text for BSON: UTF-8 cannot distinguish lone surrogates, JSON's escapes can. */
export const encodeText = (text: string): string =>
  text.isWellFormed() && !text.startsWith(ESCAPED) ? text : ESCAPED + JSON.stringify(text);

/** Reverses encodeText. */
export const decodeText = (stored: string): string =>
  stored.startsWith(ESCAPED) ? (JSON.parse(stored.slice(ESCAPED.length)) as string) : stored;

const ESCAPED = '\u0001';
