import type { ListPosition, Walked } from '#src/ports/page.ts';
import type { Caller } from '#src/ports/read-store.ts';
import type { Stretch } from './paging.ts';

/**
 * Reads until enough rows pass a test that no column of the store can decide. Ends early after too many rows, or when
 * its caller is gone.
 */
export function scan<Found extends Readonly<{ born: ListPosition }>>(
  read: (stretch: Stretch) => Promise<readonly Found[]>,
  passes: (found: Found) => boolean,
  caller: Caller,
): (stretch: Stretch) => Promise<Walked<Found>> {
  return async ({ order, after, limit }) => {
    const found: Found[] = [];
    let reached = after;
    for (let looked = 0; looked < LOOKED_MAX && !caller.gone; looked += CHUNK) {
      const stretch = { order, limit: CHUNK, ...(reached !== undefined && { after: reached }) };
      const chunk = await read(stretch);
      for (const one of chunk) {
        if (passes(one) && found.push(one) === limit) return { found };
      }
      if (chunk.length < CHUNK) return { found };
      reached = chunk.at(-1)?.born;
    }
    return { found, ended: { cut: 'time', reached } };
  };
}

const CHUNK = 250;
/** Some rows are parsed on the thread that also takes requests, so this bounds its work to less than a second. */
const LOOKED_MAX = 5_000;
