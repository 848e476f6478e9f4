import { accessDecider, journalOfAccess, type AccessCommand } from '#commands/access/access.ts';
import type { AccessSteps } from '#commands/access/processes/claims.ts';
import {
  systemClock,
  systemIds,
  systemRandomBytes,
  systemScheduler,
} from '#src/adapters/system.ts';
import { indexTable } from '#src/bootstrap/index-table.ts';
import { createDirectories } from '#src/components/access/directories.ts';
import { createDirectory } from '#src/components/access/directory.ts';
import { createJournals, type Journals } from '#src/journal/journals.ts';
import { createSteps } from '#src/journal/steps.ts';
import { accessJournal } from '#src/kernel/journal-name.ts';
import { createCredentials } from '#src/runtime/access/credentials.ts';
import { MemoryEventStore } from '#test/doubles/memory/event-store.ts';
import { NO_FAULTS } from '#test/doubles/memory/faults.ts';
import { MemoryIndexData, MemoryJournalIndex } from '#test/doubles/memory/journal-index.ts';
import { MemoryLog } from '#test/doubles/memory/log.ts';
import { MemorySnapshotStore } from '#test/doubles/memory/snapshot-store.ts';
import { protectionWorld } from './protection.ts';

/** The process ended there. */
export class Ended extends Error {}

export const TENANT = 'default';
export const JOURNAL = accessJournal(TENANT);

/** Processes that manage access over the same stores in memory, with the real rules, writers, keys and hashes. */
export function accessWorld(tenantId = TENANT) {
  const journal = accessJournal(tenantId);
  const log = new MemoryLog();
  const scheduler = systemScheduler;
  const faults = NO_FAULTS;
  const ids = systemIds();
  const stores = protectionWorld();
  const nothing = () => undefined;

  const process = () => {
    const store = new MemoryEventStore({ scheduler, log, exclusive: false });
    const index = new MemoryJournalIndex({ scheduler, faults, data: new MemoryIndexData() });
    const snapshots = new MemorySnapshotStore({ scheduler, faults });
    const journals: Journals = createJournals(
      [accessDecider],
      { store, index, indexTable, snapshots, clock: systemClock, ids, scheduler },
      {
        ...{ acknowledged: nothing, doubted: nothing, contended: nothing, grown: nothing },
        fault: (_, error) => {
          throw error instanceof Error ? error : new Error('A fault');
        },
      },
    );
    const keys = stores.process();
    const protection = async () => ({ keys, index: stores.index });
    const credentials = createCredentials({
      secrets: async () => stores.secrets,
      clock: systemClock,
      randomBytes: systemRandomBytes,
    });
    const context = {
      actor: { type: 'user', id: 'u-1' },
      tenantId,
      requestId: 'any',
    };
    /** Steps that end with the process at a command of this type: before it is recorded, or right after. */
    const steps = (ends?: Readonly<{ at: AccessCommand['type']; is: 'before' | 'after' }>) => {
      const whole = createSteps(journals, { context, key: undefined }, { ids, scheduler });
      const submit = (async (...[journal, command, key]: Parameters<typeof whole.submit>) => {
        const isThere = (command as AccessCommand).type === ends?.at;
        if (isThere && ends.is === 'before') throw new Ended();
        const outcome = await whole.submit(journal, command, key);
        if (isThere) throw new Ended();
        return outcome;
      }) as typeof whole.submit;
      const fact: AccessSteps['fact'] = (name) => journals.fact(name, tenantId);
      return { ...whole, submit, fact };
    };
    return {
      ...{ journals, keys, protection, credentials, steps },
      services: { protection, credentials },
      directory: createDirectory({ tenantId, log: store, protection }),
      directories: createDirectories({ log: store, protection }),
      submit: (command: AccessCommand) =>
        journals.submit(journalOfAccess(tenantId), { command, context, idempotency: undefined }),
    };
  };

  return {
    ...{ ids, process, secrets: stores.data },
    events: () => log.read(journal, 0, 1000),
    typesOf: () => log.read(journal, 0, 1000).map(({ type }) => type),
  };
}

export const profileOf = (username: string) => ({
  username,
  firstName: 'Anabel',
  lastName: 'Lima',
  email: `${username}@example.com`,
});
