import type { Micros } from '#src/kernel/instant.ts';

export interface Clock {
  /** The present moment. May stand still or step back: whoever stamps events keeps its own order. */
  now(): Micros;
}
