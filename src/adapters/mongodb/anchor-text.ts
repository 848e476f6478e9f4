import type { Anchor } from '#src/ports/anchor.ts';
import type { Position } from '#src/ports/event-store.ts';

/** Returns an anchor as one text that sorts by position: the later of two anchors is the greater text. */
export const anchorText = (position: Position, hash: string): string => `${position} ${hash}`;

/** Returns the anchor at a position; it lacks a hash when the text is of another position. */
export function anchorIn(text: string, position: Position): Anchor {
  const [at, hash = ''] = text.split(' ');
  return { position, hash: at === position ? hash : '' };
}
