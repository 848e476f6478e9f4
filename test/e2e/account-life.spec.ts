import { expect } from 'chai';
import { clientOf, type Answer } from '#test/support/client.ts';
import { eventCount, sharedServer } from '#test/support/server.ts';
import {
  createAccount,
  got,
  made,
  openBook,
  posted,
  transfer,
  UTC_TIME,
  type Account,
  type Balance,
  type Book,
  type List,
  type Operation,
  type Transaction,
} from './books.ts';
import { expectProblem } from './problems.ts';

describe('what stops an account', () => {
  const server = sharedServer();
  const client = clientOf(server);
  after(() => client.close());

  let book: Book;
  let second = '';
  beforeEach(async () => {
    book = await openBook(client, { accounts: ['@bob'], funds: { '@alice': '10' } });
    second = book.at.replace('/v1/', '/v2/');
  });
  const idOf = async (alias: string): Promise<string> =>
    (await got<Account>(client, `${book.at}/accounts/alias/${alias}`)).id;
  const pay = (from: string, to: string, more: object = {}): Promise<Answer> =>
    client.post(`${book.at}/transactions/json`, transfer(from, to, '1', 'BRL', more));
  const post = (path: string): Promise<Answer> => client.post(path);

  describe('block and unblock', () => {
    for (const version of ['v1', 'v2']) {
      it(`answer the account, under ${version}`, async () => {
        const path = `/${version}${book.at.slice(3)}/accounts/${await idOf('@alice')}`;
        const before = await got<Account>(client, path);
        const answer = await post(`${path}/block`);
        expect(answer.status, answer.text).to.equal(200);
        const { updatedAt, ...blocked } = answer.json() as Account;
        expect({ ...blocked, updatedAt: before.updatedAt }).to.deep.equal({
          ...before,
          blocked: true,
        });
        expect(updatedAt > before.updatedAt).to.equal(true);
        expect((await client.get(path)).text).to.equal(answer.text);
        const unblocked = (await post(`${path}/unblock`)).json() as Account;
        expect(unblocked.blocked).to.equal(false);
      });
    }

    it('repeated are successes without effect', async () => {
      const path = `${book.at}/accounts/${await idOf('@alice')}`;
      const blocked = (await post(`${path}/block`)).text;
      const events = await eventCount(server());
      expect((await post(`${path}/block`)).text).to.equal(blocked);
      const patched = await client.patch(path, { blocked: true });
      expect(patched.text).to.equal(blocked);
      expect(await eventCount(server())).to.equal(events);
    });

    it('stop every movement, and let it go on', async () => {
      const { id } = await posted(client, book.at, transfer('@alice', '@bob', '1'));
      const pending = await posted(
        client,
        book.at,
        transfer('@alice', '@bob', '1', 'BRL', { pending: true }),
      );
      const account = `${book.at}/accounts/${await idOf('@alice')}`;
      await post(`${account}/block`);
      const movements = [
        () => pay('@alice', '@bob'),
        () => pay('@bob', '@alice'),
        () => pay('@alice', '@bob', { pending: true }),
        () => post(`${book.at}/transactions/${pending.id}/commit`),
        () => post(`${book.at}/transactions/${id}/revert`),
      ];
      for (const movement of movements) expectProblem(await movement(), 422, 'LDG-0502');
      expect((await post(`${account}/unblock`)).status).to.equal(200);
      for (const movement of movements) expect((await movement()).status).to.equal(201);
    });

    it('leave a pending transaction to be cancelled', async () => {
      const pending = transfer('@alice', '@bob', '1', 'BRL', { pending: true });
      const { id } = await posted(client, book.at, pending);
      await post(`${book.at}/accounts/${await idOf('@alice')}/block`);
      expect((await post(`${book.at}/transactions/${id}/cancel`)).status).to.equal(201);
    });

    it('hold from the first moment for an account created blocked', async () => {
      await createAccount(client, book.at, { alias: '@frozen', blocked: true });
      expectProblem(await pay('@alice', '@frozen'), 422, 'LDG-0502');
      expectProblem(await pay('@frozen', '@alice'), 422, 'LDG-0502'); // Not the missing funds.
    });
  });

  describe('closing', () => {
    const close = async (alias: string): Promise<Answer> =>
      post(`${second}/accounts/${await idOf(alias)}/close`);
    const closed = async (alias: string): Promise<void> => {
      const answer = await close(alias);
      expect([answer.status, answer.text]).to.deep.equal([204, '']);
    };

    it('is an operation of v2 alone, and shown in both', async () => {
      const path = `/accounts/${await idOf('@bob')}`;
      expectProblem(await post(`${book.at + path}/close`), 404, 'LDG-0484');
      const answer = await close('@bob');
      expect(answer.headers).to.have.property('x-consistency-token');
      const { closedAt, updatedAt } = await got<Account>(client, second + path);
      expect(closedAt).to.match(UTC_TIME);
      expect(updatedAt).to.equal(closedAt);
      expect(await got<Account>(client, book.at + path)).to.include({ closedAt });
    });

    it('comes once', async () => {
      await closed('@bob');
      expectProblem(await close('@bob'), 409, 'LDG-0521', { entityType: 'Account' });
    });

    it('waits for balances and holds', async () => {
      expectProblem(await close('@alice'), 422, 'LDG-0523');
      const all = transfer('@alice', '@bob', '10', 'BRL', { pending: true });
      const { id } = await posted(client, book.at, all);
      expectProblem(await close('@alice'), 422, 'LDG-0524');
      expect((await post(`${book.at}/transactions/${id}/commit`)).status).to.equal(201);
      await closed('@alice');
    });

    it('is the end of movements, and not of what waited to arrive', async () => {
      const waiting = transfer('@alice', '@bob', '1', 'BRL', { pending: true });
      const { id } = await posted(client, book.at, waiting);
      await closed('@bob');
      for (const more of [{}, { pending: true }]) {
        expectProblem(await pay('@alice', '@bob', more), 422, 'LDG-0519');
      }
      expectProblem(await post(`${book.at}/transactions/${id}/commit`), 422, 'LDG-0519');
      expect((await post(`${book.at}/transactions/${id}/cancel`)).status).to.equal(201);
    });

    it('leaves all that was to be read, and to be written down', async () => {
      await posted(client, book.at, transfer('@alice', '@bob', '1'));
      const last = await posted(client, book.at, transfer('@bob', '@alice', '1'));
      await closed('@bob');
      const path = `${book.at}/accounts/${await idOf('@bob')}`;
      const patched = await client.patch(path, { metadata: { why: 'moved' } });
      expect(patched.status, patched.text).to.equal(200);
      expect(patched.json()).to.deep.include({ metadata: { why: 'moved' } });
      expect((await client.get(path)).text).to.equal(patched.text);
      const { items } = await got<List<Account>>(client, `${book.at}/accounts?alias=@bob`);
      expect(items).to.have.lengthOf(1);
      const balances = await got<List<Balance>>(client, `${path}/balances`);
      expect(balances.items[0]).to.include({ available: '0', version: 2 });
      const operations = await got<List<Operation>>(client, `${path}/operations`);
      expect(operations.items).to.have.lengthOf(2);
      const transaction = `${book.at}/transactions/${last.id}`;
      expect((await got<Transaction>(client, transaction)).id).to.equal(last.id);
    });

    it('takes no further balance, while a blocked account does, and it is blocked too', async () => {
      const path = `${book.at}/accounts/${await idOf('@bob')}`;
      await post(`${path}/block`);
      await made(client, `${path}/balances`, { key: 'savings' });
      const [from] = transfer('@bob', '@alice', '1').send.source.from;
      const source = { from: [{ ...from, balanceKey: 'savings' }] };
      const asked = transfer('@bob', '@alice', '1');
      const moved = await client.post(`${book.at}/transactions/json`, {
        send: { ...asked.send, source },
      });
      expectProblem(moved, 422, 'LDG-0502');
      await closed('@bob');
      const further = await client.post(`${path}/balances`, { key: 'more' });
      expectProblem(further, 422, 'LDG-0519', { entityType: 'Balance' });
    });

    it('keeps the alias until the account is deleted', async () => {
      await closed('@bob');
      const body = { assetCode: 'BRL', type: 'deposit', alias: '@bob' };
      expectProblem(await client.post(`${book.at}/accounts`, body), 409, 'LDG-0020');
      const gone = await client.delete(`${book.at}/accounts/${await idOf('@bob')}`);
      expect(gone.status).to.equal(204);
      await made<Account>(client, `${book.at}/accounts`, body);
    });
  });
});
