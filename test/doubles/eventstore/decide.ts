import type { Entry, EventLog } from './event-log.ts';

/** The revision a stream must be at; -1 is a stream that must not exist. */
export type Expected = number | 'any' | 'exists';

export type Verdict =
  | Readonly<{ is: 'write' }>
  /** The same ids are there already. */
  | Readonly<{ is: 'repeated'; last: Entry }>
  /** They are on their way to the disk: a second request for them is never answered. */
  | Readonly<{ is: 'dropped' }>
  | Readonly<{ is: 'wrong'; actual: number }>
  | Readonly<{ is: 'tombstoned' }>;

/** Whether events may follow the last one of a stream. Event ids are compared, contents are not. */
export function decide(
  log: EventLog,
  name: string,
  expected: Expected,
  ids: readonly string[],
): Verdict {
  const stream = log.stream(name);
  if (stream?.removed === 'tombstoned') return { is: 'tombstoned' };
  const head = (stream?.events.length ?? 0) - 1;
  const gone = stream === undefined || stream.removed === 'deleted';
  if (expected === 'any') return { is: 'write' };
  if (expected === 'exists') return gone ? { is: 'wrong', actual: -1 } : { is: 'write' };
  if (expected === head || (expected === -1 && gone)) return { is: 'write' };

  const run = stream?.events.slice(expected + 1, expected + 1 + ids.length) ?? [];
  const last = run.at(-1);
  const wrong: Verdict = { is: 'wrong', actual: gone ? -1 : head };
  if (last === undefined || run.length !== ids.length) return wrong;
  if (!log.isDurable(last)) return log.isPending(ids[0] ?? '') ? { is: 'dropped' } : wrong;
  return run.every((entry, n) => log.idOf(entry) === ids[n]) ? { is: 'repeated', last } : wrong;
}
