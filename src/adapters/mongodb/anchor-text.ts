import type { Anchor } from '#src/ports/anchor.ts';
import type { Position } from '#src/ports/event-store.ts';

/** An anchor as one text, whose order is that of the positions: the later of two is the greater one. */
export const anchorText = (position: Position, hash: string): string => `${position} ${hash}`;

/** The anchor of what stands at a position; without a hash when the text is of another one. */
export function anchorIn(text: string, position: Position): Anchor {
  const [at, hash = ''] = text.split(' ');
  return { position, hash: at === position ? hash : '' };
}
