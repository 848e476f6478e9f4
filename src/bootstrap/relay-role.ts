import { openKafkaPublisher } from '#src/adapters/kafka/publisher.ts';
import { openRabbitPublisher } from '#src/adapters/rabbitmq/publisher.ts';
import { systemClock, systemScheduler } from '#src/adapters/system.ts';
import { topicsOf } from '#src/bridge/catalog.ts';
import { createDeadLetters } from '#commands/streaming/processes/keep-dead-letter.ts';
import type { CheckpointStore } from '#src/ports/checkpoint-store.ts';
import type { EventStore } from '#src/ports/event-store.ts';
import type { Publisher } from '#src/ports/publisher.ts';
import { createRelay } from '#src/runtime/relay.ts';
import type { RelayFault, RelayReport } from '#src/runtime/relay-report.ts';
import { definitions } from './definitions.ts';
import type { StreamingSettings } from './streaming-settings.ts';

export type RelayRoleOptions = Readonly<{
  settings: StreamingSettings;
  platform: string;
  log: EventStore;
  checkpoints: CheckpointStore;
  /** The fencing token of its lease. */
  fence: number;
  onReport: (report: RelayReport) => void;
  onFault: (fault: RelayFault) => void;
}>;

export type RelayRole = Readonly<{
  /** Resolves when the relay was stopped. Errors: Fenced when another process has the lease. */
  ended: Promise<void>;
  /** Reports that there may be more in the log. */
  wake(): void;
  report(): RelayReport;
  /**
   * Returns the topics that are missing and are not created here, which means not ready. Undefined until the broker was
   * asked.
   */
  missingTopics(): readonly string[] | undefined;
  stop(): Promise<void>;
}>;

/** Publishes the log to the broker of the settings. The start does not wait for a broker that is unavailable. */
export async function startRelayRole(options: RelayRoleOptions): Promise<RelayRole> {
  const { settings, platform, log, checkpoints, fence, onReport, onFault } = options;
  const { source, partitionKey, policies, clientId } = settings;
  const topics = topicsOf({ platform, source, partitionKey }, policies, definitions);
  const publisher = await openPublisher(settings);
  const relay = createRelay({
    ...{ log, checkpoints, publisher, topics, fence, onReport, onFault },
    scheduler: systemScheduler,
    clock: systemClock,
    settings: { ...settings, platform, producerId: clientId },
    onDead: createDeadLetters(log, systemClock),
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

  const ended = relay.run();
  ended.catch(() => {}); // Callers that await it get the error.
  return {
    ended,
    wake: () => {
      relay.wake();
    },
    report: () => relay.report(),
    missingTopics: () => missing,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await relay.stop();
      await publisher.close();
    },
  };
}

async function openPublisher(settings: StreamingSettings): Promise<Publisher> {
  const { clientId, deliveryTimeoutMs, target } = settings;
  return target.is === 'kafka'
    ? openKafkaPublisher({ ...target, clientId, deliveryTimeoutMs })
    : openRabbitPublisher({ ...target, clientId, deliveryTimeoutMs });
}

const PROVISION_AGAIN_MS = 10_000;
