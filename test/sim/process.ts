import { MemoryEventStore } from '#test/doubles/memory/event-store.ts';
import { MemoryJournalIndex } from '#test/doubles/memory/journal-index.ts';
import { memorySecretStore } from '#test/doubles/memory/secret-store.ts';
import { memoryTokenIndex } from '#test/doubles/memory/token-index.ts';
import { MemorySnapshotStore } from '#test/doubles/memory/snapshot-store.ts';
import { createCompleteReplay } from '#commands/streaming/processes/complete-replay.ts';
import { createDisableSubscriptions } from '#commands/streaming/processes/disable-subscription.ts';
import {
  createSecretKeeper,
  type SigningSecretKeeper,
} from '#commands/streaming/processes/signing-secrets.ts';
import { environmentKeyWrapping } from '#src/adapters/environment-key/key-wrapping.ts';
import { createIds } from '#src/adapters/system.ts';
import { indexTable } from '#src/bootstrap/index-table.ts';
import { processes } from '#src/bootstrap/processes.ts';
import { categoryOf } from '#src/kernel/journal-name.ts';
import type { IdempotencyKey } from '#src/journal/batch.ts';
import { createForwardedCommands } from '#src/journal/forwarded-command.ts';
import { createForwardingJournals } from '#src/journal/forwarding-journals.ts';
import { createJournalEnds } from '#src/journal/journal-ends.ts';
import { createJournals, type Journals } from '#src/journal/journals.ts';
import { resumeProcesses } from '#src/journal/resume.ts';
import { createSteps, type Steps } from '#src/journal/steps.ts';
import { takeSnapshot } from '#src/journal/snapshot.ts';
import { Ambiguous, Unavailable } from '#src/ports/errors.ts';
import { createCommands, type Commands } from '#src/http/submit.ts';
import type { RecordKeys } from '#src/ports/record-keys.ts';
import { createRecordKeys } from '#src/runtime/protection/record-keys.ts';
import type { DeliveryCalls } from '#src/ports/delivery-calls.ts';
import type { EventStore } from '#src/ports/event-store.ts';
import type { OutgoingRecord } from '#src/ports/publisher.ts';
import type { JournalIndex } from '#src/ports/journal-index.ts';
import type { Ids } from '#src/ports/ids.ts';
import { Refusal } from '#src/kernel/errors.ts';
import { DECIDERS, type DecisionOracle } from './decision-oracle.ts';
import { NO_ACCOUNTS } from './holder-commands.ts';
import { createLinks } from './links.ts';
import { callsTo, startDelivering } from './delivering.ts';
import { startPublishing } from './publishing.ts';
import { openReading, type Reading } from './reading.ts';
import type { Owner } from './scheduler.ts';
import type { StreamBooks } from './stream-books.ts';
import { startThread } from './thread.ts';
import type { World } from './world.ts';

/** One run of the program, from its start until it dies. */
export type Process = Readonly<{
  name: string;
  ids: Ids;
  journals: Journals;
  /** The journals and keys of personal data as handlers of routes see them. */
  commands: Commands;
  keys: RecordKeys;
  signingSecrets: SigningSecretKeeper;
  /** The calls of consumers. */
  calls: DeliveryCalls;
  log: EventStore;
  sleep: (ms: number) => Promise<void>;
  elapsedMs: () => number;
  reading: Reading;
  /** What takes steps in several journals, in the name of one request. */
  steps: (requestId: string, key: IdempotencyKey | undefined) => Steps;
  /** What an earlier run of the program left unfinished is done. */
  resumed: Promise<void>;
  /** Settles when the process is gone; whoever waits for it gets no answer then. */
  died: Promise<undefined>;
  isAlive: () => boolean;
  crash: () => void;
  /** Ends one of its threads, which is started again. */
  crashThread: () => void;
}>;

