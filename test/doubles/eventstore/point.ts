import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { Entry, EventLog } from './event-log.ts';

/** A place in the log as clients name it; an event's own has the same number twice. */
export type Point = Readonly<{ commit: bigint; prepare: bigint }>;

export function pointOf(options: ReadReq.Options, log: EventLog): Point {
  const all = options.getAll();
  if (all?.hasEnd()) {
    const end = BigInt((log.entry(log.count - 1)?.position ?? 0) + 1);
    return { commit: end, prepare: end };
  }
  const position = all?.getPosition();
  if (position === undefined) return { commit: 0n, prepare: 0n };
  return {
    commit: BigInt(position.getCommitPosition()),
    prepare: BigInt(position.getPreparePosition()),
  };
}

export function isBehind({ position }: Entry, { commit, prepare }: Point): boolean {
  const own = BigInt(position);
  return own === commit ? own > prepare : own > commit;
}
