import { mkdirSync } from 'node:fs';
import { openEmbeddedCheckpointStore } from '#src/adapters/embedded/checkpoint-store.ts';
import { openEmbeddedEventStore } from '#src/adapters/embedded/event-store.ts';
import { lockFolder } from '#src/adapters/embedded/folder-lock.ts';
import { systemClock, systemIds, systemScheduler } from '#src/adapters/system.ts';
import { createDeadLetters } from '#commands/streaming/processes/keep-dead-letter.ts';
import {
  createKeepEmitted,
  type EmittedOfTenant,
} from '#commands/streaming/processes/keep-emitted.ts';
import type { EmittedRecord } from '#src/events/streaming/emitted.ts';
import { openPublisher } from '#src/bootstrap/open-publisher.ts';
import type { RelayedStreaming } from '#src/bootstrap/streaming-settings.ts';
import { START, type Position } from '#src/ports/event-store.ts';
import type { LaneOutbox } from '#src/runtime/direct-lane.ts';
import type { RelayTopic } from '#src/runtime/lane-load.ts';
import { createRelay } from '#src/runtime/relay.ts';
import type { RelayReport } from '#src/runtime/relay-report.ts';
import type { EmittedTopic } from './producer-settings.ts';

export type OutboxOptions = Readonly<{
  folder: string;
  name: string;
  platform: string;
  streaming: RelayedStreaming;
  topics: readonly EmittedTopic[];
  onWarning: (message: string) => void;
}>;

/** The log of a producer, and the relay that publishes what it holds. */
export type ProducerOutbox = Readonly<{
  ofTopic(topic: string): LaneOutbox<EmittedOfTenant>;
  report(): RelayReport;
  close(): Promise<void>;
}>;

/**
 * Opens the log in a folder and publishes what it holds. Topics that were emitted under an earlier source are published
 * to their end as well. Errors: FolderLocked if another process uses the folder.
 */
export async function openProducerOutbox(options: OutboxOptions): Promise<ProducerOutbox> {
  const { folder } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = lockFolder(folder);
  try {
    return await opened(options, () => lock.release());
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function opened(
  { folder, name, platform, streaming, topics, onWarning }: OutboxOptions,
  release: () => void,
): Promise<ProducerOutbox> {
  const ids = systemIds();
  const log = await openEmbeddedEventStore(folder, {
    ids,
    onFatal: (error) => {
      onWarning(`The log of ${name} cannot be written: ${error.message}`);
    },
  });
  const checkpoints = openEmbeddedCheckpointStore(folder);
  const publisher = await openPublisher(streaming);
  const earlier = [...(await checkpoints.load()).keys()];
  const names = new Set([...topics.map(({ topic }) => topic), ...earlier]);
  const relay = createRelay({
    ...{ log, checkpoints, publisher, clock: systemClock, scheduler: systemScheduler },
    topics: [...names].map((topic) => relayTopic(topic, topics)),
    fence: 0, // The lock of the folder keeps other relays away.
    settings: { ...streaming, startAt: 'beginning', platform, producerId: streaming.clientId },
    onReport: () => {},
    onFault: ({ topic, message }) => {
      onWarning(topic === '' ? message : `${topic}: ${message}`);
    },
    onDead: createDeadLetters(log, systemClock),
  });
  const keep = createKeepEmitted(name, log, systemClock, ids);
  const atStart = await log.end();
  const lastLogged = new Map<string, Position>();
  const running = relay.run().catch((error: unknown) => {
    onWarning(`The relay of ${name} ended: ${String(error)}`);
  });

  return {
    ofTopic: (topic) => ({
      async append(items) {
        lastLogged.set(topic, await keep(items));
        relay.wake();
      },
      isDrained() {
        const last = lastLogged.get(topic) ?? atStart;
        const lane = relay.report().lanes.find((one) => one.topic === topic);
        return (lane?.checkpoint.position ?? START) >= last;
      },
    }),
    report: () => relay.report(),
    async close() {
      await relay.stop();
      await running;
      await publisher.close();
      await checkpoints.close();
      await log.close();
      release();
    },
  };
}

const relayTopic = (name: string, topics: readonly EmittedTopic[]): RelayTopic => ({
  name,
  types: new Set(['RecordEmitted']),
  hasDeadLetters: topics.find(({ topic }) => topic === name)?.policy.dlq !== 'never',
  drafts({ data }) {
    const { topic, ...record } = data as EmittedRecord;
    return topic === name ? [record] : [];
  },
});
