import type { Checkpoint } from '#src/ports/checkpoint-store.ts';
import type { Position } from '#src/ports/event-store.ts';
import type { Draft } from '#src/ports/publisher.ts';
import type { LogWindow } from './log-window.ts';
import type { LoggedEvent } from './logged-event.ts';

/** A topic and the records that each event of the log yields for it, always the same and in the same order. */
export type RelayTopic = Readonly<{
  name: string;
  types: ReadonlySet<string>;
  drafts: (event: LoggedEvent) => readonly Draft[];
}>;

/** The records that a lane publishes together. */
export type LaneLoad = Readonly<{
  pieces: readonly PendingRecord[];
  /** The checkpoint of the lane after all of them. */
  end: Checkpoint;
}>;

export type PendingRecord = Readonly<{ draft: Draft; event: LoggedEvent; after: Checkpoint }>;

export type LoadLimits = Readonly<{ events: number; records: number; bytes: number }>;

/** Returns a reader that continues from a checkpoint, one load after the other. */
export function createLoader(
  topic: RelayTopic,
  from: Checkpoint,
  window: LogWindow,
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

  return async () => {
    const pieces: PendingRecord[] = [];
    let chars = 0;
    for (const event of (await window.after(at.position)).slice(0, limits.events)) {
      const drafts = topic.types.has(event.type) ? draftsOf(event) : NONE;
      while (at.done < drafts.length) {
        const draft = drafts[at.done]!;
        if (pieces.length >= limits.records || chars >= limits.bytes) return { pieces, end: at };
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
      await breathe();
    }
    return { pieces, end: at };
  };
}

const NONE: readonly Draft[] = [];
