import type { Actor } from '#src/kernel/event-metadata.ts';
import { SINGLE_TENANT } from '#src/kernel/tenant.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import type { TenantDirectory } from '#src/ports/tenant-directory.ts';
import type { TenantRegister } from './tenant-register.ts';

/** Knows the tenants for the check of every request. It reads their journal once a second until it is closed. */
export function createTenantDirectory(
  register: TenantRegister,
  scheduler: Pick<Scheduler, 'elapsedMs' | 'sleep'>,
): TenantDirectory & Readonly<{ close: () => void }> {
  const { state } = register;
  const using = new Map<string, Promise<void>>();
  let readMs = scheduler.elapsedMs();
  let isClosed = false;

  const refresh = async (): Promise<void> => {
    const beganMs = scheduler.elapsedMs();
    await register.refresh();
    readMs = beganMs;
  };
  const follow = async (): Promise<void> => {
    while (!closed()) {
      await scheduler.sleep(READ_EVERY_MS);
      await refresh().catch(() => {}); // Requests try themselves once it is no longer fresh, and are told.
    }
  };
  const closed = (): boolean => isClosed;
  void follow();

  return {
    isFresh: () => scheduler.elapsedMs() - readMs < FRESH_MS,
    refresh,
    get: (id) => state.byId.get(id),
    recordedAs(id) {
      const owner = id === SINGLE_TENANT ? state.defaultTenant : id;
      return owner === undefined ? undefined : state.byId.get(owner);
    },
    use(id) {
      const known = using.get(id);
      if (known !== undefined) return known;
      const noted = register
        .submit({ type: 'UseTenant', id }, SERVER)
        .then(() => {})
        .finally(() => using.delete(id));
      using.set(id, noted);
      return noted;
    },
    close() {
      isClosed = true;
    },
  };
}

/** Acts for the deployment, not for a caller. */
export const SERVER: Actor = { type: 'system', id: 'tenants' };
const READ_EVERY_MS = 1000;
/** Shorter than the 5 s in which a suspension is in force everywhere. */
const FRESH_MS = 4000;
