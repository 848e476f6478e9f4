import { parentPort, workerData } from 'node:worker_threads';
import { openEmbeddedCheckpointStore } from '#src/adapters/embedded/checkpoint-store.ts';
import { openEmbeddedLog } from '#src/adapters/embedded/log.ts';
import { systemIds, systemScheduler } from '#src/adapters/system.ts';
import { lowerPriority } from '#src/adapters/threads/lower-priority.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import { Unavailable } from '#src/ports/errors.ts';
import {
  WrongExpectedRevision,
  type Appended,
  type EventStore,
  type NewEvent,
} from '#src/ports/event-store.ts';
import { holdRole, type Work } from '#src/runtime/hold-role.ts';
import type { RelayFault, RelayReport } from '#src/runtime/relay-report.ts';
import { LEASE_OWNER, isDeadOwner } from './lease-owner.ts';
import { measureOf } from './measure.ts';
import type { StoreUrls } from './store-urls.ts';
import { startRelayRole, type RelayRole } from './relay-role.ts';
import { openCommons, openServerLog } from './stores.ts';
import type { RelayedStreaming } from './streaming-settings.ts';
import type { Tenancy } from './tenants.ts';
import { openSpans } from './tracing.ts';
import type { TracingSettings } from './tracing-settings.ts';

export type RelayWorkerData = Readonly<{
  places: StoreUrls;
  platform: string;
  tenancy: Tenancy | undefined;
  streaming: RelayedStreaming;
  tracing: TracingSettings | undefined;
  /** This process also serves requests. */
  besideRequests: boolean;
}>;

/** Hands a dead letter to the thread that writes the log of a data folder. */
export type RelayAppend = Readonly<{
  number: number;
  stream: string;
  events: readonly NewEvent[];
  expected: Revision;
}>;
export type RelayAppended = Readonly<{ number: number }> &
  Readonly<{ appended: Appended } | { actual: Revision } | { failed: string }>;

/** Asks the thread that decides to record that a replay is completed. */
export type ReplayCompletion = Readonly<{ number: number; tenantId: string; id: Uuid }>;
export type ReplayCompleted = Readonly<{ number: number; failed?: string }>;

export type RelayRequest =
  'wake' | 'stop' | RelayAppended | Readonly<{ completed: ReplayCompleted }>;

export type RelayAnswer =
  | Readonly<{
      report: RelayReport;
      missingTopics: readonly string[] | undefined;
      replays: number;
    }>
  | Readonly<{ fault: RelayFault }>
  | Readonly<{ append: RelayAppend }>
  | Readonly<{ complete: ReplayCompletion }>;

if (parentPort === null) throw new Error('The relay runs in a worker thread');
const port = parentPort;
const { places, platform, tenancy, streaming, tracing, besideRequests } =
  workerData as RelayWorkerData;
if (besideRequests) lowerPriority();
const scheduler = systemScheduler;
let role: RelayRole | undefined;
let stopping = async (): Promise<void> => {};
const appending = new Map<number, (outcome: RelayAppended) => void>();
const completing = new Map<number, (outcome: ReplayCompleted) => void>();
let lastNumber = 0;

const answer = (message: RelayAnswer): void => port.postMessage(message);

port.on('message', (request: RelayRequest) => {
  if (request === 'stop') void stopping();
  else if (request === 'wake') role?.wake();
  else if ('completed' in request) completing.get(request.completed.number)?.(request.completed);
  else appending.get(request.number)?.(request);
});

const spans = await openSpans(tracing, 'relay');
const log: EventStore = (await openServerLog(places, systemIds())) ?? {
  ...openEmbeddedLog(places.dataDir),
  exclusive: false,
  append: handOver,
};
const commons = await openCommons(places);
const checkpoints = commons?.checkpoints ?? openEmbeddedCheckpointStore(places.dataDir);
const work =
  commons === undefined
    ? await begin(0)
    : holdRole({
        ...{
          name: 'relay',
          holder: LEASE_OWNER,
          isGone: isDeadOwner,
          leases: commons.leases,
          scheduler,
          begin,
        },
        onFault: (error) => answer({ fault: { topic: '', message: String(error) } }),
      });
stopping = () => work.stop();
await work.run();
await log.close();
await checkpoints.close();
await commons?.close();
await spans?.close();
port.close();

async function begin(fence: number): Promise<Work> {
  const own = await startRelayRole({
    ...{ settings: streaming, platform, tenancy, log, checkpoints, fence, completeReplay },
    measure: measureOf(places),
    tracing: spans,
    onReport: (report) =>
      answer({ report, missingTopics: own.missingTopics(), replays: own.replays() }),
    onFault: (fault) => answer({ fault }),
  });
  role = own;
  return { run: () => own.ended, stop: () => own.stop() };
}

async function handOver(
  stream: string,
  events: readonly NewEvent[],
  expected: Revision,
): Promise<Appended> {
  const number = (lastNumber += 1);
  const outcome = await new Promise<RelayAppended>((resolve) => {
    appending.set(number, resolve);
    answer({ append: { number, stream, events, expected } });
  });
  appending.delete(number);
  if ('appended' in outcome) return outcome.appended;
  if ('actual' in outcome) throw new WrongExpectedRevision(stream, expected, outcome.actual);
  throw new Unavailable(outcome.failed);
}

async function completeReplay(tenantId: string, id: Uuid): Promise<void> {
  const number = (lastNumber += 1);
  const { failed } = await new Promise<ReplayCompleted>((resolve) => {
    completing.set(number, resolve);
    answer({ complete: { number, tenantId, id } });
  });
  completing.delete(number);
  if (failed !== undefined) throw new Unavailable(failed);
}
