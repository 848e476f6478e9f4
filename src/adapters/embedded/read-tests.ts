import type { DatabaseSync } from 'node:sqlite';
import { metadataText } from './read-metadata.ts';
import type { ReadSlice } from './read-slice.ts';

/**
 * What statements ask of bodies. To look for a text costs a tenth of parsing, so a body is parsed only when it may
 * hold what is looked for; and each time the slice may end the statement (read-slice.ts). SQLite's own `instr` takes
 * ten times as long as a string's `includes`.
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
 * How a text stands in JSON: as it is, unless something in it has to be escaped or somebody chose to. Every escape
 * begins with a backslash, and where there is one, any text may be meant.
 */
export const inJson = (text: string): string =>
  JSON.stringify(text) === `"${text}"` ? text : ESCAPE;

const ESCAPE = '\\';

/** What is not a string is stored in the spelling of whoever wrote it, so its text need not be in the body. */
const MAYBE_NO_STRING = /^[-0-9{[]/;
