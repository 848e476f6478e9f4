import type { EventStore, Position, StoredEvent, Subscription } from '#src/ports/event-store.ts';
import { isIntact } from '#src/kernel/event-hash.ts';
import { damaged } from '#src/ports/intact.ts';
import { LoggedEvent } from './logged-event.ts';
import { sleep, type Retry } from '#src/ports/retry.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';

/** Pages of the log that several readers share. */
export interface LogWindow {
  /** Returns at least one event after a position, in order, and waits until there is one. Errors: Stopped, Damaged. */
  after(position: Position): Promise<readonly LoggedEvent[]>;

  /** Returns the number of events after a position that were read; there may be more. */
  known(position: Position): number;

  /** Reports that there may be more in the log. */
  look(): void;

  close(): Promise<void>;
}

export type LogWindowOptions = Readonly<{
  log: Pick<EventStore, 'readAll' | 'subscribe'>;
  retry: Retry;
  scheduler: Scheduler;
  stop: AbortSignal;
  pageEvents: number;
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
  /** The pages are disjoint; the least recently used one is dropped first. */
  let pages: LogPage[] = [];
  const reading = new Map<Position, Promise<void>>();
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
    const chars = fresh.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
    const before = pages.find((page) => page.last === after && page.events.length < pageEvents);
    uses += 1;
    if (before === undefined) {
      pages.push({ after, last, events, chars, used: uses });
    } else {
      // A page that is being read is not changed; a longer one replaces it.
      const longer = [...before.events, ...events];
      pages[pages.indexOf(before)] = {
        ...{ after: before.after, last, events: longer },
        ...{ chars: before.chars + chars, used: uses },
      };
    }
    forget();
  };

  const forget = (): void => {
    let chars = pages.reduce((sum, page) => sum + page.chars, 0);
    while (pages.length > 1 && (pages.length > PAGES_MAX || chars > CHARS_MAX)) {
      const oldest = pages.reduce((a, b) => (a.used <= b.used ? a : b));
      chars -= oldest.chars;
      pages = pages.filter((page) => page !== oldest);
    }
  };

  /** Reads the page after a position; at the end of the log, starts the subscription. */
  const read = async (position: Position): Promise<void> => {
    const stored = untilDamage(await retry(() => log.readAll(position, pageEvents)));
    if (stored.length > 0) add(position, stored);
    else if (tail === undefined) follow(position);
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

  return {
    async after(position) {
      for (;;) {
        stop.throwIfAborted();
        const page = pageAfter(position);
        if (page !== undefined) {
          page.used = uses += 1;
          return eventsAfter(page, position);
        }
        if (tail !== undefined && position >= tail.position) {
          const woken = new Promise<void>((resolve) => waiting.push(resolve));
          tail.goOn();
          await woken;
        } else {
          let page = reading.get(position);
          if (page === undefined) {
            page = read(position).finally(() => reading.delete(position));
            reading.set(position, page);
          }
          await page;
        }
      }
    },
    known: (position) =>
      pages
        .filter(({ last }) => last > position)
        .reduce((sum, page) => sum + eventsAfter(page, position).length, 0),
    look: () => void look(),
    async close() {
      const closing = tail;
      tail = undefined;
      wakeAll();
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
}> & { used: number };

/** The subscription at the end of the log; all events up to its position have arrived. */
type WindowTail = {
  position: Position;
  goOn: () => void;
  subscription: Subscription | undefined;
};

function eventsAfter({ after, events }: LogPage, position: Position): readonly LoggedEvent[] {
  if (position <= after) return events;
  return events.slice(events.findIndex((event) => event.position > position));
}

const byPlace = (a: LogPage, b: LogPage): number => (a.after < b.after ? -1 : 1);

const PAGES_MAX = 16;
/** The maximum length of all pages together, in characters; above it, readers that are far apart read pages again. */
const CHARS_MAX = 8 * 1024 * 1024;
const FOLLOW_AGAIN_MS = 500;
