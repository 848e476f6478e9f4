import type { EventStore, Position, StoredEvent, LogSubscription } from '#src/ports/event-store.ts';
import { isIntact } from '#src/kernel/event-hash.ts';
import { damaged } from '#src/ports/intact.ts';
import { createCatchUp, type Measure } from './catch-up.ts';
import { LoggedEvent } from './logged-event.ts';
import { sleep, type Retry } from '#src/ports/retry.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';

/** Pages of the log that several readers share. */
export interface LogWindow {
  /** Returns at least one event after a position, in order, and waits until there is one. Errors: Stopped, Damaged. */
  after(position: Position): Promise<readonly LoggedEvent[]>;

  /** Adds a reader that goes through the log together with others. */
  join(): LogReader;

  /** Returns the number of events after a position up to the end of the log; those that were not read are estimated. */
  behind(position: Position, end: Position): number;

  /** Reports that there may be more in the log. */
  look(): void;

  close(): Promise<void>;
}

/**
 * One of the readers that go through the log together: one that is ahead waits for the others, so that each page is read
 * once, but not for one that rests or has fallen behind.
 */
export type LogReader = Readonly<{
  /** Returns the events of some types in the next part of the log, at least one event long; waits until there is one. */
  next(position: Position, types: ReadonlySet<string>): Promise<LogStretch>;

  /** Reports that this reader will not go on for a while. */
  rest(): void;
}>;

/** A part of the log up to and including `end`, of which only some events are shown. */
export type LogStretch = Readonly<{ events: readonly PlacedEvent[]; end: Position }>;

/** An event with the position of its predecessor in the log. */
export type PlacedEvent = Readonly<{ event: LoggedEvent; before: Position }>;

export type LogWindowOptions = Readonly<{
  log: Pick<EventStore, 'readAll' | 'subscribe'>;
  retry: Retry;
  scheduler: Scheduler;
  stop: AbortSignal;
  pageEvents: number;
  measure: Measure;
  /** Called when the subscription failed; it will be opened again. */
  onTrouble: (error: unknown) => void;
}>;

/**
 * Shares pages of the log: readers that are near each other use the same ones. A reader that has fallen behind reads
 * its own pages until it has caught up. At the end of the log, one subscription serves all, at the speed of the
 * fastest.
 */
