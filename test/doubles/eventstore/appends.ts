import { setTimeout as sleep } from 'node:timers/promises';
import { decide, type Expected } from './decide.ts';
import type { Entry, EventLog, Proposed } from './event-log.ts';
import type { Faults } from './faults.ts';

export type Append = Readonly<{
  stream: string;
  expected: Expected;
  events: readonly Proposed[];
  /** From when on nobody waits for the answer, in ms since 1970. */
  deadline: number;
}>;

export type Outcome =
  | Readonly<{ is: 'written'; revision: number; last: Entry | undefined }>
  | Readonly<{ is: 'wrong'; actual: number }>
  | Readonly<{ is: 'tombstoned' | 'too large' | 'timeout' | 'not leader' | 'not ready' }>
  /** The connection breaks. */
  | Readonly<{ is: 'drop' }>
  | Readonly<{ is: 'unanswered' }>;

/** What becomes of an append, faults included. */
export async function perform(log: EventLog, faults: Faults, append: Append): Promise<Outcome> {
  if (faults.meets('notLeader')) return { is: 'not leader' };
  if (faults.meets('notReady')) return { is: 'not ready' };
  if (faults.meets('dropBefore')) return { is: 'drop' };
  if (!faults.hasRoomFor(append.events.length)) return { is: 'unanswered' };
  const dropsAfter = faults.meets('dropAfter');
  const delayMs = faults.meets('delays') ? faults.now.delayMs : 0;
  const outcome = await commit(log, append);
  if (dropsAfter) return { is: 'drop' };
  if (delayMs === 0) return outcome;
  const leftMs = append.deadline - Date.now();
  await sleep(Math.min(delayMs, Math.max(leftMs, 0)));
  return delayMs < leftMs ? outcome : { is: 'timeout' };
}

async function commit(log: EventLog, { stream, expected, events }: Append): Promise<Outcome> {
  const bytes = events.reduce((sum, { data }) => sum + data.length, 0);
  if (bytes > APPEND_BYTES_MAX) return { is: 'too large' };
  const ids = events.map(({ id }) => id);
  const verdict = decide(log, stream, expected, ids);
  switch (verdict.is) {
    case 'write': {
      if (events.length === 0) return { is: 'written', revision: 0, last: undefined };
      const last = await log.append(stream, events);
      return { is: 'written', revision: last.revision, last };
    }
    case 'repeated':
      return { is: 'written', revision: verdict.last.revision, last: verdict.last };
    case 'dropped':
      return { is: 'unanswered' };
    default:
      return verdict;
  }
}

export const APPEND_BYTES_MAX = 1_048_576;
