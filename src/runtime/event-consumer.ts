import { formatInstant } from '#src/kernel/instant.ts';
import type { Clock } from '#src/ports/clock.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { IncomingMessage, MessageSource } from '#src/ports/message-source.ts';
import { PublishFailed } from '#src/ports/publisher.ts';
import { backoffMs, sleep, Stopped } from '#src/ports/retry.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import type { SeenIds } from '#src/ports/seen-ids.ts';
import { deadRecord, withoutPayload } from './dead-letter.ts';
import {
  EventRefused,
  MalformedEvent,
  receivedEvent,
  type ReceivedEvent,
} from './received-event.ts';

export type ConsumerSettings = Readonly<{
  /** The number of attempts after the first one. */
  retryBudget: number;
  retryInitialMs: number;
  retryMaxMs: number;
  /** The time for which one message may hold back those behind it while it is retried. */
  dwellMaxMs: number;
  /** The pause before a dead letter or the store is tried again. */
  haltMs: number;
}>;

/**
 * `remember` is for a handler whose effect is in the database of the store: called inside its transaction, it makes effect
 * and id durable together. False: the event was handled before, so there is nothing to do.
 */
export type Handling<Kept> = Readonly<{
  remember: () => Kept;
  /** The event as the broker delivered it. */
  message: IncomingMessage;
}>;

/**
 * The effect is durable when it returns or resolves. An event whose handler fails is handled again, as often as the
 * budget permits; after Unavailable without a limit, and after EventRefused never.
 */
export type EventHandler<Kept> = (
  event: ReceivedEvent,
  handling: Handling<Kept>,
) => Promise<void> | void;

export type EventConsumerOptions<Kept extends boolean | Promise<boolean>> = Readonly<{
  source: MessageSource;
  store: SeenIds<Kept>;
  handle: EventHandler<Kept>;
  /** Decides whether the handler knows a major version of an event key; others are parked. */
  knows: (key: string, major: number) => boolean;
  settings: ConsumerSettings;
  scheduler: Scheduler;
  clock: Clock;
  /** The first part of the names of dead-letter headers. */
  platform: string;
  consumerId: string;
  onFault: (message: string) => void;
}>;

export type ConsumerReport = Readonly<{
  handled: number;
  /** Events that were handled before. */
  repeated: number;
  /** Events of an unknown major, which wait in the dead-letter topic. */
  parked: number;
  dead: number;
}>;

export type EventConsumer = Readonly<{
  /** Handles events until closed. */
  run(): Promise<void>;
  report(): ConsumerReport;
  close(): Promise<void>;
}>;

/** Why a message went to the dead-letter topic. */
type Cause = Readonly<{
  kind: 'handler_failed' | 'unknown_major' | EventRefused['kind'];
  message: string;
  retries: number;
  since: string;
}>;

/** Returns false if the broker does not take a dead letter for its size, unless it is the smallest one. */
async function published(publishing: Promise<void>, isLast: boolean): Promise<boolean> {
  try {
    await publishing;
    return true;
  } catch (error) {
    const isTooLarge = error instanceof PublishFailed && error.errorClass === 'serialization_error';
    if (isTooLarge && !isLast) return false;
    throw error;
  }
}

/**
 * Handles each event once, as far as its id shows. The position moves only after the effect is durable and the id is
 * remembered; after a crash in between, the event is delivered again and its id decides.
 */
