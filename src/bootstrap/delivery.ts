import { PendingCalls } from '#src/adapters/threads/pending-calls.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { workerFile } from '#src/kernel/worker-file.ts';
import type { DeliveryCalls } from '#src/ports/delivery-calls.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { DeliveryReport } from '#src/runtime/delivery/report.ts';
import type {
  DeliveryAnswer,
  DeliveryCall,
  DeliveryRequest,
  DeliveryWorkerData,
  DisableSubscription,
  SubscriptionDisabled,
} from './delivery-worker.ts';
import { startRoleThread } from './role-thread.ts';
import type { TopicsReport } from './topic-consumer.ts';

export type DeliveryThread = Readonly<{
  calls: DeliveryCalls;
  /** Returns the last report; undefined before the first one, and while another process delivers. */
  report(): DeliveryReport | undefined;
  /** Returns the last report of the topics; undefined before the first one, and while this process consumes none. */
  topics(): TopicsReport | undefined;
  stop(): Promise<void>;
}>;

type DeliveryThreadOptions = DeliveryWorkerData &
  Readonly<{
    disable: (tenantId: string, id: Uuid) => Promise<void>;
    onTrouble: (message: string) => void;
  }>;

/** Starts the delivery service in its own thread. */
export function startDelivery({
  disable,
  onTrouble,
  ...workerData
}: DeliveryThreadOptions): DeliveryThread {
  const pending = new PendingCalls<number, DeliveryCall, unknown>();
  let report: DeliveryReport | undefined;
  let topics: TopicsReport | undefined;
  let isUp = false;
  let lastNumber = 0;

  const lost = (): void => {
    isUp = false;
    report = undefined;
    topics = undefined;
    pending.rejectAll(() => new Unavailable('The delivery service is starting again'));
  };
  const hear = (answer: DeliveryAnswer): void => {
    if ('report' in answer) {
      report = answer.report;
      thread.thrives();
    } else if ('topics' in answer) {
      topics = answer.topics;
    } else if ('trouble' in answer) {
      onTrouble(answer.trouble);
    } else if ('disable' in answer) {
      void disabled(disable, answer.disable).then((outcome) => {
        thread.tell({ disabled: outcome });
      });
    } else {
      const { returned } = answer;
      const call = pending.take(returned.number);
      if ('result' in returned) call?.resolve(returned.result);
      else call?.reject(new (returned.passing ? Unavailable : Error)(returned.failed));
    }
  };
  const thread = startRoleThread<DeliveryRequest, DeliveryAnswer>({
    name: 'delivery',
    url: workerFile('delivery-worker', import.meta.url),
    workerData,
    hear,
    onStart: () => (isUp = true),
    onFault: (message) => {
      lost();
      onTrouble(message);
    },
  });

  const call =
    (name: keyof DeliveryCalls) =>
    async (...parameters: readonly unknown[]): Promise<unknown> => {
      if (!isUp) throw new Unavailable('The delivery service is starting again');
      const number = (lastNumber += 1);
      const request = { number, name, parameters };
      const result = pending.add(number, request);
      thread.tell({ call: request });
      return result;
    };
  return {
    calls: Object.fromEntries(NAMES.map((name) => [name, call(name)])) as unknown as DeliveryCalls,
    report: () => report,
    topics: () => topics,
    async stop() {
      await thread.stop();
      lost();
    },
  };
}

async function disabled(
  disable: DeliveryThreadOptions['disable'],
  { number, tenantId, id }: DisableSubscription,
): Promise<SubscriptionDisabled> {
  try {
    await disable(tenantId, id);
    return { number };
  } catch (error) {
    return { number, failed: String(error) };
  }
}

const NAMES = Object.keys({
  pull: true,
  ack: true,
  nack: true,
  extend: true,
  deliveries: true,
  retry: true,
  replay: true,
  ping: true,
} satisfies Record<keyof DeliveryCalls, true>) as (keyof DeliveryCalls)[];
