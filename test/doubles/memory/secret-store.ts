import { Destroyed, type Secret, type SecretStore } from '#src/ports/secret-store.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';

/** What is stored; it may outlive the clients opened over it. */
export type MemorySecretData = Map<string, Secret | 'destroyed'>;

export function memorySecretStore(
  scheduler: Scheduler,
  data: MemorySecretData = new Map(),
): SecretStore {
  const write = (name: string, before: Secret | undefined, value: Uint8Array): number => {
    const version = (before?.version ?? 0) + 1;
    data.set(name, { value: value.slice(), version });
    return version;
  };
  const shown = ({ value, version }: Secret): Secret => ({ value: value.slice(), version });

  return {
    async get(name) {
      await scheduler.yield();
      const found = data.get(name);
      return found === undefined || found === 'destroyed' ? undefined : shown(found);
    },

    async compareAndSet(name, expected, value) {
      await scheduler.yield();
      const found = data.get(name);
      if (found === 'destroyed' || found?.version !== expected) return undefined;
      return write(name, found, value);
    },

    async put(name, value) {
      await scheduler.yield();
      const found = data.get(name);
      if (found === 'destroyed') throw new Destroyed(name);
      return write(name, found, value);
    },

    async destroy(name) {
      await scheduler.yield();
      data.set(name, 'destroyed');
    },

    async *list() {
      await scheduler.yield();
      for (const [name, found] of data) {
        if (found !== 'destroyed') yield { name, secret: shown(found) };
      }
    },

    async *listDestroyed() {
      await scheduler.yield();
      for (const [name, found] of data) if (found === 'destroyed') yield name;
    },

    close: async () => {},
  };
}
