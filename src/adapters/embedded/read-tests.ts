import type { DatabaseSync } from 'node:sqlite';
import { metadataText } from './read-metadata.ts';
import type { ReadSlice } from './read-slice.ts';

/**
 * Adds the SQL functions that test bodies. Searching for a text costs a tenth of parsing, so a body is parsed only when
 * it may contain the text; and before each one the slice may abort the statement (read-slice.ts). SQLite's own `instr`
 * takes ten times as long as a string's `includes`.
 */
export function addBodyTests(db: DatabaseSync, slice: ReadSlice): void {
  let last = { key: '', is: '', inKey: '', inValue: '' };
  db.function('metadata_is', { deterministic: true }, (text, name, value) => {
    const [body, key, is] = [String(text), String(name), String(value)];
    if (key !== last.key || is !== last.is) {
      last = { key, is, inKey: inJson(key), inValue: MAYBE_NO_STRING.test(is) ? '' : inJson(is) };
    }
    const { inKey, inValue } = last;
    if (!(body.includes(inKey) && body.includes(inValue)) && !body.includes(ESCAPE)) return 0;
    slice.check();
    return metadataText(body, key) === is ? 1 : 0;
  });
  db.function('mentions', { deterministic: true }, (text, sought) => {
    const body = String(text);
    return body.includes(String(sought)) || body.includes(ESCAPE) ? 1 : 0;
  });
}

/**
 * Returns a text as JSON contains it: unchanged, unless it has characters that must or may be escaped. Every escape
 * begins with a backslash, and a body with one may contain any text.
 */
export const inJson = (text: string): string =>
  JSON.stringify(text) === `"${text}"` ? text : ESCAPE;

const ESCAPE = '\\';

/** Values other than strings are stored as the client spelled them, so their text need not be in the body. */
const MAYBE_NO_STRING = /^[-0-9{[]/;
