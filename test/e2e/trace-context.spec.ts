import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { cloudEventIn, openEventStream } from '#test/support/event-stream.ts';
import { eventsOf, serverOfBlock } from '#test/support/server.ts';
import { made, openBook, posted, transfer, type Book } from './books.ts';

const STREAMING = {
  STREAMING_ENABLED: 'true',
  STREAMING_CLOUDEVENTS_SOURCE: 'quipu.ledger',
};
const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const tracestate = 'rojo=00f0 67%"x",congo=t61';
const TRACE = { traceparent, tracestate };

describe('the trace of a request', function () {
  this.timeout(60_000);
  const server = serverOfBlock({ env: STREAMING });
  const client = clientOf(server);
  let book: Book;
  before(async () => {
    book = await openBook(client, { accounts: ['@bob'], funds: { '@alice': '500' } });
  });
  after(() => client.close());

  const transfers = () => `${book.at}/transactions/json`;
  const body = (value: string) => transfer('@alice', '@bob', value);
  const lastMetadata = async () => {
    const events = await eventsOf(server(), `ledger-${book.ledger}`);
    return events.at(-1)!.metadata;
  };

  it('is in the response, in the metadata of the event and in its CloudEvents', async () => {
    const filters = { types: ['transaction.*'] };
    const subscription = { name: 'Traced', target: { kind: 'pull' }, filters };
    const { id } = await made<{ id: string }>(client, '/v1/subscriptions', subscription);
    const live = await openEventStream(server(), `/v1/subscriptions/${id}/stream`);
    const reply = await client.post(transfers(), body('1'), TRACE);
    expect(reply.status, reply.text).to.equal(201);
    expect(reply.headers).to.include(TRACE);
    expect(await lastMetadata()).to.contain(
      `,"traceparent":"${traceparent}","tracestate":${JSON.stringify(tracestate)},`,
    );
    const [message] = await live.have(1);
    live.close();
    expect(cloudEventIn(message!)).to.include(TRACE);
  });

  it('is that of the first request when a key is sent again, and of the second in its response', async () => {
    const key = { 'X-Idempotency': 'traced' };
    await client.post(transfers(), body('2'), { ...key, ...TRACE });
    const other = traceparent.replace('4bf9', '0000');
    const again = await client.post(transfers(), body('2'), { ...key, traceparent: other });
    expect([again.status, again.headers['x-idempotency-replayed']]).to.deep.equal([201, 'true']);
    expect(again.headers['traceparent']).to.equal(other);
    expect(again.headers).to.not.have.property('tracestate');
    expect(await lastMetadata()).to.contain(`"traceparent":"${traceparent}"`);
  });

  it('is in the responses of reads and refusals', async () => {
    for (const path of [book.at, '/v1/nothing', '/health']) {
      expect((await client.get(path, TRACE)).headers).to.include(TRACE);
    }
  });

  it('leaves nothing anywhere when it is absent or malformed', async () => {
    for (const headers of [
      ...[{}, { tracestate }, { traceparent: `${traceparent}0` }],
      { traceparent: [traceparent, traceparent], tracestate },
      { traceparent: traceparent.replace(/4bf9\w+/, '0'.repeat(32)), tracestate },
    ]) {
      const reply = await client.post(transfers(), body('1'), headers);
      expect(reply.status, reply.text).to.equal(201);
      expect(reply.headers).to.not.have.any.keys('traceparent', 'tracestate');
      expect(await lastMetadata()).to.not.contain('"trace');
    }
    await posted(client, book.at, body('1'));
  });
});
