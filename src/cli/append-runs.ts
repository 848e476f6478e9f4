import { APPEND_BYTES_MAX } from '#src/kernel/append-limit.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { NewEvent } from '#src/ports/event-store.ts';
import type { SourceItem } from './event-source.ts';

export type NumberedEvent = NewEvent & Readonly<{ revision: Revision }>;

/** Consecutive events of one journal for one append. */
export type AppendRun = Readonly<{ journal: string; events: NumberedEvent[] }>;

export const numbered = ({ event }: SourceItem): NumberedEvent => {
  const { id, type, data, metadata, revision } = event;
  return { id: id as Uuid, type, data, metadata, revision };
};

/** Groups neighbors of one journal, as many as one append takes. */
export function appendRunsOf(items: readonly SourceItem[]): AppendRun[] {
  const runs: AppendRun[] = [];
  let bytes = 0;
  for (const item of items) {
    const { journal = '', event } = item;
    const size = Buffer.byteLength(event.data);
    let run = runs.at(-1);
    if (run?.journal !== journal || bytes + size > APPEND_BYTES_MAX) {
      run = { journal, events: [] };
      runs.push(run);
      bytes = 0;
    }
    run.events.push(numbered(item));
    bytes += size;
  }
  return runs;
}
