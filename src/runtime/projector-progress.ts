import type { Revision, Uuid } from '#src/kernel/ids.ts';
import { START, type EventStore, type Position } from '#src/ports/event-store.ts';
import type { ClusterMessages } from '#src/ports/cluster-messages.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import type { ProjectionReport } from './projection-report.ts';

/** Posts the projector's reports for other processes, at most as often as they look. */
export function postProgress(
  board: ClusterMessages,
  logId: Uuid,
  fence: number,
  scheduler: Scheduler,
  onFault: (error: unknown) => void,
): (report: ProjectionReport) => void {
  const indexed = new Map<string, Revision>();
  let latest: ProjectionReport | undefined;
  let posting = false;

  const post = async (): Promise<void> => {
    posting = true;
    while (latest !== undefined) {
      const text = textOf({ ...latest, indexed });
      latest = undefined;
      await board.post(nameOf(logId), text, fence).catch(onFault);
      await scheduler.sleep(BETWEEN_MS);
    }
    posting = false;
  };

  return (report) => {
    for (const [journal, revision] of report.indexed) {
      indexed.delete(journal);
      indexed.set(journal, revision); // Kept, for processes that missed a message.
    }
    for (const oldest of [...indexed.keys()].slice(0, Math.max(0, indexed.size - JOURNALS_MAX))) {
      indexed.delete(oldest);
    }
    latest = report;
    if (!posting) void post();
  };
}

type Following = Readonly<{
  board: ClusterMessages;
  log: Pick<EventStore, 'logId' | 'readAll' | 'end'>;
  scheduler: Scheduler;
  onReport: (report: ProjectionReport) => void;
  /** Called when the progress is unknown, because the messages cannot be read. */
  onSilence: () => void;
}>;

export type ProgressFollower = Readonly<{
  /** Reports that a reader waits: looks more often for a moment. */
  urge(): void;
  stop(): Promise<void>;
}>;

/**
 * Follows the reports of the projector, in whichever process it runs. Appends that others acknowledged before this
 * process started must be visible to its readers too: until then, the projector has not caught up.
 */
export function followProgress({
  board,
  log,
  scheduler,
  onReport,
  onSilence,
}: Following): ProgressFollower {
  let last: string | undefined;
  let urgedMs = -URGED_FOR_MS;
  /** The end of the log when this began. */
  let end: Position | undefined;
  let level = false;
  let stopping = false;
  let hurry = (): void => undefined;

  const run = async (): Promise<void> => {
    while (!isStopping()) {
      try {
        const text = await board.read(nameOf(log.logId));
        if (text !== undefined && (text !== last || !level)) await hear(reportOf(text));
        last = text;
      } catch {
        last = undefined;
        onSilence();
      }
      const urged = scheduler.elapsedMs() - urgedMs < URGED_FOR_MS;
      const hurried = new Promise<void>((resolve) => (hurry = resolve));
      if (urged) await scheduler.sleep(URGED_MS);
      else await Promise.race([scheduler.sleep(LOOK_MS), hurried]);
    }
  };
  const isStopping = (): boolean => stopping;

  const hear = async (report: ProjectionReport): Promise<void> => {
    level ||= report.caughtUp && (await shows(report, (end ??= await log.end())));
    onReport({ ...report, caughtUp: level });
  };

  /** The last event of the log may be of a type that no collection takes, so look for one of ours before it. */
  const shows = async ({ collections }: ProjectionReport, through: Position): Promise<boolean> => {
    const live = [...collections.values()].filter((one) => !one.rebuilding && !one.stopped);
    // A report about a longer log, which an older copy has replaced, does not apply to this one.
    const furthest =
      live
        .map(({ checkpoint }) => checkpoint)
        .sort()
        .at(-1) ?? START;
    if (furthest > through && furthest > (await log.end())) return false;
    for (const { checkpoint } of live) {
      const [next] = checkpoint >= through ? [] : await log.readAll(checkpoint, 1);
      if (next !== undefined && next.position <= through) return false;
    }
    return true;
  };
  const running = run();

  return {
    urge() {
      urgedMs = scheduler.elapsedMs();
      hurry();
    },
    async stop() {
      stopping = true;
      hurry();
      await running;
    },
  };
}

const textOf = ({ collections, indexed, ...report }: ProjectionReport): string =>
  JSON.stringify({ ...report, collections: [...collections], indexed: [...indexed] });

function reportOf(text: string): ProjectionReport {
  const { collections, indexed, ...report } = JSON.parse(text) as Omit<
    ProjectionReport,
    'collections' | 'indexed'
  > & {
    collections: [never, never][];
    indexed: [never, never][];
  };
  return { ...report, collections: new Map(collections), indexed: new Map(indexed) };
}

/** The name contains the log's id, because a store may have belonged to another log before. */
const nameOf = (logId: Uuid): string => `projector/${logId}`;

const BETWEEN_MS = 10;
const LOOK_MS = 100;
const URGED_MS = 5;
const URGED_FOR_MS = 50;
const JOURNALS_MAX = 256;
