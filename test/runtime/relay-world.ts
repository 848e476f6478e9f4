import {
  MemoryCheckpointStore,
  type MemoryCheckpoints,
} from '#test/doubles/memory/checkpoint-store.ts';
import { MemoryEventStore } from '#test/doubles/memory/event-store.ts';
import { MemoryLog } from '#test/doubles/memory/log.ts';
import {
  MemoryPublisher,
  type Arrived,
  type PublisherFaults,
} from '#test/doubles/memory/publisher.ts';
import { simulate } from '#test/doubles/memory/simulated.ts';
import type { RecordDied } from '#src/events/streaming/streaming.ts';
import type { NewEvent, LogSubscription, Take } from '#src/ports/event-store.ts';
import { PublishFailed, type ErrorClass } from '#src/ports/publisher.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import type { RelayTopic } from '#src/runtime/lane-load.ts';
import { createRelay, type RelaySettings } from '#src/runtime/relay.ts';
import { transferTopics } from '#test/support/relayed.ts';

export const POSTED = 'quipu.streaming.ledger_transaction.posted';
export const CHANGED = 'quipu.streaming.ledger_balance.changed';

export const failed = (errorClass: ErrorClass, acknowledged = 0): PublishFailed =>
  new PublishFailed(errorClass, `The broker says ${errorClass}`, { acknowledged });

export type RelayWorld = ReturnType<typeof relayWorld>;

/** A log, a broker and checkpoints in memory, and relays that come and go over them, in a time of their own. */
export function relayWorld(seed = 1) {
  const simulation = simulate(seed);
  const { scheduler, clock, random } = simulation;
  const log = new MemoryLog();
  const writer = new MemoryEventStore({ scheduler, log });
  const saved: MemoryCheckpoints = new Map();
  const arrived: Arrived[] = [];
  const letters: RecordDied['data'][] = [];
  const counts = { subscriptions: 0, reads: 0 };

  /** A process with a relay; `crash` ends it in the middle of whatever it does. */
  const start = (setting: Setting = {}) => {
    const { settings, topics = transferTopics(), fence = 1, faults, checkpointsFail } = setting;
    const { mortal, crash } = lifeOf(scheduler);
    const store = new MemoryEventStore({ scheduler: mortal, log });
    const publisher = new MemoryPublisher(mortal, faults, arrived);
    const faultsSeen: string[] = [];
    const relay = createRelay({
      log: {
        readAll: (after, limit) => {
          counts.reads += 1;
          return store.readAll(after, limit);
        },
        end: () => store.end(),
        subscribe: (after, take: Take) => {
          counts.subscriptions += 1;
          if (setting.still === true) return STILL;
          return store.subscribe(after, take);
        },
      },
      checkpoints: new MemoryCheckpointStore(mortal, saved, checkpointsFail),
      publisher,
      topics,
      scheduler: mortal,
      clock,
      fence,
      settings: { ...SETTINGS, ...settings },
      onReport: () => {},
      onFault: ({ message }) => faultsSeen.push(message),
      onDead: async (_, letter) => {
        await mortal.yield();
        letters.push(letter);
      },
    });
    const ended = relay.run();
    ended.catch(() => {});
    return { relay, ended, crash, faultsSeen };
  };

  return {
    ...{ clock, scheduler, random, saved, arrived, letters, counts, log, start },
    run: simulation.run,

    async append(...events: NewEvent[]): Promise<void> {
      await writer.append('ledger-1', events, log.revision('ledger-1'));
    },
    /** What came to a topic. */
    at: (topic: string) => arrived.filter((record) => record.topic === topic),
    /** Waits until it holds; the world's time is cheap. */
    async until(holds: () => boolean, withinMs = 3_600_000): Promise<void> {
      const deadline = scheduler.elapsedMs() + withinMs;
      while (!holds()) {
        if (scheduler.elapsedMs() > deadline) throw new Error('It does not come to that');
        await scheduler.sleep(20);
      }
    },
  };
}

type Setting = Readonly<{
  settings?: Partial<RelaySettings>;
  topics?: readonly RelayTopic[];
  fence?: number;
  faults?: PublisherFaults;
  checkpointsFail?: (operation: 'load' | 'save') => boolean;
  /** Nothing new comes: spares the looking for it where a story takes days. */
  still?: boolean;
}>;

const STILL: LogSubscription = { ended: new Promise(() => {}), close: async () => {} };

const SETTINGS: RelaySettings = {
  startAt: 'beginning',
  batchEvents: 10,
  bufferedRecordsMax: 40,
  breaker: { failureRatio: 0.5, minRequests: 10, openMs: 30_000 },
  closeTimeoutMs: 5000,
  platform: 'quipu',
  producerId: 'relay-1',
};

/** A scheduler that wakes nobody any more once its process has crashed. */
export function lifeOf(scheduler: Scheduler): { mortal: Scheduler; crash: () => void } {
  let crashed = false;
  const outliving = async (wait: Promise<void>): Promise<void> => {
    await wait;
    if (crashed) await new Promise(() => {});
  };
  return {
    mortal: {
      ...scheduler,
      sleep: (ms) => outliving(scheduler.sleep(ms)),
      yield: () => outliving(scheduler.yield()),
    },
    crash: () => {
      crashed = true;
    },
  };
}
