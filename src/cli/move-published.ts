import { Fenced, type Checkpoint, type CheckpointStore } from '#src/ports/checkpoint-store.ts';
import { START, type EventStore, type Position } from '#src/ports/event-store.ts';
import { CliError } from './command.ts';
import { retryCopy } from './copier.ts';
import type { SourceItem } from './event-source.ts';

/**
 * Translates the published position of each topic into a position of the target while events are copied, and saves it at
 * the end. Errors: CliError for a position beyond the end of the log, before anything is done.
 */
export function movePublished(
  published: ReadonlyMap<string, Checkpoint>,
  target: Pick<EventStore, 'read'>,
  lastNumber: number,
) {
  for (const [topic, { position }] of published) {
    if (Number(position) <= lastNumber) continue; // START, '', is 0.
    throw new CliError(
      `${topic} was published up to event ${Number(position)}, which the log does not have.`,
    );
  }
  const wanted = new Set<string>([...published.values()].map(({ position }) => position));
  const found = new Map<string, Position>([[START, START]]);
  return {
    /** Takes events that the target holds. */
    async take(items: readonly SourceItem[]): Promise<void> {
      for (const { journal = '', event } of items) {
        if (!wanted.has(event.position)) continue;
        const [there] = await retryCopy(() => target.read(journal, event.revision, 1));
        if (there !== undefined) found.set(event.position, there.position);
      }
    },

    /**
     * Returns the topics that the new deployment has published further; their positions stay. Errors: CliError when its
     * relay has worked on a topic and is behind.
     */
    async save(to: CheckpointStore): Promise<readonly string[]> {
      const there = await retryCopy(() => to.load());
      const further: string[] = [];
      for (const [topic, { position: from, done }] of published) {
        const position = found.get(from);
        if (position === undefined)
          throw new Error(`The event at the position of ${topic} was not copied`);
        const now = there.get(topic);
        if (now !== undefined && isBehind({ position, done }, now)) further.push(topic);
        await retryCopy(() => save(to, topic, { position, done }, now));
      }
      return further;
    },
  };
}

async function save(
  to: CheckpointStore,
  topic: string,
  checkpoint: Checkpoint,
  now: Checkpoint | undefined,
): Promise<void> {
  if (now !== undefined && !isBehind(now, checkpoint)) return;
  try {
    await to.save(topic, checkpoint, BEFORE_ALL_LEASES);
  } catch (cause) {
    if (!(cause instanceof Fenced)) throw cause;
    const why = `The relay of the new deployment already works on ${topic}, and is behind the folder`;
    throw new CliError(`${why}: it would publish events a second time.`, { cause });
  }
}

const isBehind = (a: Checkpoint, b: Checkpoint): boolean =>
  a.position < b.position || (a.position === b.position && a.done < b.done);

/** Below the fencing token of every lease, of which the first is 1. */
const BEFORE_ALL_LEASES = 0;
