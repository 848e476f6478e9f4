import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { eventsOf, sharedServer } from '#test/support/server.ts';
import { createAccount, NOBODY, openBook, posted, transfer, type Book } from './books.ts';
import { expectProblem } from './problems.ts';

type Line = Readonly<{ revision: number; position: string; id: string; type: string }>;

describe('the journal of a ledger', () => {
  const server = sharedServer();
  const client = clientOf(server);
  let book: Book;
  before(async () => {
    book = await openBook(client, { accounts: ['@bob'], funds: { '@alice': '1000' } });
    const metadata = { '}{': '"\\ Ñandú 🪢 \u2028 \n', '"data":': 1.5, '1': false };
    await createAccount(client, book.at, { alias: '@odd', metadata });
    for (let n = 1; n <= 40; n += 1) {
      await posted(client, book.at, transfer('@alice', '@bob', `1.${n}`, 'BRL', { metadata }));
    }
  });
  after(() => client.close());

  const read = async (query = '', at = book.at) => {
    const answer = await client.get(`${at}/journal${query}`);
    expect(answer.status, answer.text).to.equal(200);
    const lines = answer.text.split('\n');
    expect(lines.pop(), 'after the last line feed').to.equal('');
    return { answer, lines, events: lines.map((line) => JSON.parse(line) as Line) };
  };
  const revisions = async (query: string) =>
    (await read(query)).events.map(({ revision }) => revision);

  /** What the log holds, as lines of the form that the contract gives. */
  const stored = async (): Promise<string[]> =>
    (await eventsOf(server(), `ledger-${book.ledger}`)).map(
      ({ revision, position, id, type, data, metadata }) =>
        `{"revision":${String(revision)},"position":"${position}","id":"${id}",` +
        `"type":"${type}","data":${data},"metadata":${metadata}}`,
    );

  it('is what the log holds, byte for byte, one event a line', async () => {
    const { answer, lines, events } = await read();
    expect(answer.headers['content-type']).to.equal('application/x-ndjson');
    expect(lines).to.deep.equal(await stored());
    expect(events.map(({ revision }) => revision)).to.deep.equal([...events.keys()]);
    expect(events[0]).to.have.property('type', 'LedgerOpened');
    expect(Object.keys(events[0]!)).to.deep.equal(
      'revision position id type data metadata'.split(' '),
    );
  });

  it('can be read on from where a reader stopped', async () => {
    const { lines } = await read();
    const pieces: string[] = [];
    for (;;) {
      const piece = await read(`?from_revision=${pieces.length}&limit=7`);
      if (piece.lines.length === 0) break;
      expect(piece.lines).to.have.length.at.most(7);
      pieces.push(...piece.lines);
    }
    expect(pieces).to.deep.equal(lines);
  });

  it('is read from any revision, as far as wanted or to its end', async () => {
    const last = (await stored()).length - 1;
    expect(await revisions(`?from_revision=3&limit=2`)).to.deep.equal([3, 4]);
    expect(await revisions(`?from_revision=${last}`)).to.deep.equal([last]);
    expect(await revisions(`?from_revision=${last + 1}`)).to.deep.equal([]);
    expect(await revisions(`?limit=1`)).to.deep.equal([0]);
    const many = '9'.repeat(40);
    expect(await revisions(`?limit=${many}`)).to.have.length(last + 1);
    expect(await revisions(`?from_revision=${many}`)).to.deep.equal([]);
  });

  for (const query of [
    'limit=',
    'limit=0',
    'limit=-1',
    'limit=1.5',
    'limit=all',
    'limit=0x10',
    'from_revision=-1',
    'from_revision=1e3',
    'from_revision=%00',
    'from_revision=first',
  ]) {
    it(`is refused for ${query}`, async () => {
      const answer = await client.get(`${book.at}/journal?${query}`);
      expectProblem(answer, 400, 'LDG-0082');
    });
  }

  it('is not there below an organization or ledger that is not', async () => {
    const elsewhere = await openBook(client);
    const of = (org: string, ledger: string) =>
      client.get(`/v1/organizations/${org}/ledgers/${ledger}/journal`);
    expectProblem(await of(NOBODY, book.ledger), 404, 'LDG-0038');
    expectProblem(await of(book.org, NOBODY), 404, 'LDG-0037');
    expectProblem(await of(elsewhere.org, book.ledger), 404, 'LDG-0037');
  });

  it('answers HEAD without a body', async () => {
    const answer = await client.send({ method: 'HEAD', path: `${book.at}/journal` });
    expect([answer.status, answer.text]).to.deep.equal([200, '']);
    expect(answer.headers['content-type']).to.equal('application/x-ndjson');
  });

  it('holds what was acknowledged before it was asked for, whatever is written meanwhile', async () => {
    let acknowledged = 0;
    let writing = true;
    const writers = Array.from({ length: 8 }, async () => {
      while (writing) {
        await posted(client, book.at, transfer('@external/BRL', '@bob', '1'));
        acknowledged += 1;
      }
    });
    const before = (await stored()).length;
    const readings: string[][] = [];
    for (let n = 0; n < 25; n += 1) {
      const atLeast = before + acknowledged;
      const { lines, events } = await read();
      expect(lines.length).to.be.at.least(atLeast);
      expect(events.map(({ revision }) => revision)).to.deep.equal([...events.keys()]);
      readings.push(lines);
    }
    writing = false;
    await Promise.all(writers);
    const whole = await stored();
    for (const lines of readings) expect(lines).to.deep.equal(whole.slice(0, lines.length));
    expect(whole.length).to.equal(before + acknowledged);
    expect(readings.at(-1)!.length).to.be.above(readings[0]!.length);
  });
});
