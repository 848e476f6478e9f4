import { systemClock, systemIds, systemScheduler } from '#src/adapters/system.ts';
import type { EmittedOfTenant } from '#commands/streaming/processes/keep-emitted.ts';
import { openPublisher } from '#src/bootstrap/open-publisher.ts';
import { createEnvelope } from '#src/bridge/envelope.ts';
import type { Payload } from '#src/bridge/payload.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { formatInstant } from '#src/kernel/instant.ts';
import { SINGLE_TENANT } from '#src/kernel/tenant.ts';
import type { Publisher } from '#src/ports/publisher.ts';
import { createCircuitBreaker } from '#src/runtime/circuit-breaker.ts';
import { createDirectLane, type EmitOutcome } from '#src/runtime/direct-lane.ts';
import type { RelayReport } from '#src/runtime/relay-report.ts';
import { payloadCheck } from './payload-check.ts';
import { openProducerOutbox, type ProducerOutbox } from './producer-outbox.ts';
import {
  checkedProducer,
  type EmittedTopic,
  type ProducerConfiguration,
} from './producer-settings.ts';

export { FolderLocked } from '#src/adapters/embedded/folder-lock.ts';
export { emitted } from '#src/bridge/emitted.ts';
export { FROM_LOG, OPERATIONAL_SIGNAL } from '#src/bridge/delivery-policy.ts';
export type { ProducerDeclaration } from '#src/bridge/producer.ts';
export type { ObjectSchema } from '#src/bridge/payload-schema.ts';
export { ProducerRefused } from './producer-settings.ts';

export type ProducerOptions = ProducerConfiguration &
  Readonly<{
    /** Receives what an operator should know: a broker or topics that are missing, an unusual source. */
    onWarning?: (message: string) => void;
  }>;

/** An event to emit. */
export type EmittedEvent = Readonly<{
  /** Has the schema of the definition. */
  payload: Payload;
  /** Needed if the producer has several versions of the event. */
  schemaVersion?: string;
  /** The ce-subject attribute; without it, the `id` of the payload. */
  subject?: string;
  /** Records with the same key stay in order; without it, the subject. */
  recordKey?: string;
  /** Left out in single-tenant mode. */
  tenantId?: string;
}>;

export type EmitReceipt = Readonly<{
  /** The ce-id, the same however often the event is sent. */
  id: Uuid;
  /** `off`: streaming or this event is switched off. */
  outcome: EmitOutcome | 'off';
}>;

export type EventProducer = Readonly<{
  /**
   * Emits an event by its key, such as `report.finished`. When it resolves with `sent` or `logged`, the event is not
   * lost. Errors: EmitRefused, if the event does not conform to its definition; Unavailable, if its log cannot be
   * written.
   */
  emit(key: string, event: EmittedEvent): Promise<EmitReceipt>;
  report(): ProducerReport;
  /** Waits for what is being sent; what is logged is published after the next start. */
  close(): Promise<void>;
}>;

export type ProducerReport = Readonly<{
  /** The number of events by outcome, since the start. */
  outcomes: Readonly<Record<EmitReceipt['outcome'], number>>;
  /** The number of events that did not conform. */
  refused: number;
  circuitOpen: boolean;
  /** The state of what is published from the log. */
  relay: RelayReport | undefined;
}>;

/** The event does not conform to its definition; nothing was sent, and a retry does not help. */
export class EmitRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'EmitRefused';
  }
}

/**
 * Creates a producer of events that conform to the contract of Quipu's events. It does not wait for the broker.
 * Errors: ProducerRefused, which names every problem; FolderLocked.
 */
