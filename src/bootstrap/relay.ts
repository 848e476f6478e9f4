import type { Uuid } from '#src/kernel/ids.ts';
import { workerFile } from '#src/kernel/worker-file.ts';
import { WrongExpectedRevision, type EventStore } from '#src/ports/event-store.ts';
import type { RelayFault, RelayReport } from '#src/runtime/relay-report.ts';
import type {
  RelayAnswer,
  RelayAppend,
  RelayAppended,
  RelayRequest,
  RelayWorkerData,
  ReplayCompleted,
  ReplayCompletion,
} from './relay-worker.ts';
import { startRoleThread } from './role-thread.ts';

export type RelayThread = Readonly<{
  /** Returns the last report; undefined while the relay stands by, and before the first report. */
  report(): RelayReport | undefined;
  /** Returns the number of replays that are not completed. */
  replays(): number;
  /** Returns the topics that the broker lacks; undefined until it was asked. */
  missingTopics(): readonly string[] | undefined;
  stop(): Promise<void>;
}>;

type RelayThreadOptions = RelayWorkerData &
  Readonly<{
    store: Pick<EventStore, 'append'>;
    completeReplay: (tenantId: string, id: Uuid) => Promise<void>;
    onFault: (fault: RelayFault) => void;
  }>;

/** Starts the relay in its own thread, once the event store is open. */
export function startRelay({
  store,
  completeReplay,
  onFault,
  ...workerData
}: RelayThreadOptions): RelayThread {
  let report: RelayReport | undefined;
  let missing: readonly string[] | undefined;
  let replays = 0;

  const hear = (answer: RelayAnswer): void => {
    if ('report' in answer) {
      report = answer.report;
      missing = answer.missingTopics;
      replays = answer.replays;
      thread.thrives();
    } else if ('fault' in answer) {
      onFault(answer.fault);
    } else if ('complete' in answer) {
      void completed(completeReplay, answer.complete).then((outcome) => {
        thread.tell({ completed: outcome });
      });
    } else {
      void appended(store, answer.append).then((outcome) => {
        thread.tell(outcome);
      });
    }
  };

  const thread = startRoleThread<RelayRequest, RelayAnswer>({
    name: 'relay',
    url: workerFile('relay-worker', import.meta.url),
    workerData,
    hear,
    onStart: () => (report = undefined),
    onFault: (message) => {
      onFault({ topic: '', message });
    },
  });
  return {
    report: () => report,
    replays: () => replays,
    missingTopics: () => missing,
    stop: () => thread.stop(),
  };
}

async function appended(
  store: Pick<EventStore, 'append'>,
  { number, stream, events, expected }: RelayAppend,
): Promise<RelayAppended> {
  try {
    return { number, appended: await store.append(stream, events, expected) };
  } catch (error) {
    if (error instanceof WrongExpectedRevision) return { number, actual: error.actual };
    return { number, failed: String(error) };
  }
}

async function completed(
  complete: RelayThreadOptions['completeReplay'],
  { number, tenantId, id }: ReplayCompletion,
): Promise<ReplayCompleted> {
  try {
    await complete(tenantId, id);
    return { number };
  } catch (error) {
    return { number, failed: String(error) };
  }
}
