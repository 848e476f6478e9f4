import { NONE, type Revision, type Uuid } from '#src/domain/ids.ts';
import { APPEND_BYTES_MAX } from '#src/domain/append-limit.ts';
import { Ambiguous, Unavailable } from '#src/ports/errors.ts';
import type { EventStore, NewEvent } from '#src/ports/event-store.ts';
import { Trouble } from './command.ts';
import type { Read } from './source.ts';

/**
 * Appends what a source tells, in its order: the next append leaves when the one before is durable. What a journal
 * holds already is compared by id and hash. Errors: Trouble when the target holds something else, or stays away.
 */
export function copyingTo(target: Pick<EventStore, 'append' | 'read' | 'last'>) {
  const ends = new Map<string, Revision>();
  let written = 0;

  const endOf = async (journal: string): Promise<Revision> => {
    const known = ends.get(journal);
    if (known !== undefined) return known;
    const end = (await patiently(() => target.last(journal)))?.revision ?? NONE;
    ends.set(journal, end);
    return end;
  };

  /** Errors: Trouble unless the target holds these very events. */
  const compare = async (journal: string, events: readonly Numbered[]): Promise<void> => {
    const [first] = events;
    if (first === undefined) return;
    const stored = await patiently(() => target.read(journal, first.revision, events.length));
    const other = events.find(
      ({ id, metadata }, n) => stored[n]?.id !== id || stored[n].metadata !== metadata,
    );
    if (other === undefined) return;
    throw new Trouble(`The target has another event ${String(other.revision)} in ${journal}.`);
  };

  const append = async (journal: string, events: readonly Numbered[]): Promise<void> => {
    const [first] = events;
    if (first === undefined) return;
    const end = events.at(-1)!.revision;
    await patiently(async () => {
      const reached = (await target.last(journal))?.revision ?? NONE;
      if (reached < end) await target.append(journal, events, first.revision - 1);
    });
    ends.set(journal, end);
    written += events.length;
  };

  return {
    written: () => written,
    async take(reads: readonly Read[]): Promise<void> {
      for (const { journal, events } of runsOf(reads)) {
        const end = await endOf(journal);
        await compare(
          journal,
          events.filter(({ revision }) => revision <= end),
        );
        await append(
          journal,
          events.filter(({ revision }) => revision > end),
        );
      }
    },
  };
}

type Numbered = NewEvent & Readonly<{ revision: Revision }>;
type Run = Readonly<{ journal: string; events: Numbered[] }>;

/** Neighbours of one journal, as many as one append takes. */
function runsOf(reads: readonly Read[]): Run[] {
  const runs: Run[] = [];
  let bytes = 0;
  for (const { journal = '', event } of reads) {
    const { id, type, data, metadata, revision } = event;
    const size = Buffer.byteLength(data);
    let run = runs.at(-1);
    if (
      run?.journal !== journal ||
      run.events.length >= EVENTS_MAX ||
      bytes + size > APPEND_BYTES_MAX
    ) {
      run = { journal, events: [] };
      runs.push(run);
      bytes = 0;
    }
    run.events.push({ id: id as Uuid, type, data, metadata, revision });
    bytes += size;
  }
  return runs;
}

/** Repeats what did not come to an answer; whoever repeats looks first how far it came. */
async function patiently<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Unavailable || error instanceof Ambiguous)) throw error;
      if (attempt >= ATTEMPTS_MAX) throw new Trouble(error.message, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

const EVENTS_MAX = 500;
const ATTEMPTS_MAX = 60;
const PAUSE_MS = 1000;