export async function createProducer(options: ProducerOptions): Promise<EventProducer> {
  const { platform, folder, onWarning = () => {} } = options;
  const { declaration, source, streaming, topics, warnings } = checkedProducer(options);
  for (const warning of warnings) onWarning(warning);

  const ids = systemIds();
  const now = (): ReturnType<typeof formatInstant> => formatInstant(systemClock.now());
  const outcomes = { sent: 0, logged: 0, dead: 0, dropped: 0, off: 0 };
  let refused = 0;
  let closed = false;
  const emitting = new Set<Promise<unknown>>();
  const breaker =
    streaming && createCircuitBreaker(streaming.breaker, () => systemScheduler.elapsedMs());
  let publisher: Publisher | undefined;
  let outbox: ProducerOutbox | undefined;
  if (streaming !== undefined) {
    const { emitTimeoutMs: deliveryTimeoutMs } = streaming;
    publisher = await openPublisher({ ...streaming, deliveryTimeoutMs });
    const { name } = declaration;
    if (folder !== undefined) {
      const shared = { folder, name, platform, streaming, onWarning };
      outbox = await openProducerOutbox({ ...shared, topics: topics.filter(isLogged) });
    }
  }
  const provisioning = publisher && provisioned(publisher, topics, onWarning);

  const partitionKey = streaming?.partitionKey ?? 'aggregate';
  const entries = topics.map((entry) => {
    const { topic, definition, policy } = entry;
    const check = payloadCheck(definition);
    const envelope = createEnvelope(definition, { platform, source, partitionKey });
    return { topic, definition, policy, check, envelope, send: senderOf(entry) };
  });

  function senderOf(
    entry: EmittedTopic,
  ): (item: EmittedOfTenant) => Promise<EmitReceipt['outcome']> {
    const { topic, policy } = entry;
    if (!policy.enabled || publisher === undefined || breaker === undefined)
      return async () => 'off';
    const log = isLogged(entry) ? outbox?.ofTopic(topic) : undefined;
    if (policy.outbox === 'always' && log !== undefined) {
      return async (item) => {
        await log.append([item]);
        return 'logged';
      };
    }
    const producerId = streaming?.clientId ?? '';
    const lane = createDirectLane<EmittedOfTenant>({
      ...{ topic, publisher, breaker },
      ...(log !== undefined && { outbox: log }),
      ...(policy.dlq !== 'never' && { deadLetters: { platform, producerId, now } }),
    });
    return (item) => lane.emit(item);
  }

  const entryOf = (key: string, schemaVersion: string | undefined) => {
    const versions = entries.filter(({ definition }) => definition.key === key);
    const found =
      schemaVersion === undefined
        ? versions
        : versions.filter(({ definition }) => definition.schemaVersion === schemaVersion);
    const [entry, another] = found;
    if (entry === undefined) {
      throw new EmitRefused(
        `${declaration.name} has no event ${key} ${schemaVersion ?? ''}`.trim(),
      );
    }
    if (another !== undefined) throw new EmitRefused(`${key} has several versions: name one`);
    return entry;
  };

  const emit = async (key: string, event: EmittedEvent): Promise<EmitReceipt> => {
    if (closed) throw new EmitRefused('The producer is closed');
    const { topic, check, envelope, send } = entryOf(key, event.schemaVersion);
    const payload = plain(event.payload);
    const fault = check(payload);
    if (fault !== undefined) throw new EmitRefused(`The payload of ${key} is invalid: ${fault}`);

    const ceId = ids.next();
    const tenantId = event.tenantId ?? SINGLE_TENANT;
    const id = typeof payload['id'] === 'string' ? payload['id'] : undefined;
    const subject = event.subject ?? id ?? ceId;
    const draft = envelope.stamped(
      { ceId, time: now(), tenantId },
      { subject, recordKey: event.recordKey ?? subject, payload },
    );
    if (draft.fault !== undefined) throw new EmitRefused(draft.fault);
    const outcome = await send({ tenantId, record: { topic, ...draft } });
    outcomes[outcome] += 1;
    return { id: ceId, outcome };
  };

  return {
    emit(key, event) {
      const emission = emit(key, event);
      const settled = emission.then(
        () => {},
        (error: unknown) => {
          if (error instanceof EmitRefused) refused += 1;
        },
      );
      emitting.add(settled);
      void settled.then(() => emitting.delete(settled));
      return emission;
    },
    report: () => ({
      outcomes: { ...outcomes },
      refused,
      circuitOpen: breaker?.isOpen() ?? false,
      relay: outbox?.report(),
    }),
    async close() {
      closed = true;
      await Promise.all(emitting);
      provisioning?.stop();
      await outbox?.close();
      await publisher?.close();
    },
  };
}

const isLogged = ({ policy }: EmittedTopic): boolean => policy.outbox !== 'never';

/** Returns the payload as JSON has it, so that what is checked is what is sent. */
function plain(payload: unknown): Payload {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw new EmitRefused('The payload must be an object');
  }
  try {
    return JSON.parse(JSON.stringify(payload)) as Payload;
  } catch (error) {
    throw new EmitRefused(`The payload is not JSON: ${String(error)}`);
  }
}

/** Creates missing topics where settings permit it, and names those that remain missing, until the broker responds. */
function provisioned(
  publisher: Publisher,
  topics: readonly EmittedTopic[],
  onWarning: (message: string) => void,
): Readonly<{ stop(): void }> {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const isStopped = (): boolean => stopped;
  const attempt = async (): Promise<void> => {
    let missing: readonly string[] | undefined;
    try {
      missing = await publisher.provision(topics.map(({ topic }) => topic));
      if (missing.length > 0) onWarning(`Topics are missing: ${missing.join(', ')}`);
    } catch (error) {
      if (!isStopped()) onWarning(`Topics cannot be checked: ${String(error)}`);
    }
    if (isStopped() || missing?.length === 0) return;
    timer = setTimeout(() => void attempt(), PROVISION_AGAIN_MS).unref();
  };
  void attempt();
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

const PROVISION_AGAIN_MS = 10_000;
