import type { DomainEvent } from '#src/kernel/decider.ts';
import type { Revision } from '#src/kernel/ids.ts';
import type { EventMetadata } from '#src/kernel/event-metadata.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { EventStore } from '#src/ports/event-store.ts';
import { intact } from '#src/ports/intact.ts';
import { hasWritten, type Committed, type Decided } from './batch.ts';
import { recalled } from './reload.ts';

type StreamReader = Pick<EventStore, 'read'>;

/** Resolves a caller with its decision, once the journal is durable up to everything the decision rests on. */
export function reply<Command, Event extends DomainEvent>(
  decided: Decided<Command, Event>,
  journal: string,
  durable: Revision,
  log: StreamReader,
): void {
  const { waiting, answer } = decided;
  const wrote = hasWritten(decided);
  // A key that neither expires nor can be released stays used, so that no other append of the command can be written.
  const isFinal = wrote || (answer.is === 'known' && !answer.mayEnd);
  if (!isFinal && waiting.mayLandAfter !== undefined && waiting.mayLandAfter >= durable) {
    // It was decided differently this time, but its first append may still be written.
    waiting.reject(new Unavailable(`The outcome of an append to ${journal} is not known`));
    return;
  }
  switch (answer.is) {
    case 'done':
      waiting.resolve({
        events: answer.events,
        revision: wrote ? (answer.events.at(-1)?.revision ?? durable) : durable,
        replayed: false,
      });
      break;
    case 'refused':
      waiting.reject(answer.refusal);
      break;
    case 'known':
      replay<Event>(journal, answer.revision, log).then(
        (events) => waiting.resolve({ events, revision: durable, replayed: true }),
        waiting.reject,
      );
      break;
  }
}

/** Reads the events that the first request with a key caused, from its revision on. */
async function replay<Event extends DomainEvent>(
  journal: string,
  at: Revision,
  log: StreamReader,
): Promise<readonly Committed<Event>[]> {
  const [first] = await log.read(journal, at, 1);
  if (first === undefined) throw new Error(`${journal} lacks revision ${at}`);
  const { keyedEvents = 1, replyVersion } = JSON.parse(intact(first).metadata) as EventMetadata;
  const others = keyedEvents === 1 ? [] : await log.read(journal, at + 1, keyedEvents - 1);
  return [first, ...others].map((stored) => recalled<Event>(intact(stored), replyVersion));
}
