import type { Check } from '#src/http/services.ts';
import type { Log } from '#src/ports/log.ts';
import { describeBehind, type Behind } from '#src/runtime/catch-up.ts';
import type { ProjectionReport } from '#src/runtime/projection-report.ts';

/** Follows read models that are behind the log: at the start, after a restore, in a new version. */
export type Rebuild = Readonly<{
  heard: (report: ProjectionReport) => void;
  behind: () => Behind | undefined;
  /** True if reads are served; waits a moment for a projector that is about to catch up. */
  readsServed: () => Promise<boolean>;
  /** Absent while nothing is behind. */
  check: () => Readonly<{ reads?: Check }>;
}>;

/** Logs the progress of a rebuild, unless it ends quickly. */
export function createRebuild(log: Log): Rebuild {
  let caughtUp = false;
  let behind: Behind | undefined;
  let rebuilding: readonly string[] = [];
  let sinceMs: number | undefined;
  let saidMs = performance.now();
  let said = false;
  let level = (): void => undefined;
  const isLevel = new Promise<void>((resolve) => (level = resolve));

  const say = (): void => {
    const nowMs = performance.now();
    if (behind === undefined) {
      if (said) log.info(`The read models have caught up, after ${secondsSince(sinceMs)} s`);
      sinceMs = undefined;
      said = false;
      return;
    }
    sinceMs ??= nowMs;
    if (nowMs - Math.max(said ? saidMs : 0, said ? 0 : sinceMs) < (said ? EVERY_MS : FIRST_MS))
      return;
    saidMs = nowMs;
    said = true;
    log.info(`The read models are rebuilt: ${describeBehind(behind)}`);
  };

  return {
    heard(report) {
      caughtUp ||= report.caughtUp;
      if (caughtUp) level();
      behind = report.behind;
      rebuilding = [...report.collections].flatMap(([name, one]) => (one.rebuilding ? [name] : []));
      say();
    },
    behind: () => behind,
    async readsServed() {
      if (!caughtUp) await Promise.race([isLevel, pause(SOON_MS)]);
      return caughtUp;
    },
    check() {
      if (caughtUp && behind === undefined) return {};
      const names = caughtUp && rebuilding.length > 0 ? ` ${rebuilding.join(', ')}:` : '';
      const detail = `rebuilding:${names} ${behind === undefined ? 'not begun yet' : describeBehind(behind)}`;
      return { reads: { status: caughtUp ? 'up' : 'down', latency_ms: 0, detail } };
    },
  };
}

const secondsSince = (ms = performance.now()): string =>
  ((performance.now() - ms) / 1000).toFixed(1);

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms).unref());

/** Most starts have caught up within this time. */
const FIRST_MS = 500;
const EVERY_MS = 3000;
const SOON_MS = 1000;
