import { parentPort, workerData } from 'node:worker_threads';
import { batchPerTurn } from '#src/adapters/threads/batch-per-turn.ts';
import type { StoredEvent, LogSubscription } from '#src/ports/event-store.ts';
import { reach } from './event-store-here.ts';
import { logIdOf } from './log-id.ts';
import {
  eventsOf,
  toPlainError,
  type WorkerAnswer,
  type WorkerRequest,
  type StoreWorkerData,
} from './worker-messages.ts';

const port = parentPort;
if (port === null) throw new Error('The store worker runs in a worker thread');
const { url, answerWithinMs } = workerData as StoreWorkerData;

/** Posts all results of one turn in one message. */
const say = batchPerTurn<WorkerAnswer>((answers) => port.postMessage(answers), setImmediate);
const store = reach(url, answerWithinMs);
const followers = new Map<number, { subscription: LogSubscription; taken: () => void }>();

port.on('message', (requests: readonly WorkerRequest[]) => {
  for (const request of requests) {
    perform(request).then(
      (value) => {
        if (value !== LATER) say({ number: request.number, value });
      },
      (error: unknown) => {
        const stream = 'stream' in request ? request.stream : '';
        say({ number: request.number, fault: toPlainError(error, stream) });
      },
    );
  }
});

async function perform(request: WorkerRequest): Promise<unknown> {
  switch (request.is) {
    case 'open':
      return logIdOf(store, request.newLogId, request.withinMs);
    case 'append':
      return store.append(request.stream, eventsOf(request.texts), request.expected);
    case 'read':
      return store.read(request.stream, request.from, request.limit);
    case 'readAll':
      return store.readAll(request.after, request.limit);
    case 'at':
      return store.at(request.position);
    case 'last':
      return store.last(request.stream);
    case 'end':
      return store.end();
    case 'positionAt':
      return store.positionAt(request.instant);
    case 'subscribe':
      return follow(request);
    case 'taken':
      followers.get(request.number)?.taken();
      return LATER;
    case 'unsubscribe':
      await followers.get(request.number)?.subscription.close();
      return LATER;
    case 'close':
      await store.close();
      return undefined;
  }
}

/** Responds when the subscription ends; until then each response holds events, the next after `taken`. */
async function follow({
  number,
  after,
}: Extract<WorkerRequest, { is: 'subscribe' }>): Promise<void> {
  const follower = {
    taken: (): void => {},
    subscription: store.subscribe(after, async (events: readonly StoredEvent[]) => {
      const taken = new Promise<void>((resolve) => (follower.taken = resolve));
      say({ number, events });
      await taken;
    }),
  };
  followers.set(number, follower);
  try {
    await follower.subscription.ended;
  } finally {
    followers.delete(number);
  }
}

/** Marks a request whose response is sent elsewhere, or that has none. */
const LATER = Symbol('later');
