import { START, type Position } from '#src/ports/event-store.ts';

/** A place in the server's log, in bytes of its transaction file. For an event, both numbers are equal. */
export type Point = Readonly<{ commit: string; prepare: string }>;

/** Returns the position of an event, whose commit and prepare position are equal. Text order is log order. */
export const positionOf = (commit: string): Position => commit.padStart(DIGITS, '0') as Position;

/** Returns the point from which to read after a position. */
export const pointOf = (position: Position): Point | 'start' =>
  position === START ? 'start' : eventPoint(position);

/** Returns the point of an event. */
export function eventPoint(position: Position): Point {
  const commit = String(BigInt(position));
  return { commit, prepare: commit };
}

/** The digits of an unsigned 64-bit number. */
const DIGITS = 20;
