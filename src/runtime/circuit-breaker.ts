/** Contract events §9.3. */
export type BreakerSettings = Readonly<{
  /** Opens when so large a part of the last calls failed. */
  failureRatio: number;
  /** Of at least so many calls. */
  minRequests: number;
  openMs: number;
}>;

/** Keeps callers away from a target that fails most of them. */
export type CircuitBreaker = Readonly<{
  /** How long a caller should wait before it asks again; 0: it may call, and must tell how it went. */
  waitMs(): number;
  succeeded(): void;
  failed(): void;
  /** It came to nothing that says anything about the target. */
  neither(): void;
  isOpen(): boolean;
}>;

export function createCircuitBreaker(
  { failureRatio, minRequests, openMs }: BreakerSettings,
  elapsedMs: () => number,
): CircuitBreaker {
  /** Of the last calls, whether each failed. */
  let recent: boolean[] = [];
  let openedMs: number | undefined;
  /** After its time an open circuit lets one caller try. */
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
