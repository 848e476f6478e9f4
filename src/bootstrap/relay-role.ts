import { systemClock, systemScheduler } from '#src/adapters/system.ts';
import { replayIn } from '#src/bridge/streaming/replay-change.ts';
import { createDeadLetters } from '#commands/streaming/processes/keep-dead-letter.ts';
import { streamingJournal } from '#src/kernel/journal-name.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { CheckpointStore } from '#src/ports/checkpoint-store.ts';
import type { Measure } from '#src/runtime/catch-up.ts';
import type { EventStore } from '#src/ports/event-store.ts';
import type { Tracing } from '#src/ports/tracing.ts';
import { createRelay } from '#src/runtime/relay.ts';
import type { RelayFault, RelayReport } from '#src/runtime/relay-report.ts';
import { createReplayBook } from '#src/runtime/replay/replay-book.ts';
import { createReplayer } from '#src/runtime/replay/replayer.ts';
import { publishedTopics } from './definitions.ts';
import { openPublisher } from './open-publisher.ts';
import type { RelayedStreaming } from './streaming-settings.ts';
import { recordedTenants, type Tenancy } from './tenants.ts';
import { tracedPublisher } from './tracing.ts';

export type RelayRoleOptions = Readonly<{
  settings: RelayedStreaming;
  platform: string;
  /** Undefined while one tenant is served. */
  tenancy: Tenancy | undefined;
  log: EventStore;
  measure?: Measure;
  checkpoints: CheckpointStore;
  /** Records what is published, replays left out. */
  tracing?: Tracing | undefined;
  /** The fencing token of its lease. */
  fence: number;
  /** Records that a replay is completed; durable when it resolves. Errors: Unavailable. */
  completeReplay: (tenantId: string, id: Uuid) => Promise<void>;
  onReport: (report: RelayReport) => void;
  onFault: (fault: RelayFault) => void;
}>;

export type RelayRole = Readonly<{
  /** Resolves when the relay was stopped. Errors: Fenced when another process has the lease. */
  ended: Promise<void>;
  /** Reports that there may be more in the log. */
  wake(): void;
  report(): RelayReport;
  /** Returns the number of replays that are not completed. */
  replays(): number;
  /**
   * Returns the topics that are missing and are not created here, which means not ready. Undefined until the broker was
   * asked.
   */
  missingTopics(): readonly string[] | undefined;
  stop(): Promise<void>;
}>;

/** Publishes the log, and replays of it, to the broker of the settings. The start does not wait for a broker that is unavailable. */
export async function startRelayRole(options: RelayRoleOptions): Promise<RelayRole> {
  const { settings, platform, log, measure, checkpoints, fence, onReport, onFault } = options;
  const { source, partitionKey, policies, clientId } = settings;
  const { defaultTenant } = options.tenancy ?? {};
  const topics = publishedTopics({ platform, source, partitionKey, defaultTenant }, policies);
  const publisher = tracedPublisher(await openPublisher(settings), options.tracing);
  const relay = createRelay({
    ...{ log, checkpoints, publisher, topics, fence, onReport, onFault },
    ...(measure !== undefined && { measure }),
    scheduler: systemScheduler,
    clock: systemClock,
    settings: { ...settings, platform, producerId: clientId },
    onDead: createDeadLetters(log, systemClock),
  });

  const replayPublisher = await openPublisher({ ...settings, clientId: `${clientId}-replay` });
  const replayer = createReplayer({
    book: createReplayBook({
      log,
      tenants: recordedTenants(log, options.tenancy),
      journalOf: streamingJournal,
      replayIn,
    }),
    ...{ log, checkpoints, publisher: replayPublisher, topics, fence, onFault },
    scheduler: systemScheduler,
    isBusy: () =>
      relay.report().lanes.some(({ oldestUnpublishedMs }) => oldestUnpublishedMs > BUSY_MS),
    publishedTo: (topic) => relay.publishedTo(topic),
    complete: options.completeReplay,
    recordsMax: settings.bufferedRecordsMax,
  });

  let missing: readonly string[] | undefined;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const provision = async (): Promise<void> => {
    try {
      missing = await publisher.provision(topics.map(({ name }) => name));
    } catch (error) {
      if (!isStopped())
        onFault({ topic: '', message: `Topics cannot be checked: ${String(error)}` });
    }
    if (isStopped() || missing?.length === 0) return;
    timer = setTimeout(() => void provision(), PROVISION_AGAIN_MS).unref();
  };
  const isStopped = (): boolean => stopped;
  void provision();

  const ended = Promise.all([relay.run(), replayer.run()]).then(() => {});
  ended.catch(() => {}); // Callers that await it get the error.
  return {
    ended,
    wake: () => {
      relay.wake();
    },
    report: () => relay.report(),
    replays: () => replayer.pending(),
    missingTopics: () => missing,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await Promise.all([relay.stop(), replayer.stop()]);
      await Promise.all([publisher.close(), replayPublisher.close()]);
    },
  };
}

const PROVISION_AGAIN_MS = 10_000;
/** Live records that are older than this wait. */
const BUSY_MS = 250;
