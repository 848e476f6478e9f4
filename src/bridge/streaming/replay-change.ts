import type { ReplayEvent, ReplayRecord } from '#src/events/streaming/streaming.ts';
import { parseData } from '#src/kernel/event-data.ts';
import type { Replay } from '#src/kernel/replay.ts';
import type { StoredEvent } from '#src/ports/event-store.ts';

/** Returns the replay whose state an event of a streaming journal records; undefined if it records another fact. */
export function replayIn({ type, data }: StoredEvent): Replay | undefined {
  if (!STATES.has(type)) return undefined;
  return (parseData(data) as { replay: ReplayRecord }).replay;
}

const STATES: ReadonlySet<string> = new Set<ReplayEvent['type']>([
  'ReplayCreated',
  'ReplayUpdated',
]);
