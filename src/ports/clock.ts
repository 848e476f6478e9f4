import type { Micros } from '#src/kernel/instant.ts';

export interface Clock {
  /** Returns the current time. It may stand still or step back, so callers that stamp events keep their own order. */
  now(): Micros;
}