export function createLogWindow(options: LogWindowOptions): LogWindow {
  const { log, retry, scheduler, stop, pageEvents, onTrouble } = options;
  const catchUp = createCatchUp(options.measure, () => scheduler.elapsedMs());
  /** The pages are disjoint; the least recently used one is dropped first. */
  let pages: LogPage[] = [];
  const reading = new Map<Position, Promise<void>>();
  const readers: WindowReader[] = [];
  /** Those that wait until a reader has moved or rests. */
  let crowded: (() => void)[] = [];
  let tail: WindowTail | undefined;
  let waiting: (() => void)[] = [];
  let looking = false;
  let uses = 0;

  const pageAfter = (position: Position): LogPage | undefined =>
    pages.find((page) => page.after <= position && position < page.last);

  const add = (after: Position, stored: readonly StoredEvent[]): void => {
    const covering = pageAfter(after);
    if (covering !== undefined) {
      const { last } = covering;
      const rest = stored.filter(({ position }) => position > last);
      if (rest.length > 0) add(last, rest);
      return;
    }
    const next = pages.filter((page) => page.after >= after).sort(byPlace)[0]?.after;
    const fresh = next === undefined ? stored : stored.filter(({ position }) => position <= next);
    const last = fresh.at(-1)?.position;
    if (last === undefined) return;
    const events = fresh.map((event) => new LoggedEvent(event));
    catchUp.passed(after, last, events.length);
    const chars = fresh.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
    const before = pages.find((page) => page.last === after && page.events.length < pageEvents);
    uses += 1;
    if (before === undefined) {
      pages.push({ after, last, events, chars, used: uses, shown: new Map() });
    } else {
      // A page that is being read is not changed; a longer one replaces it.
      const longer = [...before.events, ...events];
      pages[pages.indexOf(before)] = {
        ...{ after: before.after, last, events: longer },
        ...{ chars: before.chars + chars, used: uses, shown: new Map() },
      };
    }
    forget();
  };

  const forget = (): void => {
    while (pages.length > 1 && isOver(pages)) {
      const old = pages.filter(({ used }) => used < uses);
      const through = neededFrom();
      const unneeded = old.filter(({ last }) => through === undefined || last <= through);
      const oldest = (unneeded.length > 0 ? unneeded : old).reduce((a, b) =>
        a.used <= b.used ? a : b,
      );
      pages = pages.filter((page) => page !== oldest);
    }
  };

  /** Returns the least position of the readers that are in the pages, and before another one's position if given. */
  const neededFrom = (ahead?: Position): Position | undefined =>
    readers
      .filter(({ position, together }) => together && (ahead === undefined || position < ahead))
      .filter(({ position }) => pageAfter(position) !== undefined)
      .map(({ position }) => position)
      .sort()[0];

  /** Waits until a page may be dropped for a new one, or those who need them all have fallen behind. */
  const room = async (position: Position): Promise<void> => {
    const state = { late: false };
    const holdsBack = (): boolean => {
      const from = neededFrom(position);
      return from !== undefined && isFull(pages) && !pages.some(({ last }) => last <= from);
    };
    if (!holdsBack()) return;
    void scheduler.sleep(BEHIND_MS).then(() => {
      state.late = true;
      makeRoom();
    });
    while (holdsBack()) {
      const from = neededFrom(position);
      const slowest = from === undefined ? undefined : pageAfter(from);
      if (state.late && slowest !== undefined) {
        for (const reader of readers) if (reader.position < slowest.last) reader.together = false;
      } else {
        await new Promise<void>((resolve) => crowded.push(resolve));
        stop.throwIfAborted();
      }
    }
  };

  /** Reads the page after a position; at the end of the log, starts the subscription. */
  const read = async (position: Position): Promise<void> => {
    const stored = untilDamage(await retry(() => log.readAll(position, pageEvents)));
    if (stored.length > 0) add(position, stored);
    else if (tail === undefined) follow(position);
  };

  const makeRoom = (): void => {
    const woken = crowded;
    crowded = [];
    for (const wake of woken) wake();
  };

  const follow = (position: Position): void => {
    if (stop.aborted) return;
    const following: WindowTail = { position, goOn: () => {}, subscription: undefined };
    tail = following;
    following.subscription = log.subscribe(position, (events) => arrived(following, events));
    following.subscription.ended.then(
      () => {
        lost(following, undefined);
      },
      (error: unknown) => {
        lost(following, error);
      },
    );
  };

  const arrived = async (to: WindowTail, stored: readonly StoredEvent[]): Promise<void> => {
    if (tail !== to || !grow(to, stored)) return;
    // Wait until a reader has come to the end of these events before taking the next ones.
    await new Promise<void>((resolve) => (to.goOn = resolve));
  };

  const grow = (to: WindowTail, stored: readonly StoredEvent[]): boolean => {
    const fresh = stored.filter(({ position }) => position > to.position);
    const last = fresh.at(-1);
    if (last === undefined) return false;
    add(to.position, fresh);
    to.position = last.position;
    wakeAll();
    return true;
  };

  const lost = (gone: WindowTail, error: unknown): void => {
    if (tail !== gone || stop.aborted) return;
    onTrouble(error ?? new Error('The log is followed no more'));
    sleep(FOLLOW_AGAIN_MS, scheduler, stop).then(
      () => {
        tail = undefined; // The next read at the end opens it again.
        wakeAll();
      },
      () => {},
    );
  };

  const wakeAll = (): void => {
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  };

  const look = async (): Promise<void> => {
    if (looking || tail === undefined) return;
    looking = true;
    try {
      const at = tail;
      const stored = await log.readAll(at.position, pageEvents);
      if (tail === at) grow(at, stored);
    } catch {
      // The subscription delivers them.
    } finally {
      looking = false;
    }
  };

  /** Returns the page after a position, and waits until there is one. */
  const pageFor = async (position: Position, together: boolean): Promise<LogPage> => {
    for (;;) {
      stop.throwIfAborted();
      const page = pageAfter(position);
      if (page !== undefined) {
        page.used = uses += 1;
        return page;
      }
      if (tail !== undefined && position >= tail.position) {
        const woken = new Promise<void>((resolve) => waiting.push(resolve));
        tail.goOn();
        await woken;
      } else {
        let page = reading.get(position);
        if (page === undefined) {
          page = (together ? room(position) : Promise.resolve())
            .then(() => read(position))
            .finally(() => reading.delete(position));
          reading.set(position, page);
        }
        await page;
      }
    }
  };

  return {
    after: async (position) => eventsAfter(await pageFor(position, false), position),

    join() {
      const self: WindowReader = { position: LAST, together: true };
      readers.push(self);
      return {
        async next(position, types) {
          self.position = position;
          makeRoom();
          const page = await pageFor(position, self.together);
          self.together ||= pages.every(({ last }) => last <= page.last);
          return stretchOf(page, position, types);
        },
        rest() {
          self.together = false;
          makeRoom();
        },
      };
    },

    behind(position, end) {
      let [at, events] = [position, 0];
      const skip = (to: Position): void => {
        if (to > at) events += catchUp.behind(at, to).events;
      };
      for (const page of pages.toSorted(byPlace).filter(({ last }) => last > position)) {
        skip(page.after);
        events += eventsAfter(page, position).length;
        at = page.last;
      }
      if (tail === undefined || at < tail.position) skip(end);
      return events;
    },
    look: () => void look(),
    async close() {
      const closing = tail;
      tail = undefined;
      wakeAll();
      makeRoom();
      closing?.goOn();
      await closing?.subscription?.close();
    },
  };
}

