import { expect } from 'chai';
import { formatScript } from '#test/support/format-script.ts';
import { parseScript } from '#src/dsl/parse.ts';
import { split } from '#test/dsl/scripts.ts';
import { clientOf, type Answer } from '#test/support/client.ts';
import { eventCount, sharedServer } from '#test/support/server.ts';
import { openBook, posted, rowOf, standing, type Book, type Transaction } from './books.ts';
import { expectProblem } from './problems.ts';

/** Contract ledger §8. */
describe('transactions as scripts', () => {
  const server = sharedServer();
  const client = clientOf(server);
  after(() => client.close());

  let book: Book;
  let path = '';
  beforeEach(async () => {
    book = await openBook(client, {
      accounts: ['@alice', '@bob', '@carol', '@dave'],
      funds: { '@alice': '500', '@bob': '1000' },
    });
    path = `${book.at}/transactions/dsl`;
  });

  const send = (body: string | Buffer, type: string, headers = {}): Promise<Answer> =>
    client.send({ method: 'POST', path, headers: { 'Content-Type': type, ...headers }, body });

  const plain = (script: string, headers = {}) => send(script, 'text/plain', headers);
  const wrapped = (script: string, headers = {}) =>
    send(JSON.stringify({ dsl: script }), 'application/json', headers);
  const uploaded = (script: string | Buffer, headers = {}, part = FILE) =>
    send(
      Buffer.concat([
        Buffer.from(`--B\r\nContent-Disposition: form-data; ${part}\r\n\r\n`),
        Buffer.from(script),
        Buffer.from('\r\n--B--\r\n'),
      ]),
      'multipart/form-data; boundary=B',
      headers,
    );

  it('are the transactions their JSON would be: the posting of §9.2', async () => {
    const answer = await uploaded(split);
    expect(answer.status, answer.text).to.equal(201);
    expect(answer.headers['x-idempotency-replayed']).to.equal('false');
    const made = answer.json() as Transaction;
    expect(made).to.include({ description: 'Split payment', amount: '300.1', assetCode: 'BRL' });
    expect(made.chartOfAccountsGroupName).to.equal('FUNDING');
    expect(made.source).to.deep.equal(['@alice', '@bob']);
    expect(made.destination).to.deep.equal(['@carol', '@dave']);
    expect(made.status.code).to.equal('CREATED');
    expect(made.operations.map(rowOf)).to.deep.equal([
      'DEBIT debit @alice 120.04 500/0 v1 → 379.96/0 v2',
      'DEBIT debit @bob 180.06 1000/0 v1 → 819.94/0 v2',
      'CREDIT credit @carol 90.03 0/0 v0 → 90.03/0 v1',
      'CREDIT credit @dave 210.07 0/0 v0 → 210.07/0 v1',
    ]);
    const json = await posted(client, book.at, parseScript(split));
    expect(json.operations.map(({ amount }) => amount.value)).to.deep.equal(
      made.operations.map(({ amount }) => amount.value),
    );
  });

  it('come as file, as plain text or in JSON', async () => {
    for (const answer of [await uploaded(split), await plain(split), await wrapped(split)]) {
      expect(answer.status, answer.text).to.equal(201);
    }
    expect((await send(split, 'Text/Plain; charset=utf-8')).status).to.equal(201);
    expect(await standing(client, book.at, '@carol')).to.equal('360.12/0 v4');
  });

  it('hold what waits for its commit', async () => {
    const answer = await plain(split.replace('(send', '(pending true)(send'));
    expect(answer.json()).to.have.nested.property('status.code', 'PENDING');
    expect(await standing(client, book.at, '@alice')).to.equal('379.96/120.04 v2');
  });

  it('keep the words of their legs', async () => {
    const said = parseScript(split);
    const [leg] = said.send.source.from;
    const words = {
      rate: { externalId: 'x1', from: 'BRL', to: 'USD', value: '5.1' },
      description: 'Part, of (two)',
      chartOfAccounts: 'FUNDS/1',
      metadata: { invoice: '77' },
    };
    const from = [{ ...leg!, ...words }, ...said.send.source.from.slice(1)];
    const send = { ...said.send, source: { from } };
    const answer = await plain(formatScript({ ...said, send, metadata: { k: '1' } }));
    const made = answer.json() as Transaction;
    expect(made.metadata).to.deep.equal({ k: '1' });
    const { description, chartOfAccounts, metadata } = words;
    expect(made.operations[0]).to.deep.include({ description, chartOfAccounts, metadata });
  });

  it('are the same request under a key whatever form and layout they come in', async () => {
    const key = { 'X-Idempotency': 'split' };
    const first = await uploaded(split, key);
    const laidOut = split.replaceAll('\n', '\r\n\t');
    for (const again of [await plain(laidOut, key), await wrapped(split, key)]) {
      expect(again.status).to.equal(201);
      expect(again.headers['x-idempotency-replayed']).to.equal('true');
      expect(again.text).to.equal(first.text);
    }
    expectProblem(await plain(split.replace('30)', '31)'), key), 409, 'LDG-0084');
    const json = await client.post(`${book.at}/transactions/json`, parseScript(split), key);
    expectProblem(json, 409, 'LDG-0084');
  });

  it('stand under /v2 as well', async () => {
    path = path.replace('/v1/', '/v2/');
    expect((await plain(split)).status).to.equal(201);
  });

  describe('are refused, and nothing is appended,', () => {
    let before = 0;
    beforeEach(async () => (before = await eventCount(server())));
    afterEach(async () => expect(await eventCount(server())).to.equal(before));

    it('with the place of what does not match the grammar', async () => {
      for (const form of [plain, wrapped, uploaded]) {
        const answer = await form(split.replace(':remaining', '(x)'));
        const { errors } = expectProblem(answer, 400, 'LDG-0048', { locations: ['dsl'] });
        expect(errors?.[0]).to.deep.equal({
          location: 'dsl',
          message: 'line 7, column 18: found "(", expected :amount or :share or :remaining',
          value: '(',
        });
      }
    });

    it('when the file is not there, has another name, or is empty', async () => {
      const part = (text: string) => uploaded(split, {}, text);
      const { detail } = expectProblem(
        await part('name="file"; filename="a.gold"'),
        400,
        'LDG-0048',
      );
      expect(detail).to.contain('under the name dsl');
      expectProblem(await part('name="dsl"; filename="a.txt"'), 400, 'LDG-0048');
      expectProblem(await part('name="dsl"'), 400, 'LDG-0048');
      expectProblem(await uploaded(''), 400, 'LDG-0049', { locations: ['dsl'] });
      expectProblem(await plain(''), 400, 'LDG-0049', { locations: ['dsl'] });
      expectProblem(await wrapped(''), 400, 'LDG-0009', { locations: ['dsl'] });
      expectProblem(await plain(' \n'), 400, 'LDG-0048');
    });

    it('when their bytes are no text', async () => {
      expectProblem(await uploaded(Buffer.from([0x28, 0xff])), 400, 'LDG-0048');
      expectProblem(await plain(split.replace('Split', '\0')), 400, 'LDG-0047', {
        locations: ['dsl'],
      });
      expectProblem(await wrapped(split.replace('Split', '\0')), 400, 'LDG-0047', {
        locations: ['dsl'],
      });
    });

    it('in other media types, and in forms that are none', async () => {
      for (const type of ['text/html', 'application/x-www-form-urlencoded', '__proto__', '']) {
        expectProblem(await send(split, type), 400, 'LDG-0094');
      }
      expectProblem(await send(split, 'multipart/form-data; boundary=B'), 400, 'LDG-0094');
      expectProblem(await send(split, 'multipart/form-data'), 400, 'LDG-0094');
    });

    it('beyond 1 MiB', async () => {
      const padded = (size: number) => split + ' '.repeat(size - split.length);
      for (const form of [plain, wrapped, uploaded]) {
        expectProblem(await form(padded(1024 * 1024 + 1)), 413, 'LDG-0143');
        expectProblem(await form(padded(2 * 1024 * 1024)), 413, 'LDG-0143');
      }
    });

    it('by the rules of a request, at its places', async () => {
      const share = await plain(split.replace(':share 30', ':share 101'));
      expectProblem(share, 400, 'LDG-0047', {
        locations: ['send.distribute.to[0].share.percentage'],
      });
      expectProblem(await plain(split.replace('30)', '29)')), 422, 'LDG-0073');
      const long = split.replace('Split payment', 'x'.repeat(257));
      expectProblem(await plain(long), 400, 'LDG-0047', { locations: ['description'] });
    });
  });
});

const FILE = 'name="dsl"; filename="a.gold"';
