import {
  PublishFailed,
  type ErrorClass,
  type OutgoingRecord,
  type Publisher,
} from '#src/ports/publisher.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { deadRecord, withoutPayload } from './dead-letter.ts';

/** `sent`: acknowledged by the broker; `logged`: durable in the log, to be published from there; the others are lost. */
export type EmitOutcome = 'sent' | 'logged' | 'dead' | 'dropped';

export type LaneOutbox<Item> = Readonly<{
  /** Appends items to the log, in order; durable when it resolves. Errors: Unavailable. */
  append(items: readonly Item[]): Promise<unknown>;
  /** Returns true if everything of this topic that was logged is published. */
  isDrained(): boolean;
}>;

export type DirectLaneOptions<Item> = Readonly<{
  topic: string;
  publisher: Publisher;
  breaker: CircuitBreaker;
  /** Takes what the broker does not; without it, that is lost and counted. */
  outbox?: LaneOutbox<Item>;
  /** The dead letter's own headers; without them, a record that cannot be published is dropped. */
  deadLetters?: Readonly<{ platform: string; producerId: string; now: () => string }>;
}>;

export type DirectLane<Item> = Readonly<{
  /** Errors: Unavailable, if the broker and the log both fail: nothing is kept. */
  emit(item: Item): Promise<EmitOutcome>;
}>;

/**
 * Sends records of one topic when they happen, one batch after the other, so that records of a key stay in order. As
 * long as older records of the topic wait in the log, newer ones follow them there instead of overtaking them.
 */
export function createDirectLane<Item extends Readonly<{ record: OutgoingRecord }>>(
  options: DirectLaneOptions<Item>,
): DirectLane<Item> {
  const { topic, publisher, breaker, outbox } = options;
  let waiting: WaitingItem<Item>[] = [];
  let working = false;

  const work = async (): Promise<void> => {
    if (working) return;
    working = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH_MAX);
      waiting = waiting.slice(BATCH_MAX);
      try {
        const outcomes = await sent(batch.map(({ item }) => item));
        for (const [n, { resolve }] of batch.entries()) resolve(outcomes[n] ?? 'dropped');
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    working = false;
  };

  /** Returns the outcome of each item. */
  const sent = async (items: readonly Item[]): Promise<readonly EmitOutcome[]> => {
    if (outbox !== undefined && !outbox.isDrained()) return logged(outbox, items);
    const outcomes: EmitOutcome[] = [];
    while (outcomes.length < items.length) {
      const rest = items.slice(outcomes.length);
      const failure = await published(rest.map(({ record }) => record));
      const done = failure?.acknowledged ?? rest.length;
      outcomes.push(...rest.slice(0, done).map(() => 'sent' as const));
      if (failure === undefined) break;
      const unsent = rest.slice(done);
      if (outbox !== undefined) return [...outcomes, ...(await logged(outbox, unsent))];
      if (!OF_THE_RECORD.has(failure.errorClass))
        return [...outcomes, ...unsent.map(() => 'dropped' as const)];
      if (unsent[0] !== undefined) outcomes.push(await buried(unsent[0].record, failure));
    }
    return outcomes;
  };

  const logged = async (to: LaneOutbox<Item>, items: readonly Item[]): Promise<EmitOutcome[]> => {
    await to.append(items);
    return items.map(() => 'logged');
  };

  const published = async (
    records: readonly OutgoingRecord[],
  ): Promise<PublishFailed | undefined> => {
    if (breaker.waitMs() > 0) return new PublishFailed('broker_unavailable', 'The circuit is open');
    try {
      await publisher.publish(topic, records);
      breaker.succeeded();
      return undefined;
    } catch (error) {
      const failure =
        error instanceof PublishFailed
          ? error
          : new PublishFailed('broker_unavailable', String(error), { cause: error });
      if (OF_THE_RECORD.has(failure.errorClass)) breaker.neither();
      else breaker.failed();
      return failure;
    }
  };

  const buried = async (record: OutgoingRecord, failure: PublishFailed): Promise<EmitOutcome> => {
    if (options.deadLetters === undefined) return 'dropped';
    const { platform, producerId, now } = options.deadLetters;
    const death = { topic, failure, retries: 0, firstFailureAt: now(), platform, producerId };
    const whole = deadRecord(record, death);
    for (const letter of [whole, withoutPayload(whole, platform)]) {
      try {
        await publisher.bury(topic, letter);
        return 'dead';
      } catch {
        // The second attempt has no payload; when it fails too, the record is lost and counted.
      }
    }
    return 'dropped';
  };

  return {
    emit: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        void work();
      }),
  };
}

type WaitingItem<Item> = Readonly<{
  item: Item;
  resolve: (outcome: EmitOutcome) => void;
  reject: (error: unknown) => void;
}>;

/** Classes of failures that concern a record or its topic, and show that the broker responds. */
const OF_THE_RECORD: ReadonlySet<ErrorClass> = new Set<ErrorClass>([
  'serialization_error',
  'topic_not_found',
  'auth_error',
]);
const BATCH_MAX = 500;
