import type { DatabaseSync } from 'node:sqlite';
import type { LoggedBodies } from './logged-bodies.ts';
import { metadataText } from './read-metadata.ts';
import type { ReadSlice } from './read-slice.ts';

/**
 * Adds the SQL functions that test bodies, given as text or by their position in the log. Searching for a text costs a
 * tenth of parsing, so a body is parsed only when it may contain the text; and before each one the slice may abort the
 * statement (read-slice.ts). SQLite's own `instr` takes ten times as long as a string's `includes`.
 */
export function addBodyTests(db: DatabaseSync, slice: ReadSlice, bodies: LoggedBodies): void {
  let last = { key: '', is: '', inKey: '', inValue: '' };
  const metadataIs = (body: string, key: string, is: string): number => {
    if (key !== last.key || is !== last.is) {
      last = { key, is, inKey: inJson(key), inValue: MAYBE_NO_STRING.test(is) ? '' : inJson(is) };
    }
    const { inKey, inValue } = last;
    if (!(body.includes(inKey) && body.includes(inValue)) && !body.includes(ESCAPE)) return 0;
    slice.check();
    return metadataText(body, key) === is ? 1 : 0;
  };
  const mentions = (body: string, sought: string): number =>
    body.includes(sought) || body.includes(ESCAPE) ? 1 : 0;
  const logged = (collection: Argument, position: Argument): string =>
    bodies.search(String(collection), Number(position));

  const pure = { deterministic: true };
  db.function('metadata_is', pure, (text, key, is) =>
    metadataIs(String(text), String(key), String(is)),
  );
  db.function('mentions', pure, (text, sought) => mentions(String(text), String(sought)));
  db.function('logged_metadata_is', (collection, position, key, is) =>
    metadataIs(logged(collection, position), String(key), String(is)),
  );
  db.function('logged_mentions', (collection, position, sought) =>
    mentions(logged(collection, position), String(sought)),
  );
}

type Argument = string | number | bigint | Uint8Array | null;

/**
 * Returns a text as JSON contains it: unchanged, unless it has characters that must or may be escaped. Every escape
 * begins with a backslash, and a body with one may contain any text.
 */
export const inJson = (text: string): string =>
  JSON.stringify(text) === `"${text}"` ? text : ESCAPE;

const ESCAPE = '\\';

/** Values other than strings are stored as the client spelled them, so their text need not be in the body. */
const MAYBE_NO_STRING = /^[-0-9{[]/;
