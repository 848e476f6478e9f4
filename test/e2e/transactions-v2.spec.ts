import { expect } from 'chai';
import { clientOf, type Answer } from '#test/support/client.ts';
import { eventCount, sharedServer } from '#test/support/server.ts';
import {
  createLedger,
  got,
  made,
  NOBODY,
  openBook,
  rowOf,
  standing,
  type Book,
  type Transaction,
} from './books.ts';
import { expectProblem } from './problems.ts';
import { inScope } from './v2-request.ts';

/** Contract ledger §5.4: transactions whose legs say in which ledger they are. */
describe('transactions of version 2', () => {
  const server = sharedServer();
  const client = clientOf(server);
  after(() => client.close());

  let book: Book;
  let to: ReturnType<typeof inScope>;
  beforeEach(async () => {
    book = await openBook(client, { accounts: ['@bob', '@carol'], funds: { '@alice': '500' } });
    to = inScope({ organizationId: book.org, ledgerId: book.ledger });
  });

  const send = (kind: string, body: unknown, headers = {}): Promise<Answer> =>
    client.post(`/v2/transactions/${kind}`, body, headers);
  const made2 = (kind: string, body: unknown): Promise<Transaction> =>
    made(client, `/v2/transactions/${kind}`, body);
  const MEMBERS =
    'id organizationId ledgerId description status amount assetCode debit credit feesSkipped ' +
    'tracerSkipped createdAt updatedAt deletedAt operations';

  it('settle at once when they are direct', async () => {
    const transaction = await made2('direct', to.direct('@alice', '@bob', '100.10'));
    expect(transaction).to.have.all.keys(MEMBERS.split(' '));
    expect(transaction).to.deep.include({
      organizationId: book.org,
      ledgerId: book.ledger,
      status: { code: 'CREATED', description: 'CREATED' },
      amount: '100.1',
      debit: ['@alice'],
      credit: ['@bob'],
    });
    expect(transaction.operations.map(rowOf)).to.deep.equal([
      'DEBIT debit @alice 100.1 500/0 v1 → 399.9/0 v2',
      'CREDIT credit @bob 100.1 0/0 v0 → 100.1/0 v1',
    ]);
    for (const operation of transaction.operations) {
      expect(operation).not.to.have.any.keys('route', 'chartOfAccounts');
    }
  });

  it('keep what they say, and a leg’s own words before the whole one’s', async () => {
    const routes = [NOBODY.replace(/0$/, '1'), NOBODY.replace(/0$/, '2')];
    const transaction = await made2('direct', {
      ...to.direct('@alice', '@bob', '10'),
      debits: [to.leg('@alice', '10', { description: 'Own', operationRouteId: routes[0] })],
      credits: [to.leg('@bob', '10', { balanceKey: 'DEFAULT' })],
      ...{ description: 'Dinner', code: 'd-1', scheme: 'PIX', metadata: { table: 7 } },
      ...{ routeId: NOBODY, operationRouteId: routes[1] },
    });
    expect(transaction).to.deep.include({
      description: 'Dinner',
      scheme: 'PIX',
      metadata: { table: 7 },
      routeId: NOBODY,
    });
    expect(transaction).not.to.have.property('code');
    const words = transaction.operations.map(({ description, routeId }) => [description, routeId]);
    expect(words).to.deep.equal([
      ['Own', routes[0]],
      ['Dinner', routes[1]],
    ]);
    const path = `/v2/organizations/${book.org}/ledgers/${book.ledger}/transactions/${transaction.id}`;
    const status = { code: 'APPROVED', description: 'APPROVED' };
    expect(await got(client, path)).to.deep.equal({ ...transaction, status });
  });

  it('share a value out exactly', async () => {
    const { operations } = await made2('direct', {
      ...to.direct('@alice', '@bob', '300.10'),
      debits: [to.part('@alice', 100)],
      credits: [to.part('@bob', 50, 50), to.leg('@carol', '225.075')],
    });
    const amounts = operations.map(({ accountAlias, amount }) => `${accountAlias} ${amount.value}`);
    expect(amounts).to.deep.equal(['@alice 300.1', '@bob 75.025', '@carol 225.075']);
  });

  it('take a number as exactly as a text', async () => {
    const body = JSON.stringify(to.direct('@alice', '@bob', '0.1')).replaceAll('"0.1"', '0.10');
    const { amount } = (await send('direct', body)).json() as Transaction;
    expect(amount).to.equal('0.1');
  });

  it('hold funds until they are committed or cancelled, in either version', async () => {
    const v2 = book.at.replace('/v1/', '/v2/');
    const one = await made2('hold', to.direct('@alice', '@bob', '10'));
    const other = await made2('hold', to.direct('@alice', '@bob', '20'));
    expect([one.status.code, other.status.code]).to.deep.equal(['PENDING', 'PENDING']);
    expect(one.operations.map(rowOf)).to.deep.equal([
      'ON_HOLD debit @alice 10 500/0 v1 → 490/10 v2',
    ]);
    const committed = await made<Transaction>(client, `${v2}/transactions/${one.id}/commit`, {});
    expect(committed).to.deep.include({ debit: ['@alice'], credit: ['@bob'] });
    expect(committed.status.code).to.equal('APPROVED');
    await made(client, `${book.at}/transactions/${other.id}/cancel`, {});
    expect(await standing(client, book.at, '@alice')).to.equal('490/0 v5');
    expect(await standing(client, book.at, '@bob')).to.equal('10/0 v1');
  });

  it('set funds aside and give them back', async () => {
    const aside = await made2('block', to.direct('@alice', '@carol', '50'));
    const back = await made2('unblock', to.direct('@carol', '@alice', '20'));
    const types = [aside, back].map(({ operations }) => operations.map(({ type }) => type));
    expect(types).to.deep.equal([
      ['BLOCK', 'BLOCK'],
      ['UNBLOCK', 'UNBLOCK'],
    ]);
    expect(await standing(client, book.at, '@alice')).to.equal('470/0 v3');
  });

  describe('that are refused', () => {
    const refused: readonly [
      what: string,
      change: (body: ReturnType<typeof to.direct>) => object,
      status: number,
      code: string,
      locations: readonly string[],
    ][] = [
      [
        'an alias with a key',
        () => ({ debits: [to.leg('@alice#default', '1')] }),
        400,
        'LDG-0096',
        ['debits[0].alias'],
      ],
      [
        'a leg with neither, and one with both',
        () => ({
          debits: [to.leg('@alice')],
          credits: [{ ...to.part('@bob', 100), amount: '1' }],
        }),
        400,
        'LDG-0072',
        ['debits[0]', 'credits[0]'],
      ],
      [
        'a remaining leg',
        () => ({ debits: [to.leg('@alice', undefined, { remaining: 'remaining' })] }),
        400,
        'LDG-0053',
        ['debits[0].remaining'],
      ],
      [
        'a leg that says not where it is',
        () => ({ debits: [{ alias: '@alice', amount: '1' }] }),
        400,
        'LDG-0009',
        ['debits[0].organizationId', 'debits[0].ledgerId'],
      ],
      ['a side without legs', () => ({ credits: [] }), 400, 'LDG-0009', ['credits']],
      [
        'more than 500 legs on a side',
        () => ({ credits: Array.from({ length: 501 }, () => to.leg('@bob', '1')) }),
        400,
        'LDG-0047',
        ['credits'],
      ],
      ['an unheard-of scheme', () => ({ scheme: 'BOAT' }), 400, 'LDG-0047', ['scheme']],
      ['no value', () => ({ amount: '0' }), 422, 'LDG-0125', ['amount']],
      [
        'a leg of nothing',
        () => ({ credits: [to.leg('@bob', '1'), to.leg('@carol', '-1')] }),
        422,
        'LDG-0125',
        ['credits[1].amount'],
      ],
      ['sides that differ', () => ({ amount: '2' }), 422, 'LDG-0073', []],
      [
        'an account on both sides',
        (body) => ({ credits: body.debits }),
        422,
        'LDG-0090',
        ['credits[0]'],
      ],
      [
        'an account that is not there',
        () => ({ debits: [to.leg('@nobody', '1')] }),
        422,
        'LDG-0019',
        ['debits[0].alias'],
      ],
      [
        'another asset',
        () => ({ asset: 'USD' }),
        404,
        'LDG-0034',
        ['debits[0].alias', 'credits[0].alias'],
      ],
      [
        'a skip that the ledger does not allow',
        () => ({ skip: { fees: true } }),
        422,
        'LDG-0490',
        ['skip.fees'],
      ],
      ['a member of version 1', () => ({ pending: true }), 400, 'LDG-0053', ['pending']],
      [
        'a key that fees write',
        () => ({ metadata: { feeApplied: 'true' } }),
        400,
        'LDG-0047',
        ['metadata.feeApplied'],
      ],
    ];
    for (const [what, change, status, code, locations] of refused) {
      it(`answer ${what} with ${code} where it was written`, async () => {
        const body = to.direct('@alice', '@bob', '1');
        const before = await eventCount(server());
        const answer = await send('direct', { ...body, ...change(body) });
        expectProblem(answer, status, code, { locations });
        expect(await eventCount(server())).to.equal(before);
      });
    }

    it('say which leg is in another ledger where one is needed', async () => {
      const other = await createLedger(client, book.org);
      const there = inScope({ organizationId: book.org, ledgerId: other.id });
      const body = { ...to.direct('@alice', '@bob', '1'), credits: [there.leg('@bob', '1')] };
      for (const kind of ['block', 'unblock']) {
        const answer = await send(kind, body);
        expectProblem(answer, 422, 'LDG-0499', { locations: ['credits[0]'] });
      }
      for (const kind of ['direct', 'hold']) expectProblem(await send(kind, body), 422, 'LDG-0249');
    });

    it('take no exception from a block on a hold', async () => {
      const body = to.direct('@alice', '@bob', '1', { accountBlockExceptionId: NOBODY });
      const locations = ['accountBlockExceptionId'];
      expectProblem(await send('hold', body), 400, 'LDG-0509', { locations });
      expectProblem(await send('block', body), 400, 'LDG-0053', { locations });
    });
  });

  describe('under a key', () => {
    it('are answered again with the same bytes', async () => {
      const key = { 'X-Idempotency': 'k' };
      const body = to.direct('@alice', '@bob', '1');
      const [first, second] = [await send('direct', body, key), await send('direct', body, key)];
      expect([first.status, second.status]).to.deep.equal([201, 201]);
      expect(second.text).to.equal(first.text);
      const replays = [first, second].map(({ headers }) => headers['x-idempotency-replayed']);
      expect(replays).to.deep.equal(['false', 'true']);
      expectProblem(await send('hold', body, key), 409, 'LDG-0084');
    });

    it('share it with all of the ledger of their first leg, and with no other', async () => {
      const key = { 'X-Idempotency': 'k' };
      const other = await openBook(client, { accounts: ['@bob'], funds: { '@alice': '5' } });
      const there = inScope({ organizationId: other.org, ledgerId: other.ledger });
      expect((await send('direct', to.direct('@alice', '@bob', '1'), key)).status).to.equal(201);
      expect((await send('direct', there.direct('@alice', '@bob', '1'), key)).status).to.equal(201);
      const form1 = {
        send: {
          asset: 'BRL',
          value: '1',
          source: { from: [{ accountAlias: '@alice', amount: { asset: 'BRL', value: '1' } }] },
          distribute: { to: [{ accountAlias: '@bob', amount: { asset: 'BRL', value: '1' } }] },
        },
      };
      const answer = await client.post(`${book.at}/transactions/json`, form1, key);
      expectProblem(answer, 409, 'LDG-0084');
    });
  });
});
