import { anchorHash, type Anchor } from '#src/ports/anchor.ts';
import { DerivedDamaged } from '#src/ports/errors.ts';
import type { ReadStoreWriter } from '#src/ports/read-store.ts';
import type { Consumer, CollectionWriter } from './consumer.ts';
import type { LoggedEvent } from './logged-event.ts';
import { Stopped, type Retry } from '#src/ports/retry.ts';

export type Applying = Readonly<{
  writer: ReadStoreWriter;
  retry: Retry;
  /** Yields if the slice of work is over. */
  breathe: () => Promise<void>;
  /** Returns the error of an event whose bytes are not those that were written. */
  damageOf: (event: LoggedEvent) => Error | undefined;
  /** Called without an event if no single event is the cause. */
  stopAt: (consumer: Consumer, event: LoggedEvent | undefined, cause: unknown) => void;
}>;

/**
 * Applies a batch of events to the consumers that have not passed them, and writes their results and checkpoints. A consumer
 * that fails keeps the results before the failing event, and is stopped there.
 */
export async function applyBatch(
  taking: readonly Consumer[],
  events: readonly LoggedEvent[],
  applying: Applying,
): Promise<void> {
  const event = events.at(-1);
  if (event === undefined) return;
  const last = anchorOf(event);
  try {
    const poisoned = await gather(taking, events, applying);
    const sound = taking.filter((consumer) => !poisoned.has(consumer));
    await flushTogether(sound.filter(isCollection), events, last, applying);
    for (const consumer of sound) {
      if (!isCollection(consumer)) await flushAlone(consumer, events, last, applying);
    }
    for (const consumer of poisoned) await oneByOne(consumer, events, applying);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
  }
}

/** Returns the consumers that failed on an event. */
async function gather(
  taking: readonly Consumer[],
  events: readonly LoggedEvent[],
  { breathe, damageOf }: Applying,
): Promise<ReadonlySet<Consumer>> {
  const poisoned = new Set<Consumer>();
  const takersOf = takersByType(taking);
  for (const [n, event] of events.entries()) {
    if (n % EVENTS_PER_BREATH === 0) await breathe();
    const damage = damageOf(event);
    for (const consumer of damage === undefined ? takersOf(event.type) : taking) {
      if (event.position <= consumer.checkpoint || poisoned.has(consumer)) continue;
      try {
        if (damage !== undefined) throw damage;
        consumer.take(event);
      } catch {
        poisoned.add(consumer);
      }
    }
  }
  return poisoned;
}

/** Finds the consumers of each type once per batch, because most types have few. */
function takersByType(taking: readonly Consumer[]): (type: string) => readonly Consumer[] {
  const known = new Map<string, readonly Consumer[]>();
  return (type) => {
    let takers = known.get(type);
    if (takers === undefined) {
      takers = taking.filter(({ types }) => types?.has(type) !== false);
      known.set(type, takers);
    }
    return takers;
  };
}

/** Writes all in one transaction, which is cheaper than many; if that fails, each alone. */
async function flushTogether(
  consumers: readonly CollectionWriter[],
  events: readonly LoggedEvent[],
  last: Anchor,
  applying: Applying,
): Promise<void> {
  if (consumers.length === 0) return;
  const { writer, retry } = applying;
  try {
    for (const consumer of consumers) {
      await retry(async () => consumer.prepare?.());
    }
    await retry(() =>
      writer.apply(consumers.map((consumer) => consumer.batch(last.position, last.hash))),
    );
    for (const consumer of consumers) consumer.moved(last.position);
  } catch (error) {
    if (endsAll(error)) throw error;
    for (const consumer of consumers) await flushAlone(consumer, events, last, applying);
  }
}

async function flushAlone(
  consumer: Consumer,
  events: readonly LoggedEvent[],
  last: Anchor,
  applying: Applying,
): Promise<void> {
  try {
    await applying.retry(() => consumer.flush(last.position, last.hash));
  } catch (error) {
    if (endsAll(error)) throw error;
    if (isCollection(consumer)) await oneByOne(consumer, events, applying);
    else applying.stopAt(consumer, undefined, error); // What it failed on may come from earlier batches.
  }
}

/** Finds the event that a consumer fails on: applies what is before it, and stops the consumer there. */
async function oneByOne(
  consumer: Consumer,
  events: readonly LoggedEvent[],
  { retry, stopAt, damageOf }: Applying,
): Promise<void> {
  consumer.discard();
  for (const event of events) {
    try {
      const damage = event.position > consumer.checkpoint ? damageOf(event) : undefined;
      if (damage !== undefined) throw damage;
      if (concerns(consumer, event)) consumer.take(event);
      if (event.position > consumer.checkpoint) {
        const { position, hash } = anchorOf(event);
        await retry(() => consumer.flush(position, hash));
      }
    } catch (error) {
      consumer.discard();
      if (endsAll(error)) throw error;
      stopAt(consumer, event, error);
      return;
    }
  }
}

const anchorOf = ({ stored }: LoggedEvent): Anchor => ({
  position: stored.position,
  hash: anchorHash(stored),
});

/** No consumer can go on: the process ends, or the store it writes to must be rebuilt. */
const endsAll = (error: unknown): boolean =>
  error instanceof Stopped || error instanceof DerivedDamaged;

const concerns = ({ types, checkpoint }: Consumer, event: LoggedEvent): boolean =>
  types?.has(event.type) !== false && event.position > checkpoint;

const isCollection = (consumer: Consumer): consumer is CollectionWriter => 'batch' in consumer;

const EVENTS_PER_BREATH = 16;
