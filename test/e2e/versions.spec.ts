import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { sharedServer } from '#test/support/server.ts';
import {
  createAccount,
  exactly,
  got,
  made,
  openBook,
  posted,
  sending,
  standing,
  transfer,
  type Account,
  type Book,
  type List,
  type Operation,
  type Transaction,
} from './books.ts';
import { expectProblem } from './problems.ts';
import { inScope } from './v2-request.ts';

/** One story on one ledger, told in order by clients of both versions. */
describe('versions', () => {
  const client = clientOf(sharedServer());
  after(() => client.close());

  let book: Book;
  let v1: string;
  let v2: string;
  let to: ReturnType<typeof inScope>;
  before(async () => {
    book = await openBook(client, { accounts: ['@bob', '@carol'], funds: { '@alice': '500' } });
    v1 = book.at;
    v2 = book.at.replace('/v1/', '/v2/');
    to = inScope({ organizationId: book.org, ledgerId: book.ledger });
  });

  const read = (at: string, id: string): Promise<Transaction> =>
    got(client, `${at}/transactions/${id}`);
  const step = (at: string, id: string, what: string, body?: object): Promise<Transaction> =>
    made(client, `${at}/transactions/${id}/${what}`, body);
  async function patch(at: string, id: string, body: object): Promise<Transaction> {
    const answer = await client.patch(`${at}/transactions/${id}`, body);
    expect(answer.status, answer.text).to.equal(200);
    return answer.json() as Transaction;
  }

  /** What version 2 shows of what version 1 showed; a scheme is known to version 2 alone. */
  function inVersion2(
    { source, destination, chartOfAccountsGroupName, route, operations, ...same }: Transaction,
    more: object = {},
  ): object {
    expect([chartOfAccountsGroupName, route]).not.to.include(undefined);
    return {
      ...same,
      debit: source,
      credit: destination,
      ...more,
      operations: operations.map(operationInVersion2),
    };
  }
  function operationInVersion2({ chartOfAccounts, route, ...same }: Operation): object {
    expect([chartOfAccounts, route]).not.to.include(undefined);
    return same;
  }

  it('address the same records', async () => {
    const second = await createAccount(client, v2, { alias: '@second' });
    expect(await got<Account>(client, `${v1}/accounts/${second.id}`)).to.deep.equal(second);
    for (const path of ['', '/assets', '/accounts', '/accounts/alias/@second', '/balances']) {
      const one = await client.get(v1 + path);
      expect((await client.get(v2 + path)).text).to.equal(one.text);
    }
  });

  let written: Transaction;
  it('show what version 1 created, each in its shape', async () => {
    written = await posted(client, v1, {
      ...{ description: 'Rent', chartOfAccountsGroupName: 'HOME', route: 'r-1' },
      ...{ metadata: { month: 'May', paid: true } },
      ...sending(
        '100.10',
        [{ ...exactly('@alice', '100.10'), chartOfAccounts: '1.1' }],
        [exactly('@bob', '40.05'), { accountAlias: '@carol', remaining: 'remaining' }],
      ),
    });
    const stored = { ...written, status: { code: 'APPROVED', description: 'APPROVED' } };
    expect(await read(v1, written.id)).to.deep.equal(stored);
    expect(await read(v2, written.id)).to.deep.equal(inVersion2(stored));
    expect(stored).to.deep.include({ amount: '100.1', chartOfAccountsGroupName: 'HOME' });
  });

  let direct: Transaction;
  it('show what version 2 created, each in its shape', async () => {
    const body = to.direct('@alice', '@bob', '50', { scheme: 'WIRE', description: 'Dinner' });
    direct = await made<Transaction>(client, '/v2/transactions/direct', body);
    const stored = { ...direct, status: { code: 'APPROVED', description: 'APPROVED' } };
    expect(await read(v2, direct.id)).to.deep.equal(stored);
    const first = await read(v1, direct.id);
    expect(first).to.deep.include({ source: ['@alice'], destination: ['@bob'], route: '' });
    expect(inVersion2(first, { scheme: 'WIRE' })).to.deep.equal(stored);
  });

  it('create the same from the body of version 1 under either prefix', async () => {
    const forms: readonly [form: string, body: object][] = [
      ['json', transfer('@alice', '@bob', '1')],
      [
        'inflow',
        { send: { asset: 'BRL', value: '1', distribute: { to: [exactly('@bob', '1')] } } },
      ],
      ['outflow', { send: { asset: 'BRL', value: '1', source: { from: [exactly('@bob', '1')] } } }],
      ['annotation', transfer('@alice', '@bob', '1')],
      ['dsl', { dsl: SCRIPT }],
      ['block', transfer('@alice', '@carol', '1')],
      ['unblock', transfer('@carol', '@alice', '1')],
    ];
    for (const [form, body] of forms) {
      const one = await made<Transaction>(client, `${v1}/transactions/${form}`, body);
      const two = await made<Transaction>(client, `${v2}/transactions/${form}`, body);
      expect(two, form).to.have.all.keys(Object.keys(inVersion2(one)));
      const types = [one, two].map(({ operations }) => operations.map(({ type }) => type));
      expect(types[1]).to.deep.equal(types[0], form);
      expect(inVersion2(await read(v1, two.id))).to.deep.equal(await read(v2, two.id));
    }
  });

  it('settle what the other one holds', async () => {
    const before = await standing(client, v1, '@alice');
    const held1 = await posted(client, v1, { ...transfer('@alice', '@bob', '7'), pending: true });
    const held2 = await made<Transaction>(
      client,
      '/v2/transactions/hold',
      to.direct('@alice', '@carol', '8'),
    );
    const committed = await step(v2, held1.id, 'commit', {});
    expect(committed.operations.map(({ type }) => type)).to.deep.equal(['DEBIT', 'CREDIT']);
    expect(committed).to.include.keys('debit', 'credit').and.not.have.any.keys('source', 'route');
    const canceled = await step(v1, held2.id, 'cancel');
    expect(canceled).to.include.keys('source', 'destination', 'route');
    expectProblem(await client.post(`${v1}/transactions/${held1.id}/commit`), 409, 'LDG-0099');
    expectProblem(await client.post(`${v2}/transactions/${held2.id}/cancel`), 409, 'LDG-0099');
    const [available = '', , version = ''] = before.split(/[/ ]v?/);
    const left = `${Number(available) - 7}/0 v${Number(version) + 4}`;
    expect(await standing(client, v2, '@alice')).to.equal(left);
  });

  it('revert what the other one created', async () => {
    const ofDirect = await step(v1, direct.id, 'revert');
    expect(ofDirect).to.deep.include({ parentTransactionId: direct.id, amount: '50' });
    expect(ofDirect).to.deep.include({ source: ['@bob'], destination: ['@alice'] });
    const ofWritten = await step(v2, written.id, 'revert');
    expect(ofWritten).to.deep.include({ parentTransactionId: written.id, amount: '100.1' });
    expect(ofWritten).to.deep.include({ debit: ['@bob', '@carol'], credit: ['@alice'] });
    for (const [at, id] of [
      [v2, direct.id],
      [v1, written.id],
    ] as const) {
      expectProblem(await client.post(`${at}/transactions/${id}/revert`), 409, 'LDG-0087');
    }
  });

  it('patch the same words', async () => {
    const words = { description: 'Rent of May', metadata: { paid: null, by: 'wire' } };
    const second = await patch(v2, written.id, words);
    expect(second.metadata).to.deep.equal({ month: 'May', by: 'wire' });
    expect(second).to.include.keys('debit').and.not.have.any.keys('source');
    const first = await read(v1, written.id);
    expect(inVersion2(first)).to.deep.equal(second);
  });

  it('take a metadata of null as what it is in each: no change in 2, none left in 1', async () => {
    const before = await read(v2, written.id);
    expect(await patch(v2, written.id, { metadata: null })).to.deep.equal(before);
    const operation = before.operations[0]!;
    const path = `transactions/${written.id}/operations/${operation.id}`;
    expect((await client.patch(`${v2}/${path}`, { metadata: { leg: 1 } })).status).to.equal(200);
    const kept = await client.patch(`${v2}/${path}`, { metadata: null });
    expect((kept.json() as Operation).metadata).to.deep.equal({ leg: 1 });
    expect(kept.json()).not.to.have.any.keys('route', 'chartOfAccounts');

    expect(await patch(v1, written.id, { metadata: null })).not.to.have.property('metadata');
    expect(await read(v2, written.id)).not.to.have.property('metadata');
    const cleared = await client.patch(`${v1}/${path}`, { metadata: null });
    expect((cleared.json() as Operation).metadata).to.deep.equal({});
    expect(cleared.json()).to.deep.include({ chartOfAccounts: '1.1', route: '' });
  });

  it('list the same transactions, page by page, with one cursor', async () => {
    const all = await got<List<Transaction>>(client, `${v1}/transactions?limit=100`);
    const others = await got<List<Transaction>>(client, `${v2}/transactions?limit=100`);
    expect(others.items).to.have.length(all.items.length);
    all.items.forEach((one, n) => {
      const more = one.id === direct.id ? { scheme: 'WIRE' } : {};
      expect(others.items[n]).to.deep.equal(inVersion2(one, more));
    });
    const page = await got<List<Transaction>>(client, `${v1}/transactions?limit=5`);
    const path = `${v2}/transactions?limit=5&cursor=${page.next_cursor}`;
    expect((await got<List<Transaction>>(client, path)).items).to.deep.equal(
      others.items.slice(5, 10),
    );
  });

  it('list the same operations of an account', async () => {
    const { id } = await got<Account>(client, `${v1}/accounts/alias/@alice`);
    const path = `accounts/${id}/operations`;
    const first = await got<List<Operation>>(client, `${v1}/${path}?limit=100`);
    const second = await got<List<Operation>>(client, `${v2}/${path}?limit=100`);
    expect(first.items).to.have.length.above(10);
    expect(second.items).to.deep.equal(first.items.map(operationInVersion2));
    const [one] = second.items;
    expect(await got(client, `${v2}/${path}/${one!.id}`)).to.deep.equal(one);
  });

  it('agree on every balance in the end', async () => {
    const [one, two] = [await client.get(`${v1}/balances`), await client.get(`${v2}/balances`)];
    expect(two.text).to.equal(one.text);
  });
});

const SCRIPT = `(transaction V1 (chart-of-accounts-group-name HOME) (send BRL 1
  (source (from @alice :remaining)) (distribute (to @bob :amount BRL 1))))`;
