import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { sharedServer } from '#test/support/server.ts';
import {
  createAccount,
  createLedger,
  exactly,
  got,
  made,
  openBook,
  part,
  posted,
  rest,
  rowOf,
  sending,
  standing,
  transfer,
  UTC_TIME,
  UUID,
  type Book,
  type List,
  type Transaction,
} from './books.ts';
import { expectProblem } from './problems.ts';
import { inScope } from './v2-request.ts';

/** Contract ledger §9: one story, told in order. Ids and times are replaced by words, everything else is equal. */
describe('worked examples', () => {
  const client = clientOf(sharedServer());
  after(() => client.close());

  let book: Book;
  let names: Map<string, string>;
  const story: Transaction[] = [];

  before(async () => {
    book = await openBook(client, { accounts: ['@alice', '@bob', '@carol', '@dave'] });
    names = new Map([
      [book.org, 'org-1'],
      [book.ledger, 'led-1'],
    ]);
    const { items: accounts } = await got<List<{ id: string; alias: string }>>(
      client,
      `${book.at}/accounts`,
    );
    for (const { id, alias } of accounts) names.set(id, `acc-${letterOf(alias)}`);
    const { items: balances } = await got<List<{ id: string; alias: string }>>(
      client,
      `${book.at}/balances`,
    );
    for (const { id, alias } of balances) names.set(id, `bal-${letterOf(alias)}`);
  });

  const post = (body: unknown) => client.post(`${book.at}/transactions/json`, body);

  /** The text of an answer with its ids and times replaced by the words of the contract. */
  function told(text: string): unknown {
    return JSON.parse(text, (_, value: unknown) => {
      if (typeof value !== 'string') return value;
      if (UTC_TIME.test(value)) return 'time';
      return UUID.test(value) ? (names.get(value) ?? 'unknown id') : value;
    });
  }

  function remember({ id, operations }: Transaction): void {
    story.push({ id, operations } as Transaction);
    names.set(id, `tx-${story.length}`);
    operations.forEach((operation, n) => names.set(operation.id, `op-${n + 1}`));
  }

  it('9.1 inflow', async () => {
    const body = {
      description: 'Funding',
      send: { asset: 'BRL', value: '500', distribute: { to: [exactly('@alice', '500')] } },
    };
    const answer = await client.post(`${book.at}/transactions/inflow`, body);
    expect(answer.status, answer.text).to.equal(201);
    expect(answer.headers['x-idempotency-replayed']).to.equal('false');
    const transaction = answer.json() as Transaction;
    remember(transaction);
    const operation = (id: string, who: string, accountAlias: string, type: string) => ({
      id,
      transactionId: 'tx-1',
      description: 'Funding',
      type,
      direction: type.toLowerCase(),
      assetCode: 'BRL',
      chartOfAccounts: '',
      amount: { value: '500' },
      balance: { available: '0', onHold: '0', version: 0, overdraftUsed: '0' },
      balanceAfter: { available: '500', onHold: '0', version: 1, overdraftUsed: '0' },
      status: { code: 'APPROVED', description: 'APPROVED' },
      accountId: `acc-${who}`,
      accountAlias,
      balanceId: `bal-${who}`,
      balanceKey: 'default',
      organizationId: 'org-1',
      ledgerId: 'led-1',
      balanceAffected: true,
      route: '',
      metadata: {},
      createdAt: 'time',
      updatedAt: 'time',
      deletedAt: null,
    });
    expect(told(answer.text)).to.deep.equal({
      id: 'tx-1',
      organizationId: 'org-1',
      ledgerId: 'led-1',
      description: 'Funding',
      status: { code: 'CREATED', description: 'CREATED' },
      amount: '500',
      assetCode: 'BRL',
      chartOfAccountsGroupName: '',
      source: ['@external/BRL'],
      destination: ['@alice'],
      route: '',
      feesSkipped: false,
      tracerSkipped: false,
      createdAt: 'time',
      updatedAt: 'time',
      deletedAt: null,
      // In byte order of the alias (§7.4): alice after the external account.
      operations: [
        operation('op-1', 'a', '@alice', 'CREDIT'),
        operation('op-2', 'x', '@external/BRL', 'DEBIT'),
      ],
    });

    const second = await posted(client, book.at, transfer('@external/BRL', '@bob', '1000'));
    remember(second);
    expect(second.operations.map(rowOf)).to.deep.equal([
      'CREDIT credit @bob 1000 0/0 v0 → 1000/0 v1',
      'DEBIT debit @external/BRL 1000 500/0 v1 → 1500/0 v2',
    ]);
  });

  const split = (...to: ReturnType<typeof part>[]) => ({
    chartOfAccountsGroupName: 'FUNDING',
    description: 'Split payment',
    code: 'inv-77',
    pending: false,
    metadata: { invoice: '77' },
    ...sending('300.10', [exactly('@alice', '120.04'), rest('@bob')], to),
  });

  it('9.2 two sources, two destinations', async () => {
    const transaction = await posted(client, book.at, split(part('@carol', 30), part('@dave', 70)));
    remember(transaction);
    expect(transaction).to.deep.include({
      amount: '300.1',
      source: ['@alice', '@bob'],
      destination: ['@carol', '@dave'],
      status: { code: 'CREATED', description: 'CREATED' },
      chartOfAccountsGroupName: 'FUNDING',
      metadata: { invoice: '77' },
    });
    expect(transaction.operations.map(rowOf)).to.deep.equal([
      'DEBIT debit @alice 120.04 500/0 v1 → 379.96/0 v2',
      'DEBIT debit @bob 180.06 1000/0 v1 → 819.94/0 v2',
      'CREDIT credit @carol 90.03 0/0 v0 → 90.03/0 v1',
      'CREDIT credit @dave 210.07 0/0 v0 → 210.07/0 v1',
    ]);
  });

  it('9.2 the balance of carol', async () => {
    const answer = await client.get(`${book.at}/accounts/alias/@carol/balances`);
    expect(answer.status).to.equal(200);
    expect(told(answer.text)).to.deep.equal({
      items: [
        {
          id: 'bal-c',
          organizationId: 'org-1',
          ledgerId: 'led-1',
          accountId: 'acc-c',
          alias: '@carol',
          key: 'default',
          assetCode: 'BRL',
          available: '90.03',
          onHold: '0',
          scale: 1,
          version: 1,
          accountType: 'deposit',
          allowSending: true,
          allowReceiving: true,
          direction: 'credit',
          overdraftUsed: '0',
          position: { available: '90.03', onHold: '0', overdraftLimitAvailable: '0' },
          createdAt: 'time',
          updatedAt: 'time',
          deletedAt: null,
        },
      ],
      limit: 10,
    });
  });

  it('9.2 the same posting in version 2', async () => {
    const aside = await openBook(client, { accounts: ['@alice', '@bob', '@carol', '@dave'] });
    const to = inScope({ organizationId: aside.org, ledgerId: aside.ledger });
    await posted(client, aside.at, transfer('@external/BRL', '@alice', '500'));
    await posted(client, aside.at, transfer('@external/BRL', '@bob', '1000'));
    const transaction = await made<Transaction>(client, '/v2/transactions/direct', {
      asset: 'BRL',
      amount: '300.10',
      debits: [to.leg('@alice', '120.04'), to.leg('@bob', '180.06')],
      credits: [to.part('@carol', 30), to.part('@dave', 70)],
    });
    expect(transaction).to.deep.include({
      amount: '300.1',
      debit: ['@alice', '@bob'],
      credit: ['@carol', '@dave'],
      status: { code: 'CREATED', description: 'CREATED' },
    });
    expect(transaction.operations.map(rowOf)).to.deep.equal([
      'DEBIT debit @alice 120.04 500/0 v1 → 379.96/0 v2',
      'DEBIT debit @bob 180.06 1000/0 v1 → 819.94/0 v2',
      'CREDIT credit @carol 90.03 0/0 v0 → 90.03/0 v1',
      'CREDIT credit @dave 210.07 0/0 v0 → 210.07/0 v1',
    ]);
  });

  it('9.2 the refused variants', async () => {
    const short = await post(split(part('@carol', 30), part('@dave', 69)));
    const { detail } = expectProblem(short, 422, 'LDG-0073');
    expect(detail).to.contain('297.099');
    expectProblem(await post(transfer('@alice', '@bob', '600')), 422, 'LDG-0018');
    const both = { ...exactly('@alice', '1'), share: { percentage: 100 } };
    expectProblem(await post(sending('1', [both], [exactly('@bob', '1')])), 400, 'LDG-0072');
    expect(await standing(client, book.at, '@alice')).to.equal('379.96/0 v2');
  });

  it('9.2 a nested share', async () => {
    const aside = await openBook(client, { accounts: ['@a', '@b'], funds: { '@payer': '300.10' } });
    const to = [part('@a', 50, 50), rest('@b')];
    const body = sending('300.10', [exactly('@payer', '300.10')], to);
    const { operations } = await posted(client, aside.at, body);
    expect(operations.map(rowOf)).to.deep.equal([
      'CREDIT credit @a 75.025 0/0 v0 → 75.025/0 v1',
      'CREDIT credit @b 225.075 0/0 v0 → 225.075/0 v1',
      'DEBIT debit @payer 300.1 300.1/0 v1 → 0/0 v2',
    ]);
  });

  it('9.3 outflow', async () => {
    const body = {
      description: 'Withdrawal',
      send: { asset: 'BRL', value: '40.03', source: { from: [exactly('@carol', '40.03')] } },
    };
    const path = `${book.at}/transactions/outflow`;
    const transaction = await made<Transaction>(client, path, body);
    remember(transaction);
    expect(transaction.operations.map(rowOf)).to.deep.equal([
      'DEBIT debit @carol 40.03 90.03/0 v1 → 50/0 v2',
      'CREDIT credit @external/BRL 40.03 1500/0 v2 → 1459.97/0 v3',
    ]);
  });

  /** Ids of the story's transactions, by their number in it. */
  const at = (n: number): string => `${book.at}/transactions/${story[n - 1]?.id ?? ''}`;
  const step = (n: number, what: 'commit' | 'cancel' | 'revert'): Promise<Transaction> =>
    made(client, `${at(n)}/${what}`, undefined);

  it('9.4 pending, then commit', async () => {
    const body = transfer('@dave', '@alice', '200', 'BRL', {
      description: 'Reserve',
      pending: true,
    });
    const held = await posted(client, book.at, body);
    remember(held);
    expect(held.status.code).to.equal('PENDING');
    expect(held).to.deep.include({ source: ['@dave'], destination: ['@alice'] });
    const hold = 'ON_HOLD debit @dave 200 210.07/0 v1 → 10.07/200 v2';
    expect(held.operations.map(rowOf)).to.deep.equal([hold]);

    const committed = await step(5, 'commit');
    const rows = [
      'CREDIT credit @alice 200 379.96/0 v2 → 579.96/0 v3',
      'DEBIT debit @dave 200 10.07/200 v2 → 10.07/0 v3',
    ];
    expect(committed).to.deep.include({
      id: held.id,
      status: { code: 'APPROVED', description: 'APPROVED' },
      amount: '200',
      source: ['@dave'],
      destination: ['@alice'],
    });
    expect(committed.operations.map(rowOf)).to.deep.equal(rows);

    const { operations } = await got<Transaction>(client, at(5));
    expect(operations.map(rowOf)).to.deep.equal([hold, ...rows]);
    const statuses = operations.map(({ status }) => status.code);
    expect(statuses).to.deep.equal(['PENDING', 'APPROVED', 'APPROVED']);
    for (const again of ['commit', 'cancel']) {
      expectProblem(await client.post(`${at(5)}/${again}`), 409, 'LDG-0099');
    }
  });

  it('9.5 pending, then cancel', async () => {
    const body = transfer('@alice', '@bob', '79.96', 'BRL', { pending: true });
    const held = await posted(client, book.at, body);
    remember(held);
    expect(held.operations.map(rowOf)).to.deep.equal([
      'ON_HOLD debit @alice 79.96 579.96/0 v3 → 500/79.96 v4',
    ]);
    const canceled = await step(6, 'cancel');
    expect(canceled.status.code).to.equal('CANCELED');
    expect(canceled.operations.map(rowOf)).to.deep.equal([
      'RELEASE credit @alice 79.96 500/79.96 v4 → 579.96/0 v5',
    ]);
    expectProblem(await client.post(`${at(6)}/revert`), 409, 'LDG-0099');
  });

  it('9.6 revert', async () => {
    expectProblem(await client.post(`${at(3)}/revert`), 422, 'LDG-0018');
    const reversals = [
      [
        'DEBIT debit @alice 200 579.96/0 v5 → 379.96/0 v6',
        'CREDIT credit @dave 200 10.07/0 v3 → 210.07/0 v4',
      ],
      [
        'CREDIT credit @carol 40.03 50/0 v2 → 90.03/0 v3',
        'DEBIT debit @external/BRL 40.03 1459.97/0 v3 → 1500/0 v4',
      ],
      [
        'CREDIT credit @alice 120.04 379.96/0 v6 → 500/0 v7',
        'CREDIT credit @bob 180.06 819.94/0 v2 → 1000/0 v3',
        'DEBIT debit @carol 90.03 90.03/0 v3 → 0/0 v4',
        'DEBIT debit @dave 210.07 210.07/0 v4 → 0/0 v5',
      ],
    ];
    for (const [n, reverted] of [5, 4, 3].entries()) {
      const reversal = await step(reverted, 'revert');
      remember(reversal);
      expect(reversal.parentTransactionId).to.equal(story[reverted - 1]?.id);
      expect(reversal.status.code).to.equal('CREATED');
      expect(reversal.operations.map(rowOf)).to.deep.equal(reversals[n]);
    }
    expect(await got<Transaction>(client, at(7))).to.deep.include({
      description: 'Reserve',
      source: ['@alice'],
      destination: ['@dave'],
    });
    expectProblem(await client.post(`${at(5)}/revert`), 409, 'LDG-0087');
    expectProblem(await client.post(`${at(7)}/revert`), 409, 'LDG-0088');
  });

  it('9.6 the final balances', async () => {
    const ends = {
      '@external/BRL': '1500/0 v4',
      '@alice': '500/0 v7',
      '@bob': '1000/0 v3',
      '@carol': '0/0 v4',
      '@dave': '0/0 v5',
    };
    for (const [alias, end] of Object.entries(ends)) {
      expect(await standing(client, book.at, alias), alias).to.equal(end);
    }
    const accounts = await got<List<{ id: string; alias: string }>>(client, `${book.at}/accounts`);
    for (const { id, alias } of accounts.items) {
      const path = `${book.at}/accounts/${id}/operations?limit=100`;
      const { items } = await got<List<unknown>>(client, path);
      const version = ends[alias as keyof typeof ends].split(' v')[1];
      expect(items, alias).to.have.length(Number(version));
    }
  });

  it('9.6 the dashboard of the window', async () => {
    const path = `${book.at}/dashboard/metrics?period=7d`;
    expect(await got<object>(client, path)).to.deep.include({
      total: 9,
      byStatus: { APPROVED: 8, CANCELED: 1 },
      volumeByAsset: [{ asset: 'BRL', amount: '2580.26', transactions: 8 }],
      reversalsByAsset: [{ asset: 'BRL', amount: '540.13', transactions: 3 }],
    });
  });

  it('9.7 pagination of nine transactions', async () => {
    const path = `${book.at}/transactions`;
    const page = async (query: string) => {
      const list = await got<List<Transaction>>(client, `${path}?limit=4&${query}`);
      return { ...list, items: list.items.map(({ id }) => names.get(id)) };
    };
    const first = await page('sort_order=asc');
    expect(first).to.have.all.keys('items', 'limit', 'next_cursor').and.to.include({ limit: 4 });
    expect(first.items).to.deep.equal(['tx-1', 'tx-2', 'tx-3', 'tx-4']);
    const next = encodeURIComponent(first.next_cursor ?? '');
    const second = await page(`cursor=${next}`);
    expect(second).to.have.all.keys('items', 'limit', 'next_cursor', 'prev_cursor');
    expect(second.items).to.deep.equal(['tx-5', 'tx-6', 'tx-7', 'tx-8']);
    const third = await page(`cursor=${encodeURIComponent(second.next_cursor ?? '')}`);
    expect(third).to.have.all.keys('items', 'limit', 'prev_cursor');
    expect(third.items).to.deep.equal(['tx-9']);
    const turned = await client.get(`${path}?limit=4&sort_order=desc&cursor=${next}`);
    expectProblem(turned, 400, 'LDG-0082', { entityType: null });
  });

  it('9.7 pagination of ledgers', async () => {
    const ledgers = `/v1/organizations/${book.org}/ledgers`;
    const second = await createLedger(client, book.org);
    expect(await got(client, `${ledgers}?page=2&limit=1`)).to.deep.equal({
      items: [second],
      page: 2,
      limit: 1,
    });
    const before = await client.get(`${ledgers}?page=-1`);
    expectProblem(before, 400, 'LDG-0082', { locations: ['query.page'] });
    const above = await client.get(`${ledgers}?limit=101`);
    expectProblem(above, 400, 'LDG-0080', { locations: ['query.limit'] });
  });

  it('add up to nothing in the end', async () => {
    await createAccount(client, book.at, { alias: '@late' });
    const { items } = await got<List<{ available: string; direction: string }>>(
      client,
      `${book.at}/balances`,
    );
    const hundredths = (text: string): bigint => {
      const [whole = '', fraction = ''] = text.split('.');
      return BigInt(whole + fraction.padEnd(2, '0'));
    };
    const total = items.reduce(
      (sum, { available, direction }) =>
        direction === 'debit' ? sum - hundredths(available) : sum + hundredths(available),
      0n,
    );
    expect(total).to.equal(0n);
  });
});

const letterOf = (alias: string): string =>
  alias.startsWith('@external/') ? 'x' : alias.charAt(1);
