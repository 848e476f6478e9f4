/** The settings of contract events §9.3. */
export type BreakerSettings = Readonly<{
  /** The circuit opens when this fraction of the last calls failed. */
  failureRatio: number;
  /** The number of calls over which the fraction is taken. */
  minRequests: number;
  openMs: number;
}>;

/** Keeps callers away from a target that fails most of them. */
export type CircuitBreaker = Readonly<{
  /** Returns how many milliseconds to wait. If 0, the caller may call, and must report the outcome. */
  waitMs(): number;
  succeeded(): void;
  failed(): void;
  /** Reports an outcome that says nothing about the target. */
  neither(): void;
  isOpen(): boolean;
}>;

export function createCircuitBreaker(
  { failureRatio, minRequests, openMs }: BreakerSettings,
  elapsedMs: () => number,
): CircuitBreaker {
  /** The outcomes of the last calls; true for a failure. */
  let recent: boolean[] = [];
  let openedMs: number | undefined;
  /** After `openMs`, an open circuit lets one caller try. */
  let probing = false;

  return {
    waitMs() {
      if (openedMs === undefined) return 0;
      const restMs = openedMs + openMs - elapsedMs();
      if (restMs > 0) return restMs;
      if (probing) return PROBE_POLL_MS;
      probing = true;
      return 0;
    },
    succeeded() {
      if (openedMs !== undefined) recent = [];
      openedMs = undefined;
      probing = false;
      recent.push(false);
      if (recent.length > minRequests) recent.shift();
    },
    failed() {
      probing = false;
      recent.push(true);
      if (recent.length > minRequests) recent.shift();
      const failures = recent.filter(Boolean).length;
      const bad = recent.length >= minRequests && failures / recent.length >= failureRatio;
      if (bad || openedMs !== undefined) openedMs = elapsedMs();
    },
    neither() {
      probing = false;
    },
    isOpen: () => openedMs !== undefined,
  };
}

const PROBE_POLL_MS = 50;
