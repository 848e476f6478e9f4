import { WrongExpectedRevision, type EventStore } from '#src/ports/event-store.ts';
import type { RelayFault, RelayReport } from '#src/runtime/relay-report.ts';
import type { StoreUrls } from './store-urls.ts';
import type {
  RelayAnswer,
  RelayAppend,
  RelayAppended,
  RelayRequest,
  RelayWorkerData,
} from './relay-worker.ts';
import { startRoleThread } from './role-thread.ts';
import type { StreamingSettings } from './streaming-settings.ts';

export type RelayThread = Readonly<{
  /** Returns the last report; undefined while the relay stands by, and before the first report. */
  report(): RelayReport | undefined;
  /** Returns the topics that the broker lacks; undefined until it was asked. */
  missingTopics(): readonly string[] | undefined;
  stop(): Promise<void>;
}>;

type RelayThreadOptions = Readonly<{
  places: StoreUrls;
  platform: string;
  streaming: StreamingSettings;
  store: Pick<EventStore, 'append'>;
  onFault: (fault: RelayFault) => void;
}>;

/** Starts the relay in its own thread, once the event store is open. */
export function startRelay({
  places,
  platform,
  streaming,
  store,
  onFault,
}: RelayThreadOptions): RelayThread {
  let report: RelayReport | undefined;
  let missing: readonly string[] | undefined;

  const hear = (answer: RelayAnswer): void => {
    if ('report' in answer) {
      report = answer.report;
      missing = answer.missingTopics;
      thread.thrives();
    } else if ('fault' in answer) {
      onFault(answer.fault);
    } else {
      void appended(store, answer.append).then((outcome) => {
        thread.tell(outcome);
      });
    }
  };

  const workerData: RelayWorkerData = { places, platform, streaming };
  const thread = startRoleThread<RelayRequest, RelayAnswer>({
    name: 'relay',
    url: new URL('./relay-worker.ts', import.meta.url),
    workerData,
    hear,
    onStart: () => (report = undefined),
    onFault: (message) => {
      onFault({ topic: '', message });
    },
  });
  return { report: () => report, missingTopics: () => missing, stop: () => thread.stop() };
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
