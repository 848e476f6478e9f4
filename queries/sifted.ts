import { TimeBudgetExceeded } from '#src/ports/errors.ts';
import type { Born } from '#src/ports/page.ts';
import type { Stretch } from './paging.ts';

/**
 * Reads on until enough is found that passes a test which no column of the store can answer.
 * Errors: TimeBudgetExceeded when too much had to be looked at.
 */
export function sifted<Found extends Readonly<{ born: Born }>>(
  read: (stretch: Stretch) => Promise<readonly Found[]>,
  passes: (found: Found) => boolean,
): (stretch: Stretch) => Promise<readonly Found[]> {
  return async ({ order, after, limit }) => {
    const passed: Found[] = [];
    let from = after;
    for (let looked = 0; looked < LOOKED_MAX; looked += CHUNK) {
      const found = await read({ order, limit: CHUNK, ...(from !== undefined && { after: from }) });
      for (const one of found) {
        if (passes(one) && passed.push(one) === limit) return passed;
      }
      const last = found.at(-1);
      if (last === undefined || found.length < CHUNK) return passed;
      from = last.born;
    }
    throw new TimeBudgetExceeded(
      `Less than a page was found among ${LOOKED_MAX}; narrow the dates.`,
    );
  };
}

const CHUNK = 250;
const LOOKED_MAX = 50_000;
