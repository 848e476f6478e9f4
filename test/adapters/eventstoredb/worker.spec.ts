import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { Worker } from 'node:worker_threads';
import { openEventStoreDb } from '#src/adapters/eventstoredb/event-store.ts';
import { systemIds } from '#src/adapters/system.ts';
import { NONE } from '#src/kernel/ids.ts';
import { Ambiguous, Unavailable } from '#src/ports/errors.ts';
import { START } from '#src/ports/event-store.ts';
import { happened, newName, whatOf } from '#test/contracts/samples.ts';
import { eventStoreDoubleOfBlock } from '#test/doubles/eventstore/start.ts';
import { until } from '#test/support/server.ts';

describe('EventStoreDB adapter: its worker thread', () => {
  const double = eventStoreDoubleOfBlock();
  const ids = systemIds();

  const nextWorker = (): Promise<Worker> =>
    new Promise((resolve) => process.once('worker', resolve));
  async function open() {
    const started = nextWorker();
    const store = await openEventStoreDb(double().url, { ids, answerWithinMs: 20_000 });
    const worker = await started;
    return { store, worker };
  }

  it('may die: what it had in hand is in doubt, and another one goes on', async () => {
    const { store, worker } = await open();
    const stream = newName();
    await store.append(stream, [happened('a')], NONE);
    const seen: unknown[] = [];
    const subscription = store.subscribe(START, (events) => {
      seen.push(...events.filter((event) => event.stream === stream).map(whatOf));
    });
    await until(() => seen.length === 1, 30_000, 'the first');
    await new Promise((resolve) => setTimeout(resolve, 1000)); // It has lived for a while.

    await double().fault({ delays: 1, delayMs: 60_000 });
    const inDoubt = store.append(stream, [happened('b')], 0).catch((error: unknown) => error);
    const inHand = store.readAll(START, 100_000).catch((error: unknown) => error);
    await until(async () => (await store.read(stream, 0, 9)).length === 2, 30_000, 'its commit');
    await worker.terminate();

    expect(await inDoubt).to.be.instanceOf(Ambiguous);
    await inHand;
    await store.append(stream, [happened('c')], 1);
    await until(() => seen.length >= 3, 30_000, 'what came after');
    expect(seen).to.deep.equal(['a', 'b', 'c']);
    await subscription.close();
    await store.close();
  });

  it('finishes what it has accepted before it closes, and takes no more', async () => {
    const { store, worker } = await open();
    const stream = newName();
    const gone = once(worker, 'exit');
    const accepted = store.append(stream, [happened('a')], NONE);
    await store.close();
    await store.close();
    expect(await accepted).to.include({ revision: 0 });
    const refused = await store.append(stream, [happened('b')], 0).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(Unavailable);
    await gone;
  });

  it('ends when nobody answers at the address', async () => {
    const silent = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const started = nextWorker();
    const opening = openEventStoreDb(`esdb://127.0.0.1:${port}?tls=false`, {
      ids,
      openWithinMs: 300,
    });
    const fault = await opening.catch((error: unknown) => error);
    expect(fault).to.be.instanceOf(Unavailable);
    const worker = await started;
    expect(worker.threadId, 'the number of a thread that ended').to.equal(-1);
    silent.close();
  });
});