/** Returns the events before the first damaged one. Errors: Damaged if that is the very first. */
function untilDamage(stored: readonly StoredEvent[]): readonly StoredEvent[] {
  const at = stored.findIndex((event) => !isIntact(event));
  const event = stored[at];
  if (event === undefined) return stored;
  if (at > 0) return stored.slice(0, at);
  throw damaged(event);
}

type LogPage = Readonly<{
  after: Position;
  last: Position;
  events: readonly LoggedEvent[];
  chars: number;
  /** The events of some types, by the set of their names. */
  shown: Map<ReadonlySet<string>, readonly PlacedEvent[]>;
}> & { used: number };

type WindowReader = {
  position: Position;
  /** The others wait for it. */
  together: boolean;
};

/** The subscription at the end of the log; all events up to its position have arrived. */
type WindowTail = {
  position: Position;
  goOn: () => void;
  subscription: LogSubscription | undefined;
};

function eventsAfter({ after, events }: LogPage, position: Position): readonly LoggedEvent[] {
  if (position <= after) return events;
  return events.slice(events.findIndex((event) => event.position > position));
}

function stretchOf(page: LogPage, position: Position, types: ReadonlySet<string>): LogStretch {
  let shown = page.shown.get(types);
  if (shown === undefined) {
    shown = page.events.flatMap((event, n) =>
      types.has(event.type) ? [{ event, before: page.events[n - 1]?.position ?? page.after }] : [],
    );
    page.shown.set(types, shown);
  }
  if (position <= page.after) return { events: shown, end: page.last };
  return { events: shown.filter(({ event }) => event.position > position), end: page.last };
}

const isOver = (pages: readonly LogPage[]): boolean =>
  pages.length > PAGES_MAX || charsOf(pages) > CHARS_MAX;
/** Returns true if there is no room for another page as long as the longest one. */
const isFull = (pages: readonly LogPage[]): boolean =>
  pages.length >= PAGES_MAX ||
  charsOf(pages) + Math.max(0, ...pages.map(({ chars }) => chars)) > CHARS_MAX;
const charsOf = (pages: readonly LogPage[]): number =>
  pages.reduce((sum, { chars }) => sum + chars, 0);

const byPlace = (a: LogPage, b: LogPage): number => (a.after < b.after ? -1 : 1);

const PAGES_MAX = 16;
/** The maximum length of all pages together, in characters; above it, readers that are far apart read pages again. */
const CHARS_MAX = 8 * 1024 * 1024;
const FOLLOW_AGAIN_MS = 500;
/** A reader for which the others have waited this long has fallen behind, and reads its own pages. */
const BEHIND_MS = 3000;
/** Sorts after every position. */
const LAST = '\u{10ffff}' as Position;
