import { START, type Position } from '#src/ports/event-store.ts';

/** A place in the server's log, in bytes of its transaction file. An event's own has the same number twice. */
export type Point = Readonly<{ commit: string; prepare: string }>;

/** The place of an event, whose commit and prepare position are one. Text order is log order. */
export const positionOf = (commit: string): Position => commit.padStart(DIGITS, '0') as Position;

/** Where to read on behind a position. */
export function pointOf(position: Position): Point | 'start' {
  if (position === START) return 'start';
  const commit = String(BigInt(position));
  return { commit, prepare: commit };
}

/** Those of an unsigned 64-bit number. */
const DIGITS = 20;
