import type { Check } from '#src/http/services.ts';
import { NONE, type Revision } from '#src/kernel/ids.ts';
import type { EventStore } from '#src/ports/event-store.ts';
import type { Log } from '#src/ports/log.ts';
import { describeBehind } from '#src/runtime/catch-up.ts';

/** Follows journals that are being read into memory, whose commands wait meanwhile. */
export type JournalLoads = Readonly<{
  /** Hears that a journal was read up to a revision, or to its end. */
  heard: (journal: string, next: Revision, isEnd: boolean) => void;
  /** Absent unless a load takes long. */
  check: () => Readonly<{ journals?: Check }>;
}>;

/** Logs the progress of a load, unless it ends quickly, as it does from a recent snapshot. */
export function createJournalLoads(
  store: Pick<EventStore, 'last'>,
  log: Log,
  elapsedMs: () => number,
): JournalLoads {
  const loads = new Map<string, JournalLoad>();

  const begin = (journal: string, next: Revision): JournalLoad => {
    const sinceMs = elapsedMs();
    const load = { from: next, sinceMs, next, heardMs: sinceMs, saidMs: undefined, end: undefined };
    loads.set(journal, load);
    return load;
  };

  const say = async (journal: string, load: JournalLoad): Promise<void> => {
    load.saidMs = load.heardMs;
    try {
      load.end ??= ((await store.last(journal))?.revision ?? NONE) + 1;
    } catch {
      return; // The store is unavailable, which the load reports.
    }
    if (loads.get(journal) === load) log.info(`${journal} is being loaded: ${progressOf(load)}`);
  };

  return {
    heard(journal, next, isEnd) {
      const known = loads.get(journal);
      // A load that goes back has failed and begins again.
      const load = known === undefined || next <= known.next ? begin(journal, next) : known;
      load.next = next;
      load.heardMs = elapsedMs();
      const { sinceMs, saidMs, heardMs } = load;
      if (isEnd) {
        loads.delete(journal);
        const seconds = ((heardMs - sinceMs) / 1000).toFixed(1);
        if (saidMs !== undefined) log.info(`${journal} is loaded, after ${seconds} s`);
      } else if (heardMs >= (saidMs === undefined ? sinceMs + FIRST_MS : saidMs + EVERY_MS)) {
        void say(journal, load);
      }
    },
    check() {
      const since = elapsedMs() - SILENT_MS_MAX;
      const shown = [...loads].filter(
        ([, { end, heardMs }]) => end !== undefined && heardMs > since,
      );
      if (shown.length === 0) return {};
      const detail = shown.map(([journal, load]) => `loading ${journal}: ${progressOf(load)}`);
      return { journals: { status: 'up', latency_ms: 0, detail: detail.join('; ') } };
    },
  };
}

type JournalLoad = {
  readonly from: Revision;
  readonly sinceMs: number;
  next: Revision;
  heardMs: number;
  /** Undefined until the load has taken long. */
  saidMs: number | undefined;
  /** The number of events of the journal; undefined until it was looked up. */
  end: number | undefined;
};

function progressOf({ from, sinceMs, next, heardMs, end = next }: JournalLoad): string {
  const events = Math.max(0, end - next);
  const eventsPerSecond = Math.round((next - from) / ((heardMs - sinceMs) / 1000));
  return describeBehind({
    events,
    eventsPerSecond,
    secondsToGo: Math.ceil(events / Math.max(1, eventsPerSecond)),
    done: next / Math.max(1, end),
  });
}

const FIRST_MS = 500;
const EVERY_MS = 3000;
/** A load that has read nothing for this long has failed. */
const SILENT_MS_MAX = 10_000;
