import { expect } from 'chai';
import type { OutgoingHttpHeaders } from 'node:http';
import {
  createAccount,
  got,
  openBook,
  posted,
  transfer,
  type Account,
  type Balance,
  type Book,
  type List,
} from '#test/e2e/books.ts';
import { expectProblem } from '#test/e2e/problems.ts';
import { clientOf } from '#test/support/client.ts';
import { eventCount, serverOfBlock } from '#test/support/server.ts';

const SCRIPT = `(transaction V1
  (chart-of-accounts-group-name PIX)
  (send BRL 100|0
    (source (from @alice :amount BRL 100|0))
    (distribute (to @mallory :amount BRL 100|0))))`;

/** Everything a browser sends for a page of any origin without asking first. */
const EVIL: OutgoingHttpHeaders = {
  Origin: 'https://evil.example',
  'Sec-Fetch-Site': 'cross-site',
};

describe('a web page of another origin', () => {
  const server = serverOfBlock();
  const client = clientOf(server);
  after(() => client.close());

  let book: Book;
  let events = 0;
  let pending = '';
  let paid = '';
  let account: Account;
  before(async () => {
    book = await openBook(client, { accounts: ['@mallory'], funds: { '@alice': '500' } });
    paid = (await posted(client, book.at, transfer('@alice', '@mallory', '1'))).id;
    const held = { ...transfer('@alice', '@mallory', '2'), pending: true };
    pending = (await posted(client, book.at, held)).id;
    account = await createAccount(client, book.at, { alias: '@idle' });
    events = await eventCount(server());
  });
  afterEach(async () => {
    expect(await eventCount(server()), 'events').to.equal(events);
  });

  const post = (path: string, headers: OutgoingHttpHeaders, body?: string) =>
    client.send({ method: 'POST', path, headers, ...(body !== undefined && { body }) });

  const multipart =
    '--x\r\nContent-Disposition: form-data; name="dsl"; filename="a.gold"\r\n\r\n' +
    `${SCRIPT}\r\n--x--\r\n`;

  it('moves no money by a script, as text or as a form', async () => {
    const path = `${book.at}/transactions/dsl`;
    for (const [type, body] of [
      ['text/plain', SCRIPT],
      ['multipart/form-data; boundary=x', multipart],
    ] as const) {
      const answer = await post(path, { ...EVIL, 'Content-Type': type }, body);
      expectProblem(answer, 403, 'LDG-0541');
    }
  });

  it('commits, cancels, reverts, blocks and closes nothing by posts without a body', async () => {
    const transactions = `${book.at}/transactions`;
    for (const path of [
      `${transactions}/${pending}/commit`,
      `${transactions}/${pending}/cancel`,
      `${transactions}/${paid}/revert`,
      `${book.at}/accounts/${account.id}/block`,
      `${book.at}/accounts/${account.id}/unblock`,
      `${book.at}/accounts/${account.id}/close`,
    ]) {
      const answer = await post(path, EVIL);
      expect([answer.status, answer.text.includes('LDG-0541')], path).to.deep.equal([403, true]);
    }
  });

  it('is refused under no origin and with the word of the browser alone', async () => {
    const path = `${book.at}/transactions/dsl`;
    for (const headers of [{ Origin: 'null' }, { 'Sec-Fetch-Site': 'cross-site' }]) {
      const answer = await post(path, { ...headers, 'Content-Type': 'text/plain' }, SCRIPT);
      expectProblem(answer, 403, 'LDG-0541');
    }
  });

  it('neither reads nor posts under a name that it rebinds to this machine', async () => {
    const rebound = { Host: 'evil.example:3000' };
    for (const path of [`${book.at}/balances`, '/health', '/docs', '/metrics', '/nothing']) {
      expectProblem(await client.get(path, rebound), 421, 'LDG-0540');
    }
    // To the browser this is no other site: it sends what the page likes.
    const own = { ...rebound, Origin: 'http://evil.example:3000', 'Sec-Fetch-Site': 'same-origin' };
    const json = { ...own, 'Content-Type': 'application/json' };
    const stolen = JSON.stringify(transfer('@alice', '@mallory', '100'));
    expectProblem(await post(`${book.at}/transactions/json`, json, stolen), 421, 'LDG-0540');
    expectProblem(await post(`${book.at}/accounts/${account.id}/block`, own), 421, 'LDG-0540');
  });

  it('leaves every balance as it was', async () => {
    const path = `${book.at}/accounts/alias/@alice/balances`;
    const [balance] = (await got<List<Balance>>(client, path)).items;
    expect(balance).to.include({ available: '497', onHold: '2' });
  });
});
