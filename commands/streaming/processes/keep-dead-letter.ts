import { NONE, type Uuid } from '#src/kernel/ids.ts';
import { formatInstant, parseInstant, type Micros } from '#src/kernel/instant.ts';
import { streamingJournal } from '#src/kernel/journal-name.ts';
import type { EventMetadata } from '#src/kernel/event-metadata.ts';
import type { DeadLetter } from '#src/kernel/dead-letter.ts';
import type { Clock } from '#src/ports/clock.ts';
import { Ambiguous } from '#src/ports/errors.ts';
import { WrongExpectedRevision, type EventStore } from '#src/ports/event-store.ts';
import { hashOf } from '#src/kernel/event-hash.ts';
import { GENESIS, idFrom, seal } from '#src/journal/chain.ts';

/** Keeps a record that the relay gave up. Errors: Unavailable. */
export type DeadLetters = (tenantId: string, letter: DeadLetter) => Promise<void>;

/**
 * Appends dead letters to the tenant's streaming journal, each once. A relay that crashes after an append sends the
 * same letter again; its event id is derived from the record's, and it is among the last events, because every topic
 * resumes where its last letter was kept.
 */
export function createDeadLetters(
  log: Pick<EventStore, 'append' | 'read' | 'last'>,
  clock: Clock,
): DeadLetters {
  /** Appends one letter at a time, because all topics share the journal. */
  let queue = Promise.resolve();

  const keep = async (tenantId: string, letter: DeadLetter): Promise<void> => {
    const journal = streamingJournal(tenantId);
    const id = eventIdOf(letter);
    for (;;) {
      const last = await log.last(journal);
      const revision = last?.revision ?? NONE;
      const recent = await log.read(journal, Math.max(0, revision + 1 - RECENT), RECENT);
      if (recent.some((event) => event.id === id)) return;

      const type = 'RecordDied';
      const data = JSON.stringify(letter);
      const { metadata } = seal(type, data, {
        $correlationId: id,
        $causationId: letter.event.id,
        schemaVersion: 1,
        recordedAt: formatInstant(Math.max(clock.now(), after(last?.metadata)) as Micros),
        actor: RELAY,
        tenantId,
        requestId: id,
        eventId: id,
        prevHash: last === undefined ? GENESIS : hashOf(last.metadata),
      });
      try {
        await log.append(journal, [{ id, type, data, metadata }], revision);
        return;
      } catch (error) {
        // The letter may have been appended all the same, or another one; the next read shows it.
        if (!(error instanceof WrongExpectedRevision || error instanceof Ambiguous)) throw error;
      }
    }
  };

  return (tenantId, letter) => {
    const kept = queue.then(() => keep(tenantId, letter));
    queue = kept.catch(() => {});
    return kept;
  };
}

const eventIdOf = ({ topic, ceId }: DeadLetter): Uuid => idFrom(`${topic}\n${ceId}`);

/** Times increase inside a journal, even if the clock goes back. */
function after(metadata: string | undefined): number {
  if (metadata === undefined) return 0;
  return parseInstant((JSON.parse(metadata) as EventMetadata).recordedAt) + 1;
}

const RELAY = { type: 'system', id: 'relay' };
const RECENT = 1000;
