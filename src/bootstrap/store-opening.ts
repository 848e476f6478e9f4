import { folderFault } from '#src/adapters/embedded/folder-fault.ts';
import { logFile } from '#src/adapters/embedded/log.ts';
import { systemScheduler } from '#src/adapters/system.ts';
import type { Check } from '#src/http/services.ts';
import type { Starting } from '#src/http/starting.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { Log } from '#src/ports/log.ts';
import { isEmbedded, shownUrl, type StoreUrls } from './store-urls.ts';

/** Opens stores that may be unavailable, and meanwhile reports which one it waits for. */
export type StoreOpening = Starting &
  Readonly<{
    /** Opens a store, with retries while it cannot be reached. Errors: the store's own; Unavailable after `giveUp`. */
    until: <Opened>(store: StoreName, open: () => Promise<Opened>) => Promise<Opened>;
    /** Ends all retries, because the process ends. */
    giveUp: () => void;
    /** Resolves a moment after `giveUp`, for callers that cannot wait for an attempt to end. */
    gaveUp: Promise<undefined>;
  }>;

type StoreName = 'event_store' | 'read_store';

export function openWhenReachable(places: StoreUrls, log: Log): StoreOpening {
  const { eventStoreUrl, readStoreUrl, dataDir } = places;
  const urls = { event_store: eventStoreUrl, read_store: readStoreUrl };
  const shown = (store: StoreName): string =>
    isEmbedded(urls[store]) ? `the data folder ${dataDir}` : shownUrl(urls[store]);
  let store: StoreName = 'event_store';
  let sinceMs = performance.now();
  let why = '';
  let over = false;
  const { promise: gaveUp, resolve } = Promise.withResolvers<undefined>();

  const checkOf = (name: StoreName): Check => {
    if (name !== store) {
      return { status: name === 'event_store' ? 'up' : 'skipped', latency_ms: 0 };
    }
    const detail = `Waiting for ${shown(store)}${why === '' ? '' : `: ${why}`}`;
    return { status: 'down', latency_ms: Math.round(performance.now() - sinceMs), detail };
  };

  const sayUnreachable = (): void => {
    const name = store === 'event_store' ? 'Event store' : 'Read store';
    log.warn(`${name} ${shown(store)} is unreachable; retrying${why && `: ${why}`}`);
  };

  /** Returns what is faulty if the error names no file: the log has one, read models have several. */
  const faultyPath = (): string => (store === 'event_store' ? logFile(dataDir) : dataDir);

  return {
    waitsFor: () => shown(store),
    readiness: () => ({
      ready: false,
      checks: { event_store: checkOf('event_store'), read_store: checkOf('read_store') },
      deploymentMode: Object.values(urls).every(isEmbedded) ? 'embedded' : 'distributed',
    }),
    async until(name, open) {
      store = name;
      sinceMs = performance.now();
      why = '';
      const soon = setTimeout(sayUnreachable, FIRST_WORD_MS); // An attempt may take long, so report it before.
      try {
        for (;;) {
          if (isOver()) throw new Unavailable('The process ends');
          try {
            return await open();
          } catch (error) {
            if (isEmbedded(urls[store])) throw folderFault(error, faultyPath()); // A retry does not help.
            if (!(error instanceof Unavailable)) throw error;
            why = error.message;
            clearTimeout(soon);
            if (!isOver()) sayUnreachable();
          }
          await systemScheduler.sleep(RETRY_MS);
        }
      } finally {
        clearTimeout(soon);
      }
    },
    giveUp() {
      over = true;
      setTimeout(resolve, LAST_ATTEMPT_MS, undefined);
    },
    gaveUp,
  };

  function isOver(): boolean {
    return over;
  }
}

const FIRST_WORD_MS = 1500;
const RETRY_MS = 2000;
/** Files are opened within this time; a server that does not respond leaves nothing to close. */
const LAST_ATTEMPT_MS = 500;
