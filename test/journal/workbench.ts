import { Refusal } from '#src/kernel/errors.ts';
import type { JournalName } from '#src/kernel/journal-name.ts';
import type { Micros } from '#src/kernel/instant.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { MemoryEventStore } from '#test/doubles/memory/event-store.ts';
import type { AppendFate, Faults } from '#test/doubles/memory/faults.ts';
import { MemoryIndexData, MemoryJournalIndex } from '#test/doubles/memory/journal-index.ts';
import { MemoryLog } from '#test/doubles/memory/log.ts';
import {
  MemorySnapshotStore,
  type MemorySnapshotData,
} from '#test/doubles/memory/snapshot-store.ts';
import { createIds } from '#src/adapters/system.ts';
import { indexTable } from '#src/bootstrap/index-table.ts';
import type { Outcome } from '#src/journal/batch.ts';
import type { Limits } from '#src/journal/writer-ports.ts';
import { createJournals } from '#src/journal/journals.ts';
import { START, type EventStore, type NewEvent, type StoredEvent } from '#src/ports/event-store.ts';
import type { EventMetadata } from '#src/kernel/event-metadata.ts';
import { IndexConsumer } from '#src/runtime/index-consumer.ts';
import { LoggedEvent } from '#src/runtime/logged-event.ts';
import { seededRandom } from '#test/doubles/memory/simulated.ts';
import { purseDecider, type PurseCommand, type PurseEvent } from './purse.ts';

export const PURSE = 'purse-1' as JournalName;

type Key = Readonly<{
  key: string;
  hash?: string;
  ttlSeconds?: number;
  releases?: number;
  mayBeReleased?: true;
}>;
type Setting = Readonly<{
  faults?: Faults;
  exclusive?: boolean;
  /** The disks of an earlier workbench: what a restart finds. */
  over?: Disks;
  limits?: Limits;
  /** Another process at the same time mints other ids. */
  seed?: number;
  /** Whose journals they are; a purse's unless said otherwise. */
  deciders?: readonly unknown[];
}>;
export type Workbench = ReturnType<typeof workbench>;

type Disks = Readonly<{
  log: MemoryLog;
  indexData: MemoryIndexData;
  snapshotData: MemorySnapshotData;
}>;

