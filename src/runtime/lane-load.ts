import type { Checkpoint } from '#src/ports/checkpoint-store.ts';
import type { Position } from '#src/ports/event-store.ts';
import type { Draft } from '#src/ports/publisher.ts';
import type { LogReader, LogStretch } from './log-window.ts';
import type { LoggedEvent } from './logged-event.ts';
import type { RecordBudget } from './record-budget.ts';

/** A topic and the records that each event of the log yields for it, always the same and in the same order. */
export type RelayTopic = Readonly<{
  name: string;
  types: ReadonlySet<string>;
  drafts: (event: LoggedEvent) => readonly Draft[];
  /** False if only the journal keeps records that cannot be published. */
  hasDeadLetters?: boolean;
}>;

/** The records that a lane publishes together. */
export type LaneLoad = Readonly<{
  pieces: readonly PendingRecord[];
  /** The checkpoint of the lane after all of them. */
  end: Checkpoint;
  /** Reports that all of them are finished. */
  release(): void;
}>;

export type PendingRecord = Readonly<{ draft: Draft; event: LoggedEvent; after: Checkpoint }>;

export type LoadLimits = Readonly<{ budget: RecordBudget; bytes: number }>;

/** Returns a reader that continues from a checkpoint, one load after the other. */
export function createLoader(
  topic: RelayTopic,
  from: Checkpoint,
  reader: LogReader,
  limits: LoadLimits,
  breathe: () => Promise<void>,
): () => Promise<LaneLoad> {
  let at = from;
  /** The rest of an event that fills several loads. */
  let unfinished: Readonly<{ position: Position; drafts: readonly Draft[] }> | undefined;

  const draftsOf = (event: LoggedEvent): readonly Draft[] => {
    if (unfinished?.position !== event.position) {
      unfinished = { position: event.position, drafts: topic.drafts(event) };
    }
    return unfinished.drafts;
  };

  /** Returns the first records of a part of the log. */
  const piecesOf = async (
    { events, end }: LogStretch,
    recordsMax: number,
  ): Promise<readonly PendingRecord[]> => {
    const pieces: PendingRecord[] = [];
    let chars = 0;
    for (const [n, { event, before }] of events.entries()) {
      if (before > at.position) at = { position: before, done: 0 };
      const drafts = draftsOf(event);
      while (at.done < drafts.length) {
        const draft = drafts[at.done]!;
        if (pieces.length >= recordsMax || chars >= limits.bytes) return pieces;
        const done = at.done + 1;
        at =
          done < drafts.length
            ? { position: at.position, done }
            : { position: event.position, done: 0 };
        pieces.push({ draft, event, after: at });
        chars += draft.value.length;
        if (at.done === 0) break;
      }
      at = { position: event.position, done: 0 };
      if (n % EVENTS_PER_BREATH === 0) await breathe();
    }
    if (end > at.position) at = { position: end, done: 0 };
    return pieces;
  };

  return async () => {
    const stretch = await reader.next(at.position, topic.types);
    const share = limits.budget.take();
    const pieces = await piecesOf(stretch, share.records);
    return { pieces, end: at, ...share.settle(pieces.length) };
  };
}

const EVENTS_PER_BREATH = 16;
