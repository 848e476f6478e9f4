/** Spaces messages evenly, so that a target gets no more of them a second than its subscription allows. */
export type Pace = Readonly<{
  /** Returns the milliseconds until the next message may be sent; 0 if that is now. */
  waitMs(): number;
  /** Counts a message. */
  sent(perSecond: number): void;
}>;

export function createPace(elapsedMs: () => number): Pace {
  let nextMs = -Infinity;
  return {
    waitMs: () => Math.max(0, nextMs - elapsedMs()),
    sent(perSecond) {
      const nowMs = elapsedMs();
      // Timers are late: the next message makes up for it.
      const isLate = nowMs - nextMs < LATE_MS_MAX;
      nextMs = (isLate ? nextMs : nowMs) + (1000 + LATE_MS_MAX) / perSecond;
    },
  };
}

/** So much longer than a second take the messages of a second, so that even after a late one there are not too many. */
const LATE_MS_MAX = 20;
