import type { Checkpoint, CheckpointStore } from '#src/ports/checkpoint-store.ts';
import { Fenced } from '#src/ports/checkpoint-store.ts';
import { START, type EventStore, type Position } from '#src/ports/event-store.ts';
import type { SecretStore } from '#src/ports/secret-store.ts';
import { CliError } from './command.ts';
import { retryCopy } from './append-copy.ts';
import type { SourceItem } from './reads.ts';

/** Errors: CliError when the target has a different secret under one of these names; nothing was written then. */
export async function mustTakeSecrets(from: SecretStore, to: SecretStore): Promise<void> {
  for await (const { name, secret } of from.list()) {
    const found = await retryCopy(() => to.get(name));
    if (found !== undefined && !isEqual(found.value, secret.value)) throw anotherSecret(name);
  }
}

/**
 * Moves all secrets, and the names of destroyed ones, which stay reserved. A secret that was destroyed in the target stays
 * destroyed. Returns how many secrets of the folder the target has. Errors: CliError for one that differs there.
 */
export async function moveSecrets(from: SecretStore, to: SecretStore): Promise<number> {
  let moved = 0;
  for await (const { name, secret } of from.list()) {
    const written = await retryCopy(() => to.compareAndSet(name, undefined, secret.value));
    const found = written === undefined ? await retryCopy(() => to.get(name)) : secret;
    if (found === undefined) continue; // Destroyed there.
    if (!isEqual(found.value, secret.value)) throw anotherSecret(name);
    moved += 1;
  }
  for await (const name of from.listDestroyed()) await retryCopy(() => to.destroy(name));
  return moved;
}

const isEqual = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

const anotherSecret = (name: string): CliError =>
  new CliError(`The new deployment already has a different secret named ${name}.`);

/**
 * Translates the published position of each topic into a position of the target while events are copied, and saves it at
 * the end. Errors: CliError for a position beyond the end of the log, before anything is done.
 */
export function placing(
  places: ReadonlyMap<string, Checkpoint>,
  target: Pick<EventStore, 'read'>,
  lastNumber: number,
) {
  for (const [lane, { position }] of places) {
    if (Number(position) <= lastNumber) continue; // START, '', is 0.
    throw new CliError(
      `${lane} was published up to event ${Number(position)}, which the log does not have.`,
    );
  }
  const wanted = new Set<string>([...places.values()].map(({ position }) => position));
  const found = new Map<string, Position>([[START, START]]);
  return {
    /** Takes events that were copied. */
    async pass(reads: readonly SourceItem[]): Promise<void> {
      for (const { journal = '', event } of reads) {
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
      for (const [lane, { position: from, done }] of places) {
        const position = found.get(from);
        if (position === undefined) throw new Error(`${lane} did not come by`);
        const now = there.get(lane);
        if (now !== undefined && isBehind({ position, done }, now)) further.push(lane);
        await retryCopy(() => saved(to, lane, { position, done }, now));
      }
      return further;
    },
  };
}

async function saved(
  to: CheckpointStore,
  lane: string,
  checkpoint: Checkpoint,
  now: Checkpoint | undefined,
): Promise<void> {
  if (now !== undefined && !isBehind(now, checkpoint)) return;
  try {
    await to.save(lane, checkpoint, BEFORE_ALL_LEASES);
  } catch (cause) {
    if (!(cause instanceof Fenced)) throw cause;
    const why = `The relay of the new deployment already works on ${lane}, and is behind the folder`;
    throw new CliError(`${why}: it would publish events a second time.`, { cause });
  }
}

const isBehind = (a: Checkpoint, b: Checkpoint): boolean =>
  a.position < b.position || (a.position === b.position && a.done < b.done);

/** The first lease of a relay has 1. */
const BEFORE_ALL_LEASES = 0;