/** Starts the program over what is on the disks. `first`: it resumes what is unfinished. */
export function startProcess(
  world: World,
  { decisions, streams }: Readonly<{ decisions: DecisionOracle; streams: StreamBooks }>,
  name: string,
  first: boolean,
): Process {
  const { random, simScheduler, log, simFaults, exclusive } = world;
  const { faults, clock } = simFaults;
  const owner: Owner = { name };
  const wire: Owner = { name: `${name}'s appends` }; // What has left the process outlives it.
  const scheduler = simScheduler.scheduler(owner);
  const client = new MemoryEventStore({
    scheduler: simScheduler.scheduler(wire),
    faults,
    log,
    exclusive,
  });
  /** An answer is on its way for a while too: what it says may be over when it comes. */
  const arriving = async <Found>(found: Promise<Found>): Promise<Found> => {
    const answer = await found;
    if (random.oneIn(3)) await scheduler.yield();
    return answer;
  };
  const near = new MemoryJournalIndex({ scheduler, faults, data: world.index });
  const index: JournalIndex = {
    async find(journal, kind, keys, through) {
      const found = await near.find(journal, kind, keys, through);
      // Long enough for a name to be written, indexed and forgotten meanwhile.
      if (random.oneIn(10)) await scheduler.sleep(random.below(400));
      return arriving(Promise.resolve(found));
    },
    list: (kind) => arriving(near.list(kind)),
    indexed: (journal) => arriving(near.indexed(journal)),
    checkpoint: () => arriving(near.checkpoint()),
    anchor: () => arriving(near.anchor()),
    doubt: (reason) => near.doubt(reason),
    flaw: () => arriving(near.flaw()),
    forget: () => near.forget(),
    apply: (batch) => arriving(near.apply(batch)),
    close: () => near.close(),
  };
  const snapshots = new MemorySnapshotStore({ scheduler, faults, data: world.snapshots });
  const startedAt = clock.now();
  const ids = createIds(clock, random.fill);
  const read: EventStore['read'] = (stream, from, limit) =>
    arriving(client.read(stream, from, limit));
  const store = { ...counting(client, world), read };
  const ports = { store, index, indexTable, snapshots, clock, ids, scheduler };

  let alive = true;
  let die = (_: undefined): void => undefined;
  const died = new Promise<undefined>((resolve) => (die = resolve));
  const active = new Set<string>();

  const ends = createJournalEnds((journal, revision, position) => {
    active.add(journal);
    reading.acknowledged(journal, revision, position);
  });
  const own = createJournals(Object.values(DECIDERS), ports, {
    acknowledged: ends.note,
    contended: (journal) => world.contended.add(journal),
    doubted: (journal, reason) =>
      world.fail(`${name}: the index is wrong about ${journal}: ${reason}`),
    grown: () => undefined,
    fault(journal, error) {
      world.note(`${name}: ${journal}: ${String(error)}`);
      if (!isOutside(error)) world.fail(`${name}: ${journal} met a defect: ${stackOf(error)}`);
    },
  });
  const links = createLinks({
    ...{ world, name, scheduler, isAlive: () => alive },
    wire: simScheduler.scheduler({ name: `${name}'s links` }),
  });
  const writers = exclusive
    ? own
    : createForwardingJournals(own, { peers: links, ...{ ends, store, ids } });
  if (!exclusive) world.answering.set(name, { answer: createForwardedCommands(own, ends), died });
  /** Every command and its answer go past the oracle. */
  const journals: Journals = {
    ...writers,
    async submit(journal, envelope) {
      const submission = decisions.submitted(journal.name, envelope);
      const check = (work: () => void): void => {
        if (!alive) return; // The answer of a process that has died reaches nobody.
        try {
          work();
        } catch (error) {
          world.fail(stackOf(error));
        }
      };
      try {
        const outcome = await writers.submit(journal, envelope);
        const refusal = world.planted.refusal?.(envelope.command);
        if (refusal !== undefined) throw refusal;
        check(() => decisions.answered(submission, outcome));
        return outcome;
      } catch (error) {
        if (error instanceof Refusal) check(() => decisions.refused(submission, error));
        throw error;
      }
    },
  };
  const randomBytes = (size: number): Uint8Array => {
    const bytes = new Uint8Array(size);
    random.fill(bytes);
    return bytes;
  };
  const keys = createRecordKeys({
    wrapping: environmentKeyWrapping({ current: WRAPPING_KEY, randomBytes }),
    hashKey: HASH_KEY,
    secrets: memorySecretStore(scheduler, world.secrets),
    index: memoryTokenIndex(scheduler, world.secrets, world.tokens),
    ...{ clock, scheduler, randomBytes },
  });
  const reading = openReading({ world, name, scheduler, store, index, journals });

  const housekeep = async (): Promise<void> => {
    for (;;) {
      await scheduler.sleep(50 + random.below(2_000));
      const task = random.weighted({ unload: 2, snapshot: 3 });
      if (task === 'unload') journals.unloadIdle(random.below(300));
      else if (active.size > 0) await snapshot(random.pick([...active])).catch(outsideOnly);
    }
  };
  const hear = async (): Promise<void> => {
    for (;;) {
      await scheduler.sleep(100 + random.below(400));
      for (const journal of world.contended) journals.share(journal);
      if (random.oneIn(2)) world.contended.clear();
    }
  };
  const snapshot = async (journal: string): Promise<void> => {
    const decider = DECIDERS[categoryOf(journal) as keyof typeof DECIDERS];
    const revision = await takeSnapshot<never, never>(decider as never, journal, ports);
    world.note(`${name}: snapshot of ${journal} at ${revision}`);
  };
  const outsideOnly = (error: unknown): void => {
    if (!isOutside(error)) world.fail(`${name}: ${stackOf(error)}`);
  };

  /** Answers whether some of it met a fault, and is to be tried again. */
  const resume = async (): Promise<boolean> => {
    const when = { aloneSince: exclusive ? startedAt : undefined };
    try {
      const components = { registry: { keys, accounts: NO_ACCOUNTS } };
      await resumeProcesses(processes, journals, { ...ports, components }, when);
      return false;
    } catch (error) {
      const errors: unknown[] = error instanceof AggregateError ? error.errors : [error];
      for (const one of errors) if (!isBusy(one)) outsideOnly(one);
      return errors.some(isOutside);
    }
  };
  /** What a crash interrupted. */
  const resumeAtStart = async (): Promise<void> => {
    await reading.caughtUp;
    while (await resume()) await scheduler.sleep(100);
  };
  /** What some process left undone, from time to time. */
  const resumeAbandoned = async (): Promise<void> => {
    await reading.caughtUp;
    for (;;) {
      await resume();
      await scheduler.sleep(1_000 + random.below(8_000));
    }
  };

  const publishing = startThread({
    ...{ world, name: `${name} relay`, scheduler },
    begin: (life) => {
      const complete = createCompleteReplay(journals, ids);
      const replayed = (records: readonly OutgoingRecord[]): void => streams.acknowledged(records);
      startPublishing({ world, life, complete, replayed });
    },
  });
  const disable = createDisableSubscriptions(journals, ids);
  const delivering = world.streams
    ? startThread<DeliveryCalls>({
        ...{ world, name: `${name} deliveries`, scheduler },
        begin: (life) => startDelivering({ world, life, ids, disable, randomBytes }),
      })
    : undefined;
  const threads = delivering === undefined ? [publishing] : [publishing, delivering];
  void housekeep();
  if (!exclusive) void hear();
  void resumeAbandoned();
  const resumed = first ? resumeAtStart() : Promise.resolve();
  return {
    name,
    resumed,
    ids,
    journals,
    commands: createCommands(journals, { overloaded: () => false }, { ids, scheduler }, 0),
    keys,
    signingSecrets: createSecretKeeper({
      ...{ clock, randomBytes },
      secrets: async () => memorySecretStore(scheduler, world.secrets),
    }),
    calls: callsTo(delivering),
    log: store,
    sleep: (ms) => scheduler.sleep(ms),
    elapsedMs: () => scheduler.elapsedMs(),
    reading,
    steps: (requestId, key) => {
      const context = { actor: ACTOR, tenantId: 'default', requestId };
      return createSteps(journals, { context, key }, { ids, scheduler });
    },
    died,
    isAlive: () => alive,
    crash() {
      alive = false;
      world.answering.delete(name);
      simScheduler.drop(owner);
      for (const thread of threads) thread.end();
      client.crash();
      if (exclusive) simScheduler.hurry(wire); // A folder has one process: the next one starts after this.
      die(undefined);
    },
    crashThread: () => {
      random.pick(threads).crash();
    },
  };
}

