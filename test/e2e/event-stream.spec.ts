import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { cloudEventIn, openEventStream, type EventStream } from '#test/support/event-stream.ts';
import { serverOfBlock, startServer, stopServer, removeFolder } from '#test/support/server.ts';
import { until } from '#test/support/until.ts';
import { createAccount, made, NOBODY, openBook, posted, transfer, type Book } from './books.ts';
import { expectProblem } from './problems.ts';

const STREAMING = {
  STREAMING_ENABLED: 'true',
  STREAMING_CLOUDEVENTS_SOURCE: 'quipu.ledger',
};
const AT = '/v1/subscriptions';
const EVERYTHING = { types: ['*'] };

describe('event stream', function () {
  this.timeout(60_000);
  const server = serverOfBlock({ env: STREAMING });
  const client = clientOf(server);
  const opened: EventStream[] = [];
  let book: Book;
  before(async () => {
    book = await openBook(client, { assets: ['BRL'], funds: { '@alice': '500' } });
  });
  afterEach(async () => {
    for (const stream of opened.splice(0)) stream.close();
  });
  after(() => client.close());

  const subscribe = async (filters: object, more: object = {}): Promise<string> => {
    const body = { name: 'Live', target: { kind: 'pull' }, filters, ...more };
    return (await made<{ id: string }>(client, AT, body)).id;
  };
  const stream = async (id: string, headers: object = {}, query = '') => {
    const open = await openEventStream(server(), `${AT}/${id}/stream${query}`, { headers });
    expect(open.response.statusCode).to.equal(200);
    opened.push(open);
    return open;
  };
  const resumeAfter = (id: string) => ({ 'Last-Event-ID': id });
  let last = 0;
  const account = () => createAccount(client, book.at, { alias: `@live-${(last += 1)}` });

  it('sends each event soon, as one line of a structured CloudEvent', async () => {
    const live = await stream(await subscribe({ types: ['account.*'] }));
    expect(live.response.headers).to.include({
      ...{ 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
    });
    const { id } = await account();
    const [message] = await live.have(1);

    const event = cloudEventIn(message!);
    expect(message).to.include({ id: event.id, event: event.type });
    expect(event).to.include({
      ...{ type: 'studio.quipu.account.created', subject: id, source: 'quipu.ledger' },
    });
    expect(event.data).to.include({ id, ledgerId: book.ledger });
    expect(event.validate()).to.equal(true);
  });

  it('continues after the last event, missing nothing and repeating nothing', async () => {
    const id = await subscribe(EVERYTHING);
    const whole = await stream(id);
    for (let n = 0; n < 3; n += 1) {
      await account();
      await posted(client, book.at, transfer('@alice', `@live-${last}`, '1'));
    }
    const sent = (await whole.have(12)).map((message) => message.id);
    expect(new Set(sent).size).to.equal(sent.length);
    for (const [n, from] of sent.entries()) {
      const rest = await stream(id, resumeAfter(from));
      await rest.have(sent.length - n - 1);
      rest.close();
      expect(rest.messages.map((message) => message.id)).to.deep.equal(sent.slice(n + 1));
    }
    const byQuery = await stream(id, {}, `?last_event_id=${sent.at(-3)!}`);
    await byQuery.have(2);
    expect(byQuery.messages.map((message) => message.id)).to.deep.equal(sent.slice(-2));
  });

  it('continues from the time of an event that is not found', async () => {
    const id = await subscribe({ types: ['account.created'] });
    const live = await stream(id);
    await account();
    const [first] = await live.have(1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await account();
    const second = (await live.have(2))[1];
    const unknown = first!.id.slice(0, -4) + (first!.id.endsWith('0000') ? '1111' : '0000');
    const rest = await stream(id, resumeAfter(unknown));
    await rest.have(2);
    expect(rest.messages).to.deep.equal([first, second]);
  });

  it('begins at the time from which the subscription delivers', async () => {
    const startAt = new Date().toISOString();
    const { id } = await account();
    const live = await stream(await subscribe({ types: ['account.created'] }, { startAt }));
    const [message] = await live.have(1);
    expect(cloudEventIn(message!).subject).to.equal(id);
  });

  it('sends nothing that the filters leave out', async () => {
    const { id, operations } = await posted(client, book.at, transfer('@alice', '@live-1', '1'));
    expect(operations).to.have.length(2);
    const startAt = new Date(Date.now() - 60_000).toISOString();
    const live = await stream(await subscribe({ subjects: [id] }, { startAt }));
    const none = await stream(await subscribe({}, { startAt }));
    await account();
    const [message] = await live.have(1);
    expect(message!.event).to.equal('studio.quipu.transaction.posted');
    expect([live.messages.length, none.messages.length]).to.deep.equal([1, 0]);
  });

  for (const [how, end] of [
    ['deleted', (id: string) => client.delete(`${AT}/${id}`)],
    ['paused', (id: string) => client.post(`${AT}/${id}/pause`)],
  ] as const) {
    it(`ends when the subscription is ${how}`, async () => {
      const id = await subscribe(EVERYTHING);
      const live = await stream(id);
      await account();
      await live.have(1);
      await end(id);
      await until(live.hasEnded, 30_000, 'the end of the stream');
      expect(live.response.complete).to.equal(true);
    });
  }

  it('is refused for subscriptions that are not pulled, not active or not there', async () => {
    const get = (id: string, headers?: Record<string, string>, query = '') =>
      client.get(`${AT}/${id}/stream${query}`, headers);
    const sent = await subscribe(EVERYTHING, {
      target: { kind: 'webhook', url: 'https://hooks.example/quipu' },
    });
    const entityType = 'Subscription';
    expectProblem(await get(NOBODY), 404, 'LDG-0007', { entityType });
    expectProblem(await get(sent), 422, 'LDG-0552', { entityType });
    const id = await subscribe(EVERYTHING);
    await client.post(`${AT}/${id}/pause`);
    expectProblem(await get(id), 422, 'LDG-0553', { entityType });
    const other = await subscribe(EVERYTHING);
    for (const bad of ['x', '1', '6f1c4a3e-0000-4000-8000-000000000000', `${NOBODY}, ${NOBODY}`]) {
      expectProblem(await get(other, resumeAfter(bad)), 400, 'LDG-0082', {
        locations: ['header.Last-Event-ID'],
      });
    }
    const farAway = 'ffffffff-ffff-7fff-bfff-ffffffffffff';
    expectProblem(await get(other, {}, `?last_event_id=${farAway}`), 400, 'LDG-0082', {
      locations: ['query.last_event_id'],
    });
  });

  it('is limited to 64 at a time; clients that left do not count', async () => {
    const id = await subscribe(EVERYTHING);
    const impatient = clientOf(server, { impatient: true });
    after(() => impatient.close());
    await until(
      async () => {
        const one = await openEventStream(server(), `${AT}/${id}/stream`);
        if (one.response.statusCode === 200) opened.push(one);
        return one.response.statusCode === 429;
      },
      40_000,
      'a refusal',
    );
    expect(opened.length).to.be.at.most(64);
    const refused = await impatient.get(`${AT}/${id}/stream`);
    expectProblem(refused, 429, 'LDG-0900');
    expect(refused.headers['retry-after']).to.equal('5');
    await account();
    for (const live of opened) await live.have(1);
    for (const live of opened.splice(0)) live.close();
    const again = async () => (await openEventStream(server(), `${AT}/${id}/stream`)).response;
    await until(
      async () => {
        const response = await again();
        response.destroy();
        return response.statusCode === 200;
      },
      30_000,
      'a free place',
    );
  });

  it('waits for a reader that is slow', async () => {
    const id = await subscribe({ types: ['transaction.posted'] });
    const path = `${AT}/${id}/stream`;
    const slow = await openEventStream(server(), path, { unread: true });
    opened.push(slow);
    const quick = await stream(id);
    const metadata = Object.fromEntries(
      Array.from({ length: 50 }, (_, n) => [`k${n}`, 'x'.repeat(2000)]),
    );
    for (let n = 0; n < 100; n += 1) {
      await posted(client, book.at, { ...transfer('@alice', '@live-1', '0.01'), metadata });
    }
    await quick.have(100);
    expect(slow.messages).to.have.length(0);
    slow.read();
    await slow.have(100);
    expect(slow.messages).to.deep.equal(quick.messages);
  });

  it('ends within the time in which the server stops', async () => {
    const own = await startServer({ env: STREAMING });
    const ours = clientOf(() => own);
    const body = { name: 'Live', target: { kind: 'pull' }, filters: EVERYTHING };
    const { id } = await made<{ id: string }>(ours, AT, body);
    const live = await openEventStream(own, `${AT}/${id}/stream`);
    await until(() => live.comments() === 1, 30_000, 'the first comment');
    ours.close();
    const fromMs = performance.now();
    expect(await stopServer(own)).to.equal(0);
    expect(performance.now() - fromMs).to.be.below(10_000);
    await until(live.hasEnded, 30_000, 'the end of the stream');
    expect(live.response.complete).to.equal(true);
    removeFolder(own.dataDir);
  });
});
