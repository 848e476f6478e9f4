import { expect } from 'chai';
import { request } from 'node:http';
import { clientOf } from '#test/support/client.ts';
import { eventCount, sharedServer } from '#test/support/server.ts';
import { exactly, openBook, posted, sending, standing, transfer, type Book } from './books.ts';
import { expectProblem } from './problems.ts';

type Result = Readonly<{
  index: number;
  status: number;
  transaction?: { id: string; status: { code: string }; operations: object[] };
  error?: { code: string; errors?: { location: string }[] };
}>;

describe('batches of transactions', () => {
  const server = sharedServer();
  const client = clientOf(server);
  after(() => client.close());
  let book: Book;
  const path = () => `${book.at}/transactions/batch`;
  const send = (body: unknown, headers = {}) => client.post(path(), body, headers);
  const results = (text: string): Result[] => (JSON.parse(text) as { results: Result[] }).results;
  const outcome = ({ status, error }: Result) => [status, error?.code ?? 'posted'].join(' ');

  beforeEach(async () => {
    book = await openBook(client, { accounts: ['@bob'], funds: { '@alice': '10' } });
  });

  describe('per item', () => {
    it('decide each item after the ones before it, and let no refusal stop the others', async () => {
      const { status, text } = await send({
        transactions: [
          transfer('@alice', '@bob', '6'),
          transfer('@alice', '@bob', '6'),
          { nonsense: true },
          transfer('@bob', '@alice', '1', 'BRL', { pending: true }),
          { ...transfer('@alice', '@bob', '1'), description: 'x'.repeat(257) },
        ],
      });
      expect(status, text).to.equal(200);
      const found = results(text);
      expect(found.map(({ index }) => index)).to.deep.equal([0, 1, 2, 3, 4]);
      expect(found.map(outcome)).to.deep.equal([
        '201 posted',
        '422 LDG-0018',
        '400 LDG-0053',
        '201 posted',
        '400 LDG-0047',
      ]);
      expect(found[0]?.transaction?.status.code).to.equal('CREATED');
      expect(found[3]?.transaction?.status.code).to.equal('PENDING');
      expect(found[4]?.error?.errors?.[0]?.location).to.equal('description');
      expect(await standing(client, book.at, '@alice')).to.equal('4/0 v2');
      expect(await standing(client, book.at, '@bob')).to.equal('5/1 v2');
    });

    it('take a key as the very key of the JSON form', async () => {
      const body = transfer('@alice', '@bob', '2');
      const keyed = { ...body, idempotencyKey: 'batch-1' };
      const [first] = results((await send({ transactions: [keyed] })).text);
      const repeated = results((await send({ transactions: [keyed, keyed] })).text);
      for (const { transaction } of repeated) expect(transaction).to.deep.equal(first?.transaction);
      const alone = await client.post(`${book.at}/transactions/json`, body, {
        'X-Idempotency': 'batch-1',
      });
      expect(alone.headers['x-idempotency-replayed']).to.equal('true');
      expect(alone.json()).to.deep.equal(first?.transaction);
      const [other] = results(
        (await send({ transactions: [{ ...keyed, description: 'another' }] })).text,
      );
      expect(other && outcome(other)).to.equal('409 LDG-0084');
      expect(await standing(client, book.at, '@bob')).to.equal('2/0 v1');
    });

    it('tell what the request itself has wrong', async () => {
      const before = await eventCount(server());
      const item = transfer('@alice', '@bob', '1');
      expectProblem(await send({ transactions: [] }), 400, 'LDG-0513', {
        entityType: 'Transaction',
      });
      const many = Array.from({ length: 1001 }, () => item);
      expectProblem(await send({ transactions: many }), 400, 'LDG-0513', {
        entityType: 'Transaction',
      });
      const keyed = await send({ transactions: [item] }, { 'X-Idempotency': 'k' });
      expectProblem(keyed, 400, 'LDG-0516', { entityType: 'Transaction' });
      expectProblem(await send('{"transactions":[{'), 400, 'LDG-0094');
      const typed = await send('{}', { 'Content-Type': 'text/plain' });
      const { detail } = expectProblem(typed, 400, 'LDG-0094');
      expect(detail).to.contain('application/json or application/x-ndjson');
      expect(await eventCount(server())).to.equal(before);
    });

    it('take a thousand items', async () => {
      const items = Array.from({ length: 1000 }, (_, n) =>
        transfer('@external/BRL', '@bob', `0.${String(n + 1).padStart(4, '0')}`),
      );
      const found = results((await send({ transactions: items })).text);
      expect(new Set(found.map(outcome))).to.deep.equal(new Set(['201 posted']));
      expect(await standing(client, book.at, '@bob')).to.equal('50.05/0 v1000');
    });
  });

  describe('atomic', () => {
    it('post all, each after the ones before it, and repeat all under their key', async () => {
      const body = {
        atomic: true,
        transactions: [transfer('@alice', '@bob', '10'), transfer('@bob', '@alice', '4')],
      };
      const first = await send(body, { 'X-Idempotency': 'all' });
      expect(first.status, first.text).to.equal(201);
      expect(results(first.text).map(outcome)).to.deep.equal(['201 posted', '201 posted']);
      const again = await send(body, { 'X-Idempotency': 'all' });
      expect(again.headers['x-idempotency-replayed']).to.equal('true');
      expect(again.text).to.equal(first.text);
      expect(await standing(client, book.at, '@alice')).to.equal('4/0 v3');
    });

    it('post none when one is refused, and say which', async () => {
      const before = await eventCount(server());
      const good = transfer('@alice', '@bob', '6');
      const refused = [
        [good, 422, 'LDG-0018', 'transactions[1]'],
        [
          transfer('@alice', '@nobody', '1'),
          422,
          'LDG-0019',
          'transactions[1].send.distribute.to[0].accountAlias',
        ],
        [{ ...good, unheard: 1 }, 400, 'LDG-0053', 'transactions[1].unheard'],
        [{ ...good, idempotencyKey: 'k' }, 400, 'LDG-0516', 'transactions[1].idempotencyKey'],
        [
          sending('2', [exactly('@alice', '1')], [exactly('@bob', '2')]),
          422,
          'LDG-0073',
          'transactions[1]',
        ],
      ] as const;
      for (const [second, status, code, location] of refused) {
        const answer = await send({ atomic: true, transactions: [good, second, good] });
        const { errors } = answer.json() as { errors: { location: string }[] };
        expect(answer.status, answer.text).to.equal(status);
        expect(answer.json()).to.include({ code });
        expect(errors[0]?.location).to.equal(location);
      }
      expect(await eventCount(server())).to.equal(before);
    });

    it('are refused when they do not fit one append', async () => {
      const wordy = { metadata: { a: 'x'.repeat(1900), b: 'y'.repeat(1900) } };
      const items = Array.from({ length: 250 }, () =>
        transfer('@external/BRL', '@bob', '1', 'BRL', wordy),
      );
      const before = await eventCount(server());
      expectProblem(await send({ atomic: true, transactions: items }), 422, 'LDG-0515');
      expect(await eventCount(server())).to.equal(before);
    });
  });

  describe('as lines', () => {
    /** Sends pieces one after the other; each waits for so many lines of answer first. */
    const converse = (pieces: readonly (readonly [awaited: number, text: string])[]) =>
      new Promise<Result[]>((resolve, reject) => {
        const lines: Result[] = [];
        let text = '';
        let next = 0;
        const headers = { 'Content-Type': 'application/x-ndjson' };
        const { port } = server();
        const call = request({ port, path: path(), method: 'POST', headers }, (answer) => {
          expect(answer.statusCode).to.equal(200);
          expect(answer.headers['content-type']).to.equal('application/x-ndjson');
          answer.setEncoding('utf8');
          answer.on('data', (chunk: string) => {
            text += chunk;
            const whole = text.split('\n');
            text = whole.pop() ?? '';
            for (const line of whole) lines.push(JSON.parse(line) as Result);
            goOn();
          });
          answer.on('end', () => {
            resolve(lines);
          });
        });
        call.on('error', reject);
        const goOn = (): void => {
          for (let piece = pieces[next]; piece && piece[0] <= lines.length; piece = pieces[next]) {
            call.write(piece[1]);
            next += 1;
          }
          if (next === pieces.length) call.end();
        };
        goOn();
      });
    const line = (item: unknown) => JSON.stringify(item) + '\n';

    it('answer each line once it is durable, while more may come', async () => {
      const found = await converse([
        [0, line(transfer('@alice', '@bob', '6')) + line(transfer('@alice', '@bob', '6'))],
        [2, '\r\n' + line(transfer('@bob', '@alice', '1')).slice(0, 40)],
        [2, line(transfer('@bob', '@alice', '1')).slice(40) + '{"send":\n' + 'null'],
      ]);
      expect(found.map(outcome)).to.deep.equal([
        '201 posted',
        '422 LDG-0018',
        '201 posted',
        '400 LDG-0094',
        '400 LDG-0009',
      ]);
      expect(found.map(({ index }) => index)).to.deep.equal([0, 1, 2, 3, 4]);
    });

    it('refuse a line that is too long, alone', async () => {
      const long = JSON.stringify({ description: 'x'.repeat(1024 * 1024) });
      const good = line(transfer('@alice', '@bob', '1'));
      const found = await converse([[0, good + long + '\n' + good]]);
      expect(found.map(outcome)).to.deep.equal(['201 posted', '413 LDG-0143', '201 posted']);
    });

    it('take many thousand', async () => {
      const items = line(transfer('@external/BRL', '@bob', '0.01')).repeat(5000);
      const found = await converse([[0, items]]);
      expect(found).to.have.length(5000);
      expect(new Set(found.map(outcome))).to.deep.equal(new Set(['201 posted']));
      expect(await standing(client, book.at, '@bob')).to.equal('50/0 v5000');
    });

    it('leave nothing of a line that was not sent whole', async () => {
      const before = await standing(client, book.at, '@bob');
      const headers = { 'Content-Type': 'application/x-ndjson', 'Content-Length': 1_000_000 };
      await new Promise<void>((resolve) => {
        const { port } = server();
        const call = request({ port, path: path(), method: 'POST', headers });
        call.on('error', () => {
          resolve();
        });
        call.write(JSON.stringify(transfer('@alice', '@bob', '1')), () => call.destroy());
        call.on('close', resolve);
      });
      await posted(client, book.at, transfer('@alice', '@bob', '1'));
      expect(before).to.equal('0/0 v0');
      expect(await standing(client, book.at, '@bob')).to.equal('1/0 v1');
    });
  });
});