export function createEventConsumer<Kept extends boolean | Promise<boolean>>(
  options: EventConsumerOptions<Kept>,
): EventConsumer {
  const { source, store, handle, knows, settings, scheduler, clock, onFault } = options;
  const stopping = new AbortController();
  const stop = stopping.signal;
  const counts = { handled: 0, repeated: 0, parked: 0, dead: 0 };
  const now = (): string => formatInstant(clock.now());

  const take = async (message: IncomingMessage): Promise<void> => {
    let event: ReceivedEvent;
    try {
      event = receivedEvent(message);
    } catch (error) {
      if (!(error instanceof MalformedEvent)) throw error;
      await bury(message, { kind: 'malformed', message: error.message, retries: 0, since: now() });
      counts.dead += 1;
      return;
    }
    if (await insisted(() => store.has(event.id))) {
      counts.repeated += 1;
      return;
    }
    const { key, schemaVersion } = event;
    if (!knows(key, Math.max(1, Number(schemaVersion.split('.')[0])))) {
      const text = `${key} ${schemaVersion} is newer than this consumer`;
      await bury(message, { kind: 'unknown_major', message: text, retries: 0, since: now() });
      counts.parked += 1;
      return;
    }
    const cause = await handled(event, message);
    if (cause === undefined) {
      counts.handled += 1;
    } else {
      await bury(message, cause);
      counts.dead += 1;
    }
  };

  /** Returns why the event could not be handled; undefined if it was. */
  const handled = async (
    event: ReceivedEvent,
    message: IncomingMessage,
  ): Promise<Cause | undefined> => {
    const { retryBudget, retryInitialMs, retryMaxMs, dwellMaxMs } = settings;
    const backoff = { firstMs: retryInitialMs, maxMs: retryMaxMs };
    let startedMs = scheduler.elapsedMs();
    let since: string | undefined;
    for (let failures = 0; ;) {
      stop.throwIfAborted();
      const state = { isRemembered: false };
      try {
        await handle(event, {
          message,
          remember: () => {
            state.isRemembered = true;
            return store.remember(event.id);
          },
        });
        if (!state.isRemembered) await insisted(() => store.remember(event.id));
        return undefined;
      } catch (error) {
        if (error instanceof Stopped) throw error;
        if (error instanceof Unavailable) {
          onFault(String(error));
          await sleep(settings.haltMs, scheduler, stop);
          startedMs = scheduler.elapsedMs();
          continue;
        }
        failures += 1;
        since ??= now();
        if (error instanceof EventRefused) {
          return { kind: error.kind, message: error.message, retries: failures - 1, since };
        }
        const waitMs = backoffMs(backoff, failures, scheduler.random());
        const dweltMs = scheduler.elapsedMs() - startedMs + waitMs;
        if (failures > retryBudget || dweltMs > dwellMaxMs) {
          return { kind: 'handler_failed', message: String(error), retries: failures - 1, since };
        }
        await sleep(waitMs, scheduler, stop);
      }
    }
  };

  /** Publishes the dead letter, however long that takes: the position must not move before. */
  const bury = async (message: IncomingMessage, cause: Cause): Promise<void> => {
    const { platform, consumerId } = options;
    const death = {
      topic: message.topic,
      failure: new PublishFailed(
        cause.kind === 'handler_failed' ? 'validation_error' : 'serialization_error',
        cause.message,
      ),
      retries: cause.retries,
      firstFailureAt: cause.since,
      ...{ platform, producerId: consumerId },
    };
    const { partition, offset } = message;
    const place = {
      [`x-${platform}-dlq-cause-kind`]: cause.kind,
      ...(partition !== undefined && {
        [`x-${platform}-dlq-source-partition`]: String(partition),
      }),
      ...(offset !== undefined && { [`x-${platform}-dlq-source-offset`]: offset }),
    };
    const whole = deadRecord({ ...message, headers: { ...message.headers, ...place } }, death);
    const bare = deadRecord({ ...message, headers: place }, death);
    // What is too large for the dead-letter topic is left out: it must not hold back those behind it.
    const letters = [whole, withoutPayload(whole, platform), withoutPayload(bare, platform)];
    const { bytes, ...text } = message;
    for (const [n, { headers, value }] of letters.entries()) {
      const isWhole = n === 0 && bytes !== undefined;
      const letter = { ...text, headers: {}, value, ...(isWhole && { bytes }) };
      const isLast = n === letters.length - 1;
      if (await insisted(() => published(source.bury(letter, headers), isLast))) return;
    }
  };

  /** Repeats work on the store or the broker until it succeeds. Errors: Stopped. */
  const insisted = async <Result>(work: () => Result): Promise<Awaited<Result>> => {
    for (;;) {
      stop.throwIfAborted();
      try {
        return await work();
      } catch (error) {
        onFault(String(error));
      }
      await sleep(settings.haltMs, scheduler, stop);
    }
  };

  return {
    run: () => source.run(take),
    report: () => ({ ...counts }),
    async close() {
      stopping.abort(new Stopped());
      await source.close();
    },
  };
}
