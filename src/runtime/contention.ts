import type { ClusterMessages } from '#src/ports/cluster-messages.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';

/** How processes that write one journal hear of each other (journal/sharing.ts). */
export type Contention = Readonly<{
  /** This process keeps losing a journal to others. */
  wait(journal: string): void;
  stop(): Promise<void>;
}>;

type CrowdOptions = Readonly<{
  board: ClusterMessages;
  scheduler: Scheduler;
  /** Some process, perhaps this one, waits to write a journal. */
  onWaiting: (journal: string) => void;
}>;

/** A notice counts when it is new to whoever reads it: no clocks are compared. */
export function createContention({ board, scheduler, onWaiting }: CrowdOptions): Contention {
  const seen = new Map<string, string>();
  const toldMs = new Map<string, number>();
  let first = true;
  let stopping = false;
  let wakeUp = (): void => undefined;

  const look = async (): Promise<void> => {
    const notices = await board.list(PREFIX);
    for (const [name, text] of notices) {
      if (seen.get(name) !== text && !first) onWaiting(text.slice(0, text.indexOf(' ')));
      seen.set(name, text);
    }
    first = false;
  };

  const run = async (): Promise<void> => {
    while (!isStopping()) {
      await look().catch(() => undefined); // Without it whoever waits has to be lucky.
      const awake = new Promise<void>((resolve) => (wakeUp = resolve));
      await Promise.race([scheduler.sleep(LOOK_MS), awake]);
    }
  };
  const isStopping = (): boolean => stopping;
  const running = run();

  return {
    wait(journal) {
      const nowMs = scheduler.elapsedMs();
      if (nowMs - (toldMs.get(journal) ?? -TELL_MS) < TELL_MS) return;
      if (toldMs.size >= JOURNALS_MAX) toldMs.clear();
      toldMs.set(journal, nowMs);
      const text = `${journal} ${String(scheduler.random())}`;
      board.post(PREFIX + slotOf(journal), text, ANYBODY).catch(() => undefined);
    },
    async stop() {
      stopping = true;
      wakeUp();
      await running;
    },
  };
}

/** There are few, so that notices need not be cleared away; two journals in one take turns being read. */
function slotOf(journal: string): string {
  let sum = 0;
  for (let at = 0; at < journal.length; at += 1) sum = (sum * 31 + journal.charCodeAt(at)) % SLOTS;
  return String(sum);
}

const SLOTS = 97;
const PREFIX = 'waiting/';
const LOOK_MS = 200;
const TELL_MS = 500;
const JOURNALS_MAX = 1000;
/** No lease is needed to say so. */
const ANYBODY = 0;
