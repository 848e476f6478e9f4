import type { EmittedRecord } from '#src/events/streaming/emitted.ts';
import { GENESIS, seal } from '#src/journal/chain.ts';
import { hashOf } from '#src/kernel/event-hash.ts';
import type { EventMetadata } from '#src/kernel/event-metadata.ts';
import { NONE, type Revision } from '#src/kernel/ids.ts';
import { formatInstant, parseInstant, type Micros } from '#src/kernel/instant.ts';
import { producerJournal } from '#src/kernel/journal-name.ts';
import type { Clock } from '#src/ports/clock.ts';
import { Ambiguous } from '#src/ports/errors.ts';
import type { EventStore, NewEvent, Position } from '#src/ports/event-store.ts';
import type { Ids } from '#src/ports/ids.ts';

export type EmittedOfTenant = Readonly<{ tenantId: string; record: EmittedRecord }>;

/**
 * Appends records to the journal of a producer, in the order of the calls; durable when it resolves. Errors: Unavailable.
 */
export type KeepEmitted = (records: readonly EmittedOfTenant[]) => Promise<Position>;

export function createKeepEmitted(
  producer: string,
  log: Pick<EventStore, 'append' | 'last'>,
  clock: Clock,
  ids: Ids,
): KeepEmitted {
  const journal = producerJournal(producer);
  let waiting: WaitingAppend[] = [];
  let working = false;

  /** Appends everything that waits at once, because each append costs a flush to disk. */
  const work = async (): Promise<void> => {
    if (working) return;
    working = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        const last = await log.last(journal);
        const events = sealed(
          batch.flatMap(({ records }) => records),
          last?.metadata,
        );
        const position = await appended(events, last?.revision ?? NONE);
        for (const { resolve } of batch) resolve(position);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    working = false;
  };

  /** Repeats an append whose outcome is unknown: the same ids at the same revision are written once. */
  const appended = async (events: readonly NewEvent[], expected: Revision): Promise<Position> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return (await log.append(journal, events, expected)).position;
      } catch (error) {
        if (!(error instanceof Ambiguous) || tries === TRIES_MAX) throw error;
      }
    }
  };

  const sealed = (
    records: readonly EmittedOfTenant[],
    previous: string | undefined,
  ): readonly NewEvent[] => {
    let prevHash = previous === undefined ? GENESIS : hashOf(previous);
    let recordedAt = Math.max(clock.now(), after(previous));
    return records.map(({ tenantId, record }) => {
      const id = ids.next();
      const data = JSON.stringify(record);
      const { metadata, hash } = seal(TYPE, data, {
        $correlationId: id,
        $causationId: id,
        schemaVersion: 1,
        recordedAt: formatInstant(recordedAt as Micros),
        actor: PRODUCER,
        tenantId,
        requestId: id,
        eventId: id,
        prevHash,
      });
      prevHash = hash;
      recordedAt += 1;
      return { id, type: TYPE, data, metadata };
    });
  };

  return (records) =>
    new Promise((resolve, reject) => {
      waiting.push({ records, resolve, reject });
      void work();
    });
}

type WaitingAppend = Readonly<{
  records: readonly EmittedOfTenant[];
  resolve: (position: Position) => void;
  reject: (error: unknown) => void;
}>;

/** Times increase inside a journal, even if the clock goes back. */
function after(metadata: string | undefined): number {
  if (metadata === undefined) return 0;
  return parseInstant((JSON.parse(metadata) as EventMetadata).recordedAt) + 1;
}

const TYPE = 'RecordEmitted';
const PRODUCER = { type: 'system', id: 'producer' };
const TRIES_MAX = 5;
