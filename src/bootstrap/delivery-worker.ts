import { parentPort, workerData } from 'node:worker_threads';
import { openEmbeddedDeliveryStore } from '#src/adapters/embedded/delivery-store.ts';
import { systemIds, systemScheduler } from '#src/adapters/system.ts';
import { lowerPriority } from '#src/adapters/threads/lower-priority.ts';
import type { DeliverySettings } from '#src/components/streaming/delivery-settings.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { DeliveryCalls } from '#src/ports/delivery-calls.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { DeliveryReport } from '#src/runtime/delivery/report.ts';
import { holdRole, type Work } from '#src/runtime/hold-role.ts';
import type { KafkaConsumerSettings } from './consumer-settings.ts';
import { openDeliveryRole } from './delivery-role.ts';
import { LEASE_OWNER, isDeadOwner } from './lease-owner.ts';
import { createSecrets } from './secrets.ts';
import { openCommons, openDeliveryStore, openLog } from './stores.ts';
import type { StoreUrls } from './store-urls.ts';
import type { StreamingSettings } from './streaming-settings.ts';
import type { Tenancy } from './tenants.ts';
import { openSpans } from './tracing.ts';
import type { TracingSettings } from './tracing-settings.ts';
import type { TopicsReport } from './topic-consumer.ts';

export type DeliveryWorkerData = Readonly<{
  places: StoreUrls;
  platform: string;
  tenancy: Tenancy | undefined;
  streaming: StreamingSettings;
  tracing: TracingSettings | undefined;
  settings: DeliverySettings;
  consumer: KafkaConsumerSettings | undefined;
  /** This process delivers to push targets and consumes topics; every process serves the calls of its API. */
  delivers: boolean;
  /** This process also serves requests. */
  besideRequests: boolean;
}>;

/** A call of the API, by its name in DeliveryCalls. */
export type DeliveryCall = Readonly<{
  number: number;
  name: keyof DeliveryCalls;
  parameters: readonly unknown[];
}>;
export type DeliveryReturn = Readonly<{ number: number }> &
  (Readonly<{ result: unknown }> | Readonly<{ failed: string; passing: boolean }>);

/** Asks the thread that writes the log to disable a subscription. */
export type DisableSubscription = Readonly<{ number: number; tenantId: string; id: Uuid }>;
export type SubscriptionDisabled = Readonly<{ number: number; failed?: string }>;

export type DeliveryRequest =
  'stop' | Readonly<{ call: DeliveryCall }> | Readonly<{ disabled: SubscriptionDisabled }>;

export type DeliveryAnswer =
  | Readonly<{ report: DeliveryReport }>
  | Readonly<{ topics: TopicsReport }>
  | Readonly<{ trouble: string }>
  | Readonly<{ returned: DeliveryReturn }>
  | Readonly<{ disable: DisableSubscription }>;

if (parentPort === null) throw new Error('The delivery service runs in a worker thread');
const port = parentPort;
const data = workerData as DeliveryWorkerData;
const { places, delivers } = data;
if (data.besideRequests) lowerPriority();

const answer = (message: DeliveryAnswer): void => port.postMessage(message);
const onTrouble = (trouble: string): void => {
  answer({ trouble });
};
const disabling = new Map<number, (outcome: SubscriptionDisabled) => void>();
let lastNumber = 0;
const stopped = Promise.withResolvers<undefined>();
const early: DeliveryCall[] = [];
let serve = (call: DeliveryCall): void => {
  early.push(call); // Served once the stores are open.
};
port.on('message', (request: DeliveryRequest) => {
  if (request === 'stop') stopped.resolve(undefined);
  else if ('call' in request) serve(request.call);
  else disabling.get(request.disabled.number)?.(request.disabled);
});

const spans = delivers ? await openSpans(data.tracing, 'delivery') : undefined;
const log = await openLog(places, systemIds());
const store = (await openDeliveryStore(places)) ?? openEmbeddedDeliveryStore(places.dataDir);
const commons = delivers ? await openCommons(places) : undefined;
const secrets = createSecrets(places);
const role = openDeliveryRole({
  ...{ platform: data.platform, tenancy: data.tenancy },
  ...{ streaming: data.streaming, settings: data.settings },
  ...{ log, store, secrets: () => secrets.open(), disable, onTrouble, tracing: spans },
  consumer: delivers ? data.consumer : undefined,
  onReport: (report) => answer({ report }),
  onTopics: (topics) => answer({ topics }),
});
serve = (call) => void called(call).then((returned) => answer({ returned }));
for (const call of early) serve(call);

if (delivers) {
  const work = commons === undefined ? role.dispatcher() : held(commons);
  void stopped.promise.then(() => Promise.all([work.stop(), role.topics?.close()]));
  await Promise.all([work.run(), role.topics?.run()]);
}
await stopped.promise;
await role.close();
await Promise.all([log.close(), store.close(), secrets.close(), commons?.close(), spans?.close()]);
port.close();

function held({ leases }: NonNullable<typeof commons>): Work {
  return holdRole({
    ...{ name: 'delivery', holder: LEASE_OWNER, isGone: isDeadOwner, leases },
    scheduler: systemScheduler,
    begin: async () => role.dispatcher(),
    onFault: (error) => {
      onTrouble(String(error));
    },
  });
}

async function called({ number, name, parameters }: DeliveryCall): Promise<DeliveryReturn> {
  // The caller has checked the parameters: both sides name DeliveryCalls.
  const calls = role.calls as unknown as Record<string, (...of: readonly unknown[]) => unknown>;
  try {
    return { number, result: await calls[name]?.(...parameters) };
  } catch (error) {
    return { number, failed: String(error), passing: error instanceof Unavailable };
  }
}

async function disable(tenantId: string, id: Uuid): Promise<void> {
  const number = (lastNumber += 1);
  const { failed } = await new Promise<SubscriptionDisabled>((resolve) => {
    disabling.set(number, resolve);
    answer({ disable: { number, tenantId, id } });
  });
  disabling.delete(number);
  if (failed !== undefined) throw new Unavailable(failed);
}