/** Nothing is tried for ever: whoever waits for it must hear of it. */
function counting(store: MemoryEventStore, world: World): EventStore {
  const tries = new Map<string, number>();
  return {
    logId: store.logId,
    exclusive: store.exclusive,
    append(stream, events, expected) {
      const requests = new Set(
        events.map(({ type, metadata }) => `${requestIdOf(metadata)} ${stream} ${type}`),
      );
      for (const id of requests) {
        const count = (tries.get(id) ?? 0) + 1;
        tries.set(id, count);
        // What is finished in a group is tried by whoever comes, in the name of the first.
        if (count > TRIES_MAX && !id.startsWith('group'))
          world.fail(`${id} was appended ${count} times without an answer`);
      }
      return store.append(stream, events, expected);
    },
    read: (stream, from, limit) => store.read(stream, from, limit),
    readAll: (after, limit) => store.readAll(after, limit),
    at: (position) => store.at(position),
    last: (stream) => store.last(stream),
    end: () => store.end(),
    positionAt: (instant) => store.positionAt(instant),
    subscribe: (after, take) => store.subscribe(after, take),
    close: () => store.close(),
  };
}

const requestIdOf = (metadata: string): string => /"requestId":"([^"]+)"/.exec(metadata)?.[1] ?? '';

/** A few more than the writer's own bounds: eight in a row, or 32 when others were first. */
const TRIES_MAX = 36;

const WRAPPING_KEY = new Uint8Array(32).fill(1);
const HASH_KEY = new Uint8Array(32).fill(2);

export const ACTOR = { type: 'anonymous', id: 'sim' } as const;

/** There was no answer in time, and there will be one. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Refusal && error.refusal === 'UNAVAILABLE';

export const isOutside = (error: unknown): boolean =>
  error instanceof Unavailable || error instanceof Ambiguous;

export const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? String(error)) : String(error);
