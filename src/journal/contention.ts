import type { ClusterMessages } from '#src/ports/cluster-messages.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';

/**
 * Makes processes that write one journal take turns. A process that appends without a pause always wins: its next append
 * leaves before the others have read the last one. So after each batch it stands aside for about as long as a turn takes,
 * while it knows of others: it lost to them, read their events, or they announced that they wait.
 */
export class TurnTaking {
  readonly #elapsedMs: () => number;
  #untilMs = 0;
  #turnMs = TURN_MS;

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs;
  }

  /** Another process writes the journal too. */
  contended(): void {
    this.#untilMs = this.#elapsedMs() + CONTENDED_MS;
  }

  get isOn(): boolean {
    return this.#elapsedMs() < this.#untilMs;
  }

  /** Records how long a turn took: catching up, deciding, appending. */
  took(ms: number): void {
    this.#turnMs += (Math.min(ms, ASIDE_MS_MAX) - this.#turnMs) / 8;
  }

  /**
   * Returns how long to stand aside, in milliseconds: one to two turns, at random, so that no process keeps missing the
   * gap.
   */
  asideMs(random: number): number {
    return Math.min(this.#turnMs * (1 + random), ASIDE_MS_MAX);
  }
}

const CONTENDED_MS = 2000;
const TURN_MS = 5;
const ASIDE_MS_MAX = 100;

/** Announces to other processes that this one waits for a journal, and listens for their announcements. */
export type ContentionNotices = Readonly<{
  /** This process keeps losing the journal to others. */
  announce(journal: string): void;
  stop(): Promise<void>;
}>;

type NoticeOptions = Readonly<{
  messages: ClusterMessages;
  scheduler: Scheduler;
  /** Some process, perhaps this one, waits to write a journal. */
  onWaiting: (journal: string) => void;
}>;

/** A notice counts when its text is new to the reader, so that clocks of processes need not agree. */
export function createContentionNotices(options: NoticeOptions): ContentionNotices {
  const { messages, scheduler, onWaiting } = options;
  const seen = new Map<string, string>();
  const announcedMs = new Map<string, number>();
  const state = { isFirst: true, isStopping: false };
  let wakeUp = (): void => undefined;

  const listen = async (): Promise<void> => {
    for (const [name, text] of await messages.list(PREFIX)) {
      if (seen.get(name) !== text && !state.isFirst) onWaiting(text.slice(0, text.indexOf(' ')));
      seen.set(name, text);
    }
    state.isFirst = false;
  };

  const run = async (): Promise<void> => {
    while (!state.isStopping) {
      await listen().catch(() => undefined); // Without notices, a waiting process has to be lucky.
      const awake = new Promise<void>((resolve) => (wakeUp = resolve));
      await Promise.race([scheduler.sleep(LISTEN_MS), awake]);
    }
  };
  const running = run();

  return {
    announce(journal) {
      const nowMs = scheduler.elapsedMs();
      if (nowMs - (announcedMs.get(journal) ?? -ANNOUNCE_MS) < ANNOUNCE_MS) return;
      if (announcedMs.size >= JOURNALS_MAX) announcedMs.clear();
      announcedMs.set(journal, nowMs);
      const text = `${journal} ${String(scheduler.random())}`;
      messages.post(PREFIX + slotOf(journal), text, NO_LEASE).catch(() => undefined);
    },
    async stop() {
      state.isStopping = true;
      wakeUp();
      await running;
    },
  };
}

/** A few names, so that notices need not be deleted; two journals with one name replace each other's notices. */
function slotOf(journal: string): string {
  let sum = 0;
  for (let at = 0; at < journal.length; at += 1) sum = (sum * 31 + journal.charCodeAt(at)) % SLOTS;
  return String(sum);
}

const SLOTS = 97;
const PREFIX = 'waiting/';
const LISTEN_MS = 200;
const ANNOUNCE_MS = 500;
const JOURNALS_MAX = 1000;
const NO_LEASE = 0;
