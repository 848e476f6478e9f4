import { Fenced } from '#src/ports/checkpoint-store.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { Lease, Leases } from '#src/ports/leases.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';

/** Work that goes on until it is stopped. */
export type Work = Readonly<{
  /** Errors: whatever ends it; the lease is then released and acquired again. */
  run(): Promise<void>;
  /** Resolves when nothing runs any more. */
  stop(): Promise<void>;
}>;

type RoleOptions = Readonly<{
  /** The name of the lease. */
  name: string;
  /** Names this process for operators. */
  holder: string;
  /** Returns whether a holder cannot come back, so that its lease need not expire first. */
  isGone?: (holder: string) => boolean;
  leases: Leases;
  scheduler: Scheduler;
  /** Begins the work under a lease; what it writes carries the fence. */
  begin: (fence: number) => Promise<Work>;
  onFault: (error: unknown) => void;
}>;

export type HeldRole = Work & Readonly<{ isHeld: () => boolean }>;

/**
 * Runs the work of a role while this process holds its lease, and stands by while another one does. A holder that dies
 * is replaced shortly after `FOR_MS`; one that stops normally, at once.
 */
export function holdRole(options: RoleOptions): HeldRole {
  const { name, holder, leases, scheduler, begin, onFault } = options;
  let stopping = false;
  let work: Work | undefined;
  let running: Promise<void> | undefined;

  const run = async (): Promise<void> => {
    while (!isStopping()) {
      const lease = await acquired();
      if (lease !== undefined) await hold(lease);
      if (!isStopping()) await scheduler.sleep(STAND_BY_MS);
    }
  };
  const isStopping = (): boolean => stopping;

  const acquired = async (): Promise<Lease | undefined> => {
    try {
      return await leases.acquire(name, holder, FOR_MS, options.isGone);
    } catch (error) {
      if (!(error instanceof Unavailable)) onFault(error);
      return undefined;
    }
  };

  const hold = async (lease: Lease): Promise<void> => {
    try {
      work = await begin(lease.fence);
      if (isStopping()) await work.stop();
      const ended = { is: false };
      const done = work.run().finally(() => (ended.is = true));
      await Promise.all([done, keep(lease, work, ended)]);
    } catch (error) {
      if (!(error instanceof Fenced)) onFault(error); // Fenced: another process has it, which is no fault.
    } finally {
      await work?.stop().catch(onFault);
      work = undefined;
      await leases.release(lease).catch(() => undefined); // It expires by itself.
    }
  };

  /** Renews the lease while the work runs; stops the work if renewal fails for too long. */
  const keep = async (lease: Lease, own: Work, ended: Readonly<{ is: boolean }>): Promise<void> => {
    let renewedMs = scheduler.elapsedMs();
    const isOver = (): boolean => ended.is || isStopping();
    while (!isOver()) {
      await scheduler.sleep(RENEW_MS);
      if (isOver()) return;
      const outcome = await renewal(lease);
      if (outcome === 'renewed') renewedMs = scheduler.elapsedMs();
      if (outcome === 'lost' || scheduler.elapsedMs() - renewedMs >= GIVE_UP_MS) {
        await own.stop();
        return;
      }
    }
  };

  const renewal = async (lease: Lease): Promise<'renewed' | 'lost' | 'unknown'> => {
    try {
      return (await leases.renew(lease)) ? 'renewed' : 'lost';
    } catch {
      return 'unknown';
    }
  };

  return {
    run() {
      running ??= run();
      return running;
    },
    isHeld: () => work !== undefined,
    async stop() {
      stopping = true;
      await work?.stop();
      await running;
    },
  };
}

const FOR_MS = 5000;
const RENEW_MS = 1000;
/** Less than the time after which others may take the lease over. */
const GIVE_UP_MS = 4000;
const STAND_BY_MS = 500;
