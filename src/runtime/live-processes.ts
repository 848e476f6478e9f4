import type { ClusterMessages } from '#src/ports/cluster-messages.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';

/** A process that serves the same log, as it announces itself. */
export type LiveProcess = Readonly<{
  /** Identifies one run of a process. */
  id: string;
  host: string;
  port: number;
  /** Processes of different releases do not send each other commands. */
  release: string;
}>;

export type LiveProcesses = Readonly<{
  /** Announces that this process goes. */
  withdraw(): Promise<void>;
  stop(): Promise<void>;
}>;

type LiveProcessesOptions = Readonly<{
  messages: ClusterMessages;
  logId: string;
  scheduler: Scheduler;
  self: LiveProcess;
  /** Called after every look, with the other live processes of the same release. */
  onLook: (others: readonly LiveProcess[]) => void;
}>;

/**
 * Announces this process to the others and finds out which of them are alive: those whose announcement changes, by the
 * clock of the reader. A process announces itself in one of a few slots, which need not be deleted after its death; if two
 * take the same slot at once, each sees the other's announcement there, and takes a free one.
 */
export function announceProcess(options: LiveProcessesOptions): LiveProcesses {
  const { messages, logId, scheduler, self, onLook } = options;
  const prefix = `processes/${logId}/`;
  const seen = new Map<string, { text: string; changedMs: number | undefined; sinceMs: number }>();
  let slot: string | undefined;
  let beats = 0;
  let isWithdrawn = false;
  let isStopping = false;
  let wakeUp = (): void => undefined;

  const look = async (): Promise<void> => {
    const found = await messages.list(prefix);
    const nowMs = scheduler.elapsedMs();
    for (const [name, text] of found) {
      const known = seen.get(name);
      if (known === undefined) seen.set(name, { text, changedMs: undefined, sinceMs: nowMs });
      else if (known.text !== text) seen.set(name, { text, changedMs: nowMs, sinceMs: nowMs });
    }
    const isAt = (name: string): boolean => processIn(found.get(name))?.id === self.id;
    if (slot === undefined || (found.has(slot) && !isAt(slot))) slot = freeSlot(nowMs);
    onLook(alive(nowMs));
  };

  const freeSlot = (nowMs: number): string | undefined => {
    const isFree = (name: string): boolean => {
      const last = seen.get(name);
      return last === undefined || last.text === GONE || nowMs - last.sinceMs > FREE_AFTER_MS;
    };
    const names = Array.from({ length: SLOTS }, (_, n) => prefix + String(n)).filter(isFree);
    return names[Math.floor(scheduler.random() * names.length)];
  };

  const alive = (nowMs: number): LiveProcess[] => {
    const changing = [...seen.values()].filter(
      ({ changedMs }) => changedMs !== undefined && nowMs - changedMs < ALIVE_MS,
    );
    return changing
      .map(({ text }) => processIn(text))
      .filter((one) => one !== undefined)
      .filter(({ id, release }) => id !== self.id && release === self.release);
  };

  const announce = async (): Promise<void> => {
    if (slot === undefined || isWithdrawn) return;
    beats += 1;
    await messages.post(slot, JSON.stringify({ ...self, beats }), NO_LEASE);
  };

  const run = async (): Promise<void> => {
    while (!isStopping) {
      // Without the store, processes stay with those that they know.
      await look().catch(() => undefined);
      await announce().catch(() => undefined);
      const awake = new Promise<void>((resolve) => (wakeUp = resolve));
      await Promise.race([scheduler.sleep(BEAT_MS), awake]);
    }
  };
  const running = run();

  return {
    async withdraw() {
      isWithdrawn = true;
      if (slot !== undefined) await messages.post(slot, GONE, NO_LEASE).catch(() => undefined);
    },
    async stop() {
      isStopping = true;
      wakeUp();
      await running;
    },
  };
}

function processIn(text: string | undefined): LiveProcess | undefined {
  if (text === undefined || text === GONE) return undefined;
  const { id, host, port, release } = JSON.parse(text) as LiveProcess;
  return { id, host, port, release };
}

const GONE = '';
const BEAT_MS = 500;
/** Several beats, because a busy process or store is late now and then. */
const ALIVE_MS = 3000;
const FREE_AFTER_MS = 10_000;
const SLOTS = 64;
const NO_LEASE = 0;
