import { expect } from 'chai';
import { openBook, posted, transfer } from '#test/e2e/books.ts';
import { clientOf } from '#test/support/client.ts';
import { openFiles, residentBytes } from '#test/support/process-memory.ts';
import { rawConnection, statusesIn } from '#test/support/raw-connection.ts';
import { eventCount, serverOfBlock, until } from '#test/support/server.ts';
import { shapesOf, type Shape } from './raw-shapes.ts';

const SHAPES_MIN = 80;
const ROUNDS = 20;
const MIB = 1024 * 1024;

/** Whatever bytes a client sends, it gets a clean refusal, and the server is as well afterwards as it was before. */
describe('raw sockets', function () {
  this.timeout(180_000);
  const server = serverOfBlock();
  const client = clientOf(server);
  after(() => client.close());

  const at =
    '/v1/organizations/0197f3a0-1111-7aaa-8bbb-000000000001/ledgers/0197f3a0-1111-7aaa-8bbb-000000000002';
  const shapes = shapesOf(at);
  let events = 0;
  before(async () => void (events = await eventCount(server())));

  const play = async ({ bytes, half, broken }: Shape): Promise<string> => {
    const connection = rawConnection(server().port, '', { allowHalfOpen: half === true });
    const { socket } = connection;
    const timer = setTimeout(() => socket.destroy(), 20_000);
    if (broken) socket.write(bytes, () => socket.destroy());
    else if (half) socket.end(bytes);
    else socket.write(bytes);
    const received = await connection.closed;
    clearTimeout(timer);
    return received;
  };

  it(`has at least ${SHAPES_MIN} shapes, each under a name of its own`, () => {
    expect(shapes.length).to.be.at.least(SHAPES_MIN);
    expect(new Set(shapes.map(({ name }) => name)).size).to.equal(shapes.length);
  });

  for (const shape of shapes) {
    const outcome = shape.replies.length > 0 ? shape.replies.join(' and ') : 'nothing';
    it(`${shape.name}: ${outcome}, and the connection ends`, async () => {
      const received = await play(shape);
      expect(statusesIn(received), received.slice(0, 400)).to.deep.equal(shape.replies);
      const replies = received.split(/(?=HTTP\/1\.1 \d{3} )/).filter((text) => text !== '');
      for (const reply of replies) {
        expect(reply).to.match(/\r\nX-Content-Type-Options: nosniff\r\n/);
        if (/^HTTP\/1\.1 [45](?!08)/.test(reply))
          expect(reply).to.contain('application/problem+json');
      }
    });
  }

  it('leave the server healthy, without an event, an open file or memory of them', async () => {
    const { pid } = server();
    const quick = shapes.filter(({ replies }) => !replies.includes(408)); // That one takes its time.
    await Promise.all(quick.map((shape) => play(shape)));
    await settled(() => openFiles(pid));
    const files = openFiles(pid);
    const memory = residentBytes(pid).now;
    for (let round = 0; round < ROUNDS; round += 1) {
      await Promise.all(quick.map((shape) => play(shape)));
    }
    await until(() => openFiles(pid) <= files, 10_000, 'closed connections');
    expect(residentBytes(pid).now - memory).to.be.below(100 * MIB);
    expect(await eventCount(server())).to.equal(events);
    expect((await client.get('/readyz')).status).to.equal(200);
    const book = await openBook(client, { accounts: ['@bob'], funds: { '@alice': '5' } });
    await posted(client, book.at, transfer('@alice', '@bob', '1'));
    expect(server().output()).not.to.contain('defect');
  });
});

/** Waits until a number has been the same for a while. */
async function settled(measure: () => number): Promise<void> {
  let last = NaN;
  await until(
    async () => {
      const before = last;
      last = measure();
      await new Promise((resolve) => setTimeout(resolve, 300));
      return measure() === before;
    },
    30_000,
    'a number that stays',
  );
}
