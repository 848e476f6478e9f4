import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BACKWARDS,
  END,
  EventStoreDBClient,
  excludeSystemEvents,
  jsonEvent,
  NO_STREAM,
  type JSONEventData,
} from '@eventstore/db-client';
import { connect } from '#src/adapters/eventstoredb/connection.ts';
import { readLast, readStream } from '#src/adapters/eventstoredb/reads.ts';
import { startEventStoreDouble, type EventStoreDouble } from './start.ts';

/* What the double must do as the real server was seen to do, through the client as everyone uses it. */
describe('the protocol double of an event store', () => {
  let dir: string;
  let double: EventStoreDouble;
  let client: EventStoreDBClient;
  let stream: string;

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'quipu-double-'));
    double = await startEventStoreDouble(dir);
    client = EventStoreDBClient.connectionString(double.url);
  });
  after(async () => {
    await client.dispose();
    await double.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  beforeEach(() => (stream = `thing-${randomUUID()}`));

  const event = (n: number): JSONEventData => jsonEvent({ type: 'Counted', data: { n } });
  const append = (events: JSONEventData[], expectedRevision: bigint | typeof NO_STREAM) =>
    client.appendToStream(stream, events, { expectedRevision });
  async function numbers(options = {}): Promise<unknown[]> {
    const found: unknown[] = [];
    for await (const { event: read } of client.readStream(stream, options)) {
      found.push((read?.data as { n: number }).n);
    }
    return found;
  }
  const faultOf = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => 'no fault',
      (error: unknown) => error,
    );

  it('appends several events as one, and answers the place of the last', async () => {
    const { nextExpectedRevision, position } = await append([event(0), event(1)], NO_STREAM);
    expect(nextExpectedRevision).to.equal(1n);
    expect(position?.commit).to.equal(position?.prepare);
    expect(await numbers()).to.deep.equal([0, 1]);
    expect(await numbers({ direction: BACKWARDS, fromRevision: END })).to.deep.equal([1, 0]);
    expect(await numbers({ fromRevision: 1n, maxCount: 1 })).to.deep.equal([1]);
  });

  it('names the actual revision when another one was expected', async () => {
    await append([event(0)], NO_STREAM);
    const fault = await faultOf(append([event(1)], 4n));
    expect(fault).to.include({ type: 'wrong-expected-version', actualVersion: 0n });
    expect(await faultOf(append([event(1)], NO_STREAM))).to.include({ actualVersion: 0n });
  });

  it('takes the same ids at the same revision once, whatever they now say, and forgets it never', async () => {
    const [first] = [event(0)];
    const { position } = await append([first], NO_STREAM);
    await append([event(1)], 0n);
    const again = await append([{ ...first, data: { n: 9 } }], NO_STREAM);
    expect(again.position).to.deep.equal(position);
    expect(await numbers()).to.deep.equal([0, 1]);
  });

  it('reads everything backwards from the end, its own events too', async () => {
    await append([event(0)], NO_STREAM);
    const types: unknown[] = [];
    for await (const { event: read } of client.readAll({
      direction: BACKWARDS,
      fromPosition: END,
    })) {
      types.push(read?.type);
    }
    expect(types[0]).to.equal('Counted');
    expect(types.at(-1)).to.equal('$metadata');
  });

  it('refuses what is too large, without its metadata', async () => {
    const large = (n: number) => jsonEvent({ type: 'Large', data: 'x'.repeat(n) });
    expect(await faultOf(append([large(1_048_576)], NO_STREAM))).to.include({
      type: 'maximum-append-size-exceeded',
    });
    const fitting = { ...large(1_048_000), metadata: { x: 'x'.repeat(1000) } };
    expect((await append([fitting], NO_STREAM)).success).to.be.true;
  });

  it('hands a subscription what is there, says that it caught up, and goes on', async () => {
    const { position } = await append([event(0), event(1)], NO_STREAM);
    if (position === undefined) throw new Error('No position');
    const told: string[] = [];
    const subscription = client
      .subscribeToAll({ fromPosition: position, filter: excludeSystemEvents() })
      .on('confirmation', () => told.push('confirmed'))
      .on('caughtUp', () => told.push('caught up'))
      .on('data', ({ event: read }) => told.push(JSON.stringify(read?.data)));
    while (!told.includes('caught up')) await new Promise((go) => setTimeout(go, 5));
    await append([event(2)], 1n);
    while (told.length < 3) await new Promise((go) => setTimeout(go, 5));
    await subscription.unsubscribe();
    expect(told).to.deep.equal(['confirmed', 'caught up', '{"n":2}']);
  });

  it('goes on with the numbers after a deletion, and never after a tombstone', async () => {
    await append([event(0), event(1)], NO_STREAM);
    await client.deleteStream(stream);
    expect(await faultOf(numbers())).to.include({ type: 'stream-not-found' });
    expect((await append([event(2)], NO_STREAM)).nextExpectedRevision).to.equal(2n);
    expect(await numbers()).to.deep.equal([2]);

    await client.tombstoneStream(stream);
    expect(await faultOf(numbers())).to.include({ type: 'stream-deleted' });
    expect(await faultOf(append([event(3)], 2n))).to.include({ type: 'stream-deleted' });
  });

  it('appends over a call of its own for those who bring credentials', async () => {
    const credentials = { username: 'u', password: 'p' };
    const { nextExpectedRevision } = await client.appendToStream(stream, [event(0), event(1)], {
      ...{ credentials, expectedRevision: NO_STREAM },
    });
    expect(nextExpectedRevision).to.equal(1n);
    const wrong = client.appendToStream(stream, [event(2)], { credentials, expectedRevision: 7n });
    expect(await faultOf(wrong)).to.include({ type: 'wrong-expected-version', actualVersion: 1n });
  });

  it('is found by those who ask where the leader is, at any of several hosts', async () => {
    await append([event(0)], NO_STREAM);
    const host = new URL(double.url).host;
    for (const url of [
      `esdb+discover://${host}?tls=false`,
      `esdb://127.0.0.1:1,${host}?tls=false`,
      `kurrentdb://${host}?tls=false`,
      `kurrentdb+discover://${host}?tls=false`,
    ]) {
      const connection = connect(url);
      expect(await readStream(connection, stream, 0, 10), url).to.have.length(1);
      expect(await readLast(connection, stream)).to.include({ revision: 0 });
      await connection.shut();
    }
  });

  it('cuts off what a crash tore, and keeps all before it', async () => {
    await append([event(0)], NO_STREAM);
    const log = join(dir, 'double.log');
    const whole = statSync(log).size;
    await append([event(1), event(2)], 0n);
    await double.kill();
    truncateSync(log, statSync(log).size - 3);
    await double.restart();
    expect(await numbers()).to.deep.equal([0]);
    expect(statSync(log).size).to.be.above(whole);

    await double.kill();
    appendFileSync(log, Buffer.alloc(100, 1));
    await double.restart();
    expect((await append([event(3)], 0n)).nextExpectedRevision).to.equal(1n);
    expect(await numbers()).to.deep.equal([0, 3]);
  });
});
