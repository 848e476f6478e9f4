import { expect } from 'chai';
import { clientOf, type Answer } from '#test/support/client.ts';
import { sharedServer } from '#test/support/server.ts';
import { got, openBook, ORGANIZATIONS, transfer, type Book, type Transaction } from './books.ts';
import { expectProblem } from './problems.ts';

describe('consistency', () => {
  const server = sharedServer();
  const client = clientOf(server);
  const impatient = clientOf(server, { impatient: true });
  after(() => {
    client.close();
    impatient.close();
  });

  let book: Book;
  before(async () => {
    book = await openBook(client, { accounts: ['@alice'] });
  });

  const tokenOf = ({ headers }: Answer): string => {
    const token = headers['x-consistency-token'];
    expect(token)
      .to.be.a('string')
      .that.matches(/^[\w-]+$/);
    return String(token);
  };
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

  it('gives every write a token that names its journal and revision', async () => {
    const organization = await client.post(ORGANIZATIONS, { legalName: 'A', legalDocument: 'B' });
    const { id } = organization.json() as { id: string };
    const ledgers = `${ORGANIZATIONS}/${id}/ledgers`;
    const ledger = await client.post(ledgers, { name: 'A' });
    const at = `${ledgers}/${(ledger.json() as { id: string }).id}`;
    const asset = await client.post(`${at}/assets`, { name: 'A', type: 'others', code: 'A' });
    const account = await client.post(`${at}/accounts`, {
      assetCode: 'A',
      type: 'deposit',
      alias: '@a',
    });
    const body = transfer('@external/A', '@a', '1', 'A');
    const first = await client.post(`${at}/transactions/json`, body);
    const second = await client.post(`${at}/transactions/json`, body);
    const revisions = [organization, ledger, asset, account, first, second].map((answer) => {
      expect(answer.status, answer.text).to.equal(201);
      const read: unknown = JSON.parse(Buffer.from(tokenOf(answer), 'base64url').toString());
      return Object.values(read as Record<string, number>)[0];
    });
    expect(revisions.slice(1)).to.deep.equal([0, 2, 3, 4, 5]);
  });

  it('lets a read see what was just written, without a token and with it', async () => {
    for (let n = 0; n < 50; n += 1) {
      const body = transfer('@external/BRL', '@alice', '1');
      const answer = await client.post(`${book.at}/transactions/json`, body);
      const { id } = answer.json() as Transaction;
      const headers = n % 2 === 0 ? {} : { 'X-Consistency-Token': tokenOf(answer) };
      const read = await got<Transaction>(client, `${book.at}/transactions/${id}`, headers);
      expect(read.id).to.equal(id);
    }
  });

  it('gives replays a token too', async () => {
    const body = transfer('@external/BRL', '@alice', '1');
    const send = () =>
      client.post(`${book.at}/transactions/json`, body, { 'X-Idempotency': 'token' });
    tokenOf(await send());
    tokenOf(await send());
  });

  const malformed: readonly [what: string, token: string][] = [
    ['plain words', 'not a token'],
    ['what is not JSON', Buffer.from('nothing').toString('base64url')],
    ['a list', encoded([1])],
    ['null', encoded(null)],
    ['a number', encoded(7)],
    ['a negative revision', encoded({ 'ledger-x': -1 })],
    ['a fraction', encoded({ 'ledger-x': 1.5 })],
    ['a word for a revision', encoded({ 'ledger-x': '1' })],
    ['far too much', encoded({ ['x'.repeat(9000)]: 1 })],
  ];
  for (const [what, token] of malformed) {
    it(`refuses ${what} as a token`, async () => {
      const answer = await client.get(`${book.at}/transactions`, { 'X-Consistency-Token': token });
      expectProblem(answer, 400, 'LDG-0082', {
        locations: ['header.X-Consistency-Token'],
        entityType: null,
      });
    });
  }

  it('answers 503 to a revision that does not come, after 2 s and never with old data', async () => {
    const token = encoded({ [`ledger-${book.ledger}`]: 1_000_000 });
    const headers = { 'X-Consistency-Token': token };
    const from = performance.now();
    const paths = ['transactions', 'balances', 'accounts/alias/@alice'];
    const [head, ...answers] = await Promise.all([
      impatient.send({ method: 'HEAD', path: `${book.at}/transactions`, headers }),
      ...paths.map((path) => impatient.get(`${book.at}/${path}`, headers)),
    ]);
    const tookMs = performance.now() - from;
    for (const answer of answers) expectProblem(answer, 503, 'LDG-0501');
    expect(head).to.include({ status: 503, text: '' });
    expect(tookMs).to.be.at.least(1900); // And not much more: progress.spec.ts, by another clock.
  });

  it('takes the token of another journal', async () => {
    const other = await openBook(client);
    const answer = await client.post(`${other.at}/accounts`, { assetCode: 'BRL', type: 'deposit' });
    const headers = { 'X-Consistency-Token': tokenOf(answer) };
    expect((await client.get(`${book.at}/accounts`, headers)).status).to.equal(200);
  });

  it('does not read a token on writes', async () => {
    const headers = { 'X-Consistency-Token': 'no token' };
    const body = transfer('@external/BRL', '@alice', '1');
    const answer = await client.post(`${book.at}/transactions/json`, body, headers);
    expect(answer.status).to.equal(201);
  });
});