/** Journals over memory, with everything in reach that a story needs: held appends, the clock, the index. */
export function workbench({
  faults = {},
  exclusive = true,
  over,
  limits,
  seed = 1,
  deciders = [purseDecider],
}: Setting = {}) {
  const log = over?.log ?? new MemoryLog();
  const indexData = over?.indexData ?? new MemoryIndexData();
  const snapshotData: MemorySnapshotData = over?.snapshotData ?? new Map<string, never>();
  const fates: AppendFate[] = [];
  const appends: { events: readonly NewEvent[]; expected: number; release: () => void }[] = [];
  const clock = { at: 1_767_225_600_000_000 as Micros, now: () => clock.at };
  // A process that starts again mints no id a second time.
  const random = seededRandom(seed + log.readAll(START, 1_000_000).length);
  const state = { nowMs: 0, slept: [] as number[], holds: false, requests: 0 };
  const told = {
    acknowledged: [] as number[],
    faults: [] as unknown[],
    contended: [] as string[],
    grown: [] as string[],
    doubted: [] as string[],
  };

  const scheduler = {
    yield: () => new Promise<void>((resolve) => setImmediate(resolve)),
    sleep: async (ms: number) => {
      state.slept.push(ms);
      await scheduler.yield();
      state.nowMs += ms;
    },
    elapsedMs: () => state.nowMs,
    random,
  };
  const all: Faults = { append: () => fates.shift() ?? 'ok', ...faults };
  const inner = new MemoryEventStore({ scheduler, faults: all, log, exclusive });
  const store: EventStore = {
    logId: inner.logId,
    exclusive,
    async append(stream, events, expected) {
      await new Promise<void>((release) => {
        appends.push({ events, expected, release });
        if (!state.holds) release();
      });
      return inner.append(stream, events, expected);
    },
    read: (stream, from, limit) => inner.read(stream, from, limit),
    readAll: (after, limit) => inner.readAll(after, limit),
    at: (position) => inner.at(position),
    last: (stream) => inner.last(stream),
    end: () => inner.end(),
    positionAt: (instant) => inner.positionAt(instant),
    subscribe: (after, take) => inner.subscribe(after, take),
    close: () => inner.close(),
  };
  const index = new MemoryJournalIndex({ scheduler, faults: all, data: indexData });
  const snapshots = new MemorySnapshotStore({ scheduler, faults: all, data: snapshotData });
  const fill = (pool: Uint8Array): void => {
    for (let n = 0; n < pool.length; n += 1) pool[n] = random() * 256;
  };
  const ids = createIds(clock, fill);
  const ports = { store, index, indexTable, snapshots, clock, ids, scheduler };
  const journals = createJournals(
    deciders,
    ports,
    {
      acknowledged: (_, revision) => told.acknowledged.push(revision),
      doubted: (_, reason) => told.doubted.push(reason),
      contended: (journal: string) => told.contended.push(journal),
      grown: (journal: string) => told.grown.push(journal),
      fault: (_, error) => told.faults.push(error),
    },
    limits,
  );

  const ask = (
    command: PurseCommand,
    { key, hash = 'hash', ...more }: Partial<Key> = {},
    tenantId = 'default',
    name = PURSE,
  ): Promise<Outcome<PurseEvent>> => {
    state.requests += 1;
    const requestId = `request-${state.requests}`;
    const answer = journals.submit<PurseCommand, PurseEvent>(
      { name },
      {
        command,
        context: { actor: { type: 'anonymous', id: '' }, tenantId, requestId },
        ...(key !== undefined && {
          idempotency: { key, requestHash: hash, replyVersion: 1, ...more },
        }),
      },
    );
    answer.catch(() => undefined); // A story may look at it later.
    return answer;
  };

  /** Brings the index to the end of the log, and tells the journals unless they shall not know. */
  const catchUp = async ({ tell = true } = {}): Promise<void> => {
    const consumer = new IndexConsumer(index, indexTable, indexData.checkpoint);
    const events = log.readAll(indexData.checkpoint, 1_000_000);
    for (const event of events) consumer.take(new LoggedEvent(event));
    const last = events.at(-1);
    if (last === undefined) return;
    await consumer.flush(last.position);
    if (tell) journals.indexed(indexData.reached);
  };

  const events = (name: string = PURSE): readonly StoredEvent[] => log.read(name, 0, 1_000_000);
  return {
    ...{
      log,
      indexData,
      snapshotData,
      ports,
      journals,
      clock,
      scheduler,
      state,
      told,
      fates,
      appends,
    },
    ...{ ask, catchUp, events },
    /** From now on an append waits until it is let go. */
    hold: () => (state.holds = true),
    letGo: () => {
      state.holds = false;
      for (const { release } of appends) release();
    },
    /** Another process writes. */
    interfere: (...events: readonly NewEvent[]) => log.append(PURSE, events, log.revision(PURSE)),
  };
}

/** What became of an answer: `done`, the name of a refusal or error, or that it is still `waiting`. */
export const outcomeOf = async (answer: Promise<unknown>): Promise<string> => {
  const told = answer.then(
    () => 'done',
    (error: unknown) => (error instanceof Refusal ? error.refusal : (error as Error).name),
  );
  return Promise.race([told, quiet().then(() => 'waiting')]);
};

/** Enough turns for everything to happen that can. */
export async function quiet(turns = 40): Promise<void> {
  for (let n = 0; n < turns; n += 1) await new Promise((resolve) => setImmediate(resolve));
}

export const metadataOf = ({ metadata }: StoredEvent): EventMetadata =>
  JSON.parse(metadata) as EventMetadata;

export const anId = (n: number): Uuid =>
  `00000000-0000-7000-8000-${String(n).padStart(12, '0')}` as Uuid;
