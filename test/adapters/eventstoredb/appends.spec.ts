import { expect } from 'chai';
import { EventStoreDBClient } from '@eventstore/db-client';
import { openEventStoreDbHere } from '#src/adapters/eventstoredb/event-store-here.ts';
import { systemIds } from '#src/adapters/system.ts';
import { NONE } from '#src/kernel/ids.ts';
import { Ambiguous, Damaged, Unavailable } from '#src/ports/errors.ts';
import { START, type EventStore, type NewEvent } from '#src/ports/event-store.ts';
import { happened, newName, newUuid, readOn, whatOf } from '#test/contracts/samples.ts';
import { eventStoreDoubleOfBlock } from '#test/doubles/eventstore/start.ts';
import { until } from '#test/support/server.ts';

describe('EventStoreDB adapter: when appends go wrong', () => {
  const double = eventStoreDoubleOfBlock();
  let store: EventStore;
  let stream: string;

  beforeEach(async () => {
    stream = newName();
    store = await open(20_000);
    await store.append(stream, [happened('first')], NONE);
  });
  afterEach(() => store.close());

  const open = (answerWithinMs: number) =>
    openEventStoreDbHere(double().url, { ids: systemIds(), answerWithinMs });
  const told = async (name = stream) => (await store.read(name, 0, 100)).map(whatOf);
  const faultOf = (append: Promise<unknown>): Promise<unknown> =>
    append.then(
      () => 'no fault',
      (error: unknown) => error,
    );

  /** Sent again, it is taken once. */
  const isAppended = (to: EventStore, event: NewEvent, expected = 0): Promise<boolean> =>
    to.append(stream, [event], expected).then(
      () => true,
      () => false,
    );

  it('does not know what became of one whose connection broke before it was written', async () => {
    await double().fault({ dropBefore: 1 });
    expect(await faultOf(store.append(stream, [happened('a')], 0))).to.be.instanceOf(Ambiguous);
    expect(await told()).to.deep.equal(['first']);
    await store.append(stream, [happened('b')], 0);
    expect(await told()).to.deep.equal(['first', 'b']);
  });

  it('does not know what became of one whose connection broke after it was written', async () => {
    await double().fault({ dropAfter: 1 });
    const events = [happened('a')];
    expect(await faultOf(store.append(stream, events, 0))).to.be.instanceOf(Ambiguous);
    expect(await told()).to.deep.equal(['first', 'a']);
    expect(await store.append(stream, events, 0)).to.include({ revision: 1 });
    expect(await told()).to.deep.equal(['first', 'a']);
  });

  /** One that waits for an answer no longer than for 400 ms, and has appended behind the first event. */
  async function openHasty(): Promise<EventStore> {
    const hasty = await open(400);
    const event = happened('a');
    await until(() => isAppended(hasty, event), 30_000, 'an append');
    return hasty;
  }

  it('gives up on a server that hangs, and goes on when it wakes', async () => {
    const hasty = await openHasty();
    process.kill(double().pid(), 'SIGSTOP');
    const inFlight = [newName(), newName()].map((name) =>
      faultOf(hasty.append(name, [happened('a')], NONE)),
    );
    const faults = await Promise.all(inFlight);
    process.kill(double().pid(), 'SIGCONT');
    for (const fault of faults) expect(fault).to.be.instanceOf(Ambiguous);
    const event = happened('b');
    await until(() => isAppended(hasty, event, 1), 30_000, 'an append');
    expect(await told()).to.deep.equal(['first', 'a', 'b']);
    await hasty.close();
  });

  it('gives up on one that is not answered in time; it may have landed', async () => {
    const hasty = await openHasty();
    await double().fault({ delays: 1, delayMs: 60_000 });
    const from = performance.now();
    expect(await faultOf(hasty.append(stream, [happened('b')], 1))).to.be.instanceOf(Ambiguous);
    expect(performance.now() - from).to.be.below(9000); // After 10 s the server would say so itself.
    await until(async () => (await told()).length === 3, 30_000, 'the append');
    expect(await told()).to.deep.equal(['first', 'a', 'b']);
    await hasty.close();
  });

  it('knows that one was not written which a node refused that does not lead', async () => {
    const fresh = await openEventStoreDbHere(double().url, { ids: systemIds() });
    await double().fault({ notLeader: 1 });
    expect(await faultOf(fresh.append(stream, [happened('a')], 0))).to.be.instanceOf(Unavailable);
    await fresh.append(stream, [happened('b')], 0); // It goes to the leader.
    expect(await told()).to.deep.equal(['first', 'b']);
    await fresh.close();
  });

  it('knows that one was not written which a starting server did not take', async () => {
    await double().fault({ notReady: 1 });
    expect(await faultOf(store.append(stream, [happened('a')], 0))).to.be.instanceOf(Unavailable);
    expect(await told()).to.deep.equal(['first']);
  });

  it('says Unavailable while nobody listens, and recovers by itself', async () => {
    await double().fault({ accepting: false });
    await double().fault({ blow: 'drop connections' });
    await faultOf(store.append(stream, [happened('a')], 0)); // Over the broken connection.
    for (const what of ['b', 'c']) {
      expect(await faultOf(store.append(stream, [happened(what)], 0))).to.be.instanceOf(
        Unavailable,
      );
    }
    expect(await faultOf(store.read(stream, 0, 10))).to.be.instanceOf(Unavailable);

    await double().fault({ accepting: true });
    const event = happened('d');
    await until(() => isAppended(store, event), 30_000, 'back');
    expect(await told()).to.deep.equal(['first', 'd']);
  });

  it('fails no other append when one is too large, and says what is wrong with it', async () => {
    const other = newName();
    const [large, small] = await Promise.all([
      faultOf(store.append(stream, [happened('x'.repeat(1_100_000))], 0)),
      store.append(other, [happened('small')], NONE),
    ]);
    expect(large).to.be.instanceOf(Error).with.property('message').that.contains('too large');
    expect(large instanceof Ambiguous || large instanceof Unavailable, 'worth a retry').to.be.false;
    expect(small).to.include({ revision: 0 });
  });

  it('returns verbatim what no JSON.stringify wrote', async () => {
    const data = '{ "b": 1.0, "2": 1e2, "1": "\\u0041", "b": {"__proto__": null} }';
    const metadata = '{"hash" : "é"}';
    await store.append(stream, [{ ...happened(''), data, metadata }], 0);
    const [, stored] = await store.read(stream, 0, 10);
    expect(stored).to.include({ data, metadata });
  });

  it('refuses texts that would come back changed', async () => {
    const event = { ...happened('a'), data: '{"raw":"\ud800"}' };
    expect(await faultOf(store.append(stream, [event], 0)))
      .to.be.instanceOf(Error)
      .with.property('message')
      .that.contains('Unicode');
  });

  it('writes JSON that other tools on the server read as such', async () => {
    const client = EventStoreDBClient.connectionString(double().url);
    for await (const { event } of client.readStream(stream)) {
      expect(event).to.include({ isJson: true, type: 'Happened' });
      expect(event?.data).to.deep.equal({ what: 'first' });
      expect(event?.metadata).to.deep.equal({ tenantId: 'default' });
    }
    await client.dispose();
  });

  it('shows no events but the journals’ own, whatever the server writes among them', async () => {
    for (let n = 0; n < 100; n += 1) await store.append(stream, [happened(n)], n);
    const client = EventStoreDBClient.connectionString(double().url);
    let foreign = 0;
    for await (const { event } of client.readAll()) {
      if (!event?.streamId.startsWith('contract-')) foreign += 1;
    }
    await client.dispose();
    expect(foreign, 'of the server’s own').to.be.above(5);

    for (const pageSize of [1, 7, 1000]) {
      const own = await readOn(store, START, pageSize);
      expect(own.filter((event) => !event.stream.startsWith('contract-'))).to.deep.equal([]);
      const mine = own.filter((event) => event.stream === stream);
      expect(mine).to.deep.equal(await store.read(stream, 0, 1000));
    }
  });

  it('keeps the name that a log was given first', async () => {
    const logId = newUuid();
    const again = await openEventStoreDbHere(double().url, { ids: systemIds(), logId });
    expect(again.logId).to.equal(store.logId).and.not.equal(logId);
    await again.close();
  });

  it('gives one name to a log that two open at once', async () => {
    const open = () => openEventStoreDbHere(double().url, { ids: systemIds() });
    const stores = await Promise.all([open(), open(), open()]);
    expect(new Set(stores.map(({ logId }) => logId))).to.deep.equal(new Set([store.logId]));
    await Promise.all(stores.map((each) => each.close()));
  });

  describe('a stream that was deleted on the server', () => {
    let client: EventStoreDBClient;
    before(() => (client = EventStoreDBClient.connectionString(double().url)));
    after(() => client.dispose());

    it('is damage when it lost its beginning and goes on', async () => {
      await client.deleteStream(stream);
      expect(await told()).to.deep.equal([]);
      const fault = await faultOf(store.append(stream, [happened('again')], NONE));
      expect(fault).to.be.instanceOf(Damaged);
      expect(await faultOf(store.read(stream, 0, 10))).to.be.instanceOf(Damaged);
    });

    it('is damage when it was tombstoned', async () => {
      await client.tombstoneStream(stream);
      expect(await faultOf(store.append(stream, [happened('a')], 0))).to.be.instanceOf(Damaged);
      expect(await faultOf(store.read(stream, 0, 10))).to.be.instanceOf(Damaged);
      expect(await faultOf(store.last(stream))).to.be.instanceOf(Damaged);
    });
  });
});
