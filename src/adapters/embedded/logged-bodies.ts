import { isIntact, type HashedEvent } from '#src/kernel/event-hash.ts';
import { Damaged, Unavailable } from '#src/ports/errors.ts';
import type { BodiesFromLog } from '#src/ports/read-store.ts';
import { openEventTexts, type EventTexts } from './event-texts.ts';
import { PositionSet } from './position-set.ts';

/** Reads the bodies of rows from the events that put them, on the calling thread. */
export type LoggedBodies = Readonly<{
  /**
   * Returns the data of events, in the order of their positions. An event is checked against its hash the first time it
   * is read. Errors: Unavailable, Damaged.
   */
  data: (positions: readonly number[]) => readonly string[];
  /** Returns the function that makes the body of a row of a collection from the data of its event. */
  bodyOf: (collection: string) => BodiesFromLog[string];
  /** Returns one body, to be searched; reads ahead where searches do. Checks and errors as `data`. */
  search: (collection: string, position: number) => string;
  /** Drops what was read ahead of a search. */
  release: () => void;
  close: () => void;
}>;

/** Stands in for the log of a store that keeps its bodies. Errors: every read of a body. */
export const NO_LOG: LoggedBodies = {
  data: () => failWithoutLog(),
  bodyOf: () => failWithoutLog(),
  search: () => failWithoutLog(),
  release: () => undefined,
  close: () => undefined,
};

function failWithoutLog(): never {
  throw new Error('The rows have their bodies in a log that is not open');
}

/** Opens the log of a data folder on the first read. */
export function openLoggedBodies(dir: string, bodies: BodiesFromLog): LoggedBodies {
  let opened: EventTexts | undefined;
  const checked = new PositionSet();
  const near = new NearbyData();

  const checkedData = (event: HashedEvent | undefined, position: number): string => {
    if (event === undefined || !isIntact(event)) {
      throw new Damaged(`The event at position ${position} is not the one that was written there`);
    }
    checked.add(position);
    return event.data;
  };
  const dataAt = (log: EventTexts, positions: readonly number[]): readonly string[] => {
    const isChecked = (position: number): boolean => checked.has(position);
    if (positions.every(isChecked)) {
      const known = inOrder(positions, log.dataBetween, log.dataOf);
      if (!known.includes(undefined)) return known as readonly string[];
    }
    return inOrder(positions, log.hashedBetween, log.hashedOf).map((event, n) => {
      const position = positions[n]!;
      return event !== undefined && isChecked(position) ? event.data : checkedData(event, position);
    });
  };
  const reaching = <Result>(work: (log: EventTexts) => Result): Result => {
    try {
      return work((opened ??= openEventTexts(dir)));
    } catch (cause) {
      if (cause instanceof Damaged) throw cause;
      throw new Unavailable('The log cannot be read', { cause });
    }
  };
  const bodyOf = (collection: string): BodiesFromLog[string] => {
    const found = bodies[collection];
    if (found === undefined) throw new Error(`${collection} has no bodies in the log`);
    return found;
  };

  return {
    data: (positions) => (positions.length === 0 ? [] : reaching((log) => dataAt(log, positions))),
    bodyOf,
    search(collection, position) {
      const data = reaching((log) => {
        const found = near.data(log, position);
        const isKnown = found !== undefined && checked.has(position);
        return isKnown ? found : checkedData(log.hashed(position), position);
      });
      return bodyOf(collection)(data);
    },
    release: () => near.release(),
    close() {
      opened?.close();
      opened = undefined;
    },
  };
}

/** Reads positions that are close together at once: rows of a page mostly follow each other in the log, too. */
function inOrder<Found>(
  positions: readonly number[],
  between: (from: number, to: number) => readonly (readonly [position: number, found: Found])[],
  scattered: (positions: readonly number[]) => readonly (Found | undefined)[],
): readonly (Found | undefined)[] {
  const [from, to] = [Math.min(...positions), Math.max(...positions)];
  if (to - from > positions.length * SPREAD_MAX) return scattered(positions);
  const found = Array<Found | undefined>(to - from + 1).fill(undefined);
  for (const [position, one] of between(from, to)) found[position - from] = one;
  return positions.map((position) => found[position - from]);
}

/** Reads ahead, in the direction of a scan, which mostly passes one position after the other. */
class NearbyData {
  #from = 0;
  #data: (string | undefined)[] = [];
  #last = 0;

  data(log: EventTexts, position: number): string | undefined {
    const step = position - this.#last;
    this.#last = position;
    const known = this.#data[position - this.#from];
    if (known !== undefined) return known;
    if (Math.abs(step) > STEP_MAX) return log.data(position);
    this.#from = step < 0 ? Math.max(1, position - AHEAD + 1) : position;
    this.#data = Array<undefined>(AHEAD).fill(undefined);
    for (const [at, data] of log.dataBetween(this.#from, this.#from + AHEAD - 1)) {
      this.#data[at - this.#from] = data;
    }
    return this.#data[position - this.#from];
  }

  release(): void {
    this.#data = [];
  }
}

const AHEAD = 16;
const STEP_MAX = 4;
const SPREAD_MAX = 2;
