import { expect } from 'chai';
import { audit } from '#src/bootstrap/audit.ts';
import { createLogVerifier } from '#src/verify/log.ts';
import { describeDifference } from '#src/verify/difference.ts';
import type { StoredText } from '#src/verify/journal.ts';
import { clientOf } from '#test/support/client.ts';
import { sharedServer } from '#test/support/server.ts';
import {
  exactly,
  got,
  made,
  openBook,
  posted,
  sending,
  type Account,
  type Balance,
  type Book,
  type List,
  type Operation,
  type Transaction,
} from './books.ts';
import { expectProblem } from './problems.ts';
import { both, createOperationRoute, createTransactionRoute, credit, debit } from './routes.ts';
import { inScope } from './v2-request.ts';

describe('route validation', () => {
  const client = clientOf(sharedServer());
  after(() => client.close());

  let book: Book;
  let org = '';
  let legs: (value: string, more?: Record<string, unknown>) => object;
  let routeId = '';
  let sourceRoute = '';
  let destinationRoute = '';
  before(async () => {
    book = await openBook(client, {
      accounts: ['@alice', '@bob'],
      funds: { '@dave': '210.07', '@poor': '30' },
    });
    org = `/v2/organizations/${book.org}`;
    const hold = { direct: debit, hold: both, commit: debit, cancel: both, overdraft: both };
    const source = await createOperationRoute(client, book.at, 'source', {
      accountingEntries: hold,
    });
    const destination = await createOperationRoute(client, org, 'destination', {
      accountingEntries: { direct: credit, commit: credit },
    });
    [sourceRoute, destinationRoute] = [source.id, destination.id];
    routeId = (await createTransactionRoute(client, book.at, [source, destination])).id;
    legs = (value, { from = '@dave', to = '@alice', ...more }: Record<string, unknown> = {}) => ({
      routeId,
      ...sending(
        value,
        [{ ...exactly(String(from), value), routeId: sourceRoute }],
        [{ ...exactly(String(to), value), routeId: destinationRoute }],
      ),
      ...more,
    });
    const path = `${book.at}/accounts/alias/@poor/balances`;
    const [poor] = (await got<List<Balance>>(client, path)).items;
    const overdraft = { settings: { allowOverdraft: true } };
    expect((await client.patch(`${book.at}/balances/${poor!.id}`, overdraft)).status).to.equal(200);
    const settings = { accounting: { validateRoutes: true } };
    expect((await client.patch(`${book.at}/settings`, settings)).status).to.equal(200);
  });

  const rows = ({ operations }: Transaction): string[] =>
    operations.map(
      ({ type, direction, accountAlias, amount, balance: b, balanceAfter: a }) =>
        `${type} ${direction} ${accountAlias} ${amount.value} ` +
        `${b.available}/${b.onHold} v${b.version} → ${a.available}/${a.onHold} v${a.version}`,
    );
  const step = (id: string, verb: string) =>
    made<Transaction>(client, `${book.at}/transactions/${id}/${verb}`, {});

  it('books a hold and its commit apart, as in the worked example', async () => {
    const held = await posted(client, book.at, legs('200', { pending: true }));
    expect(rows(held)).to.deep.equal([
      'DEBIT debit @dave 200 210.07/0 v1 → 10.07/0 v2',
      'ON_HOLD credit @dave 200 10.07/0 v2 → 10.07/200 v3',
    ]);
    const committed = await step(held.id, 'commit');
    expect(rows(committed)).to.deep.equal([
      'CREDIT credit @alice 200 0/0 v0 → 200/0 v1',
      'ON_HOLD debit @dave 200 10.07/200 v3 → 10.07/0 v4',
    ]);
    const { operations } = await got<Transaction>(client, `${book.at}/transactions/${held.id}`);
    expect(operations.map(({ routeId: by, routeCode }) => [by, routeCode])).to.deep.equal([
      [sourceRoute, 'D'],
      [sourceRoute, 'C'],
      [destinationRoute, 'C'],
      [sourceRoute, 'D'],
    ]);
    expectProblem(
      await client.post(`${book.at}/transactions/${held.id}/revert`, {}),
      422,
      'LDG-0150',
    );
  });

  it('lets operations be found by what their route calls them', async () => {
    const dave = await got<Account>(client, `${book.at}/accounts/alias/@dave`);
    const found = async (query: string) => {
      const path = `${book.at}/accounts/${dave.id}/operations?${query}`;
      const { items } = await got<List<Operation>>(client, path);
      return items.map(({ type, routeCode }) => [type, routeCode].join(' '));
    };
    const id = `route_id=${sourceRoute}`;
    expect(await found(id)).to.deep.equal(['DEBIT D', 'ON_HOLD C', 'ON_HOLD D']);
    expect(await found('route_code=D')).to.deep.equal(['DEBIT D', 'ON_HOLD D']);
    expect(await found(`route_code=C&${id}`)).to.deep.equal(['ON_HOLD C']);
    expect(await found('route_code=d')).to.deep.equal([]);
  });

  it('books a cancellation apart', async () => {
    const held = await posted(
      client,
      book.at,
      legs('79.96', { from: '@alice', pending: true, to: '@bob' }),
    );
    expect(rows(await step(held.id, 'cancel'))).to.deep.equal([
      'RELEASE debit @alice 79.96 120.04/79.96 v3 → 120.04/0 v4',
      'CREDIT credit @alice 79.96 120.04/0 v4 → 200/0 v5',
    ]);
  });

  it('books what overdraft takes over, held and given back in one', async () => {
    const asked = (value: string) => legs(value, { from: '@poor', to: '@bob', pending: true });
    const first = await posted(client, book.at, asked('100'));
    expect(rows(first)).to.deep.equal([
      'DEBIT debit @poor 30 30/0 v1 → 0/0 v2',
      'ON_HOLD debit @poor 70 0/0 v0 → 70/70 v1',
      'ON_HOLD credit @poor 30 0/0 v2 → 0/30 v3',
    ]);
    expect(first.operations[1]).to.include({ balanceKey: 'overdraft', routeCode: 'D' });
    const second = await posted(client, book.at, asked('5'));
    expect(rows(second)).to.deep.equal([
      'DEBIT debit @poor 0 0/30 v3 → 0/30 v4',
      'ON_HOLD debit @poor 5 70/70 v1 → 75/75 v2',
    ]);
    expect(rows(await step(second.id, 'commit'))).to.deep.equal([
      'CREDIT credit @bob 5 0/0 v0 → 5/0 v1',
      'ON_HOLD debit @poor 0 0/30 v4 → 0/30 v5',
      'ON_HOLD debit @poor 5 75/75 v2 → 75/70 v3',
    ]);
    await posted(client, book.at, legs('20', { from: '@alice', to: '@poor' })); // Repays some of it.
    expect(rows(await step(first.id, 'cancel'))).to.deep.equal([
      'RELEASE debit @poor 30 0/30 v6 → 0/0 v7',
      'RELEASE debit @poor 70 55/70 v4 → 55/0 v5',
      'CREDIT credit @poor 45 0/0 v7 → 45/0 v8',
      'CREDIT credit @poor 55 55/0 v5 → 0/0 v6',
    ]);
  });

  it('is for the forms of version 2 as well', async () => {
    const { leg } = inScope({ organizationId: book.org, ledgerId: book.ledger });
    const body = {
      asset: 'BRL',
      amount: '1',
      routeId,
      debits: [leg('@dave', '1', { operationRouteId: sourceRoute })],
      credits: [leg('@bob', '1', { operationRouteId: destinationRoute })],
    };
    const direct = await made<Transaction>(client, '/v2/transactions/direct', body);
    expect(direct.operations.map(({ routeDescription }) => routeDescription)).to.deep.equal([
      'Credited',
      'Debited',
    ]);
    const swapped = { ...body, debits: body.credits, credits: body.debits };
    expectProblem(await client.post('/v2/transactions/direct', swapped), 422, 'LDG-0117');
  });

  it('takes what comes from outside, or goes there, by the route for that side', async () => {
    const to = [{ ...exactly('@alice', '7'), routeId: destinationRoute }];
    const from = [{ ...exactly('@dave', '7'), routeId: sourceRoute }];
    const forms = [
      ['inflow', { distribute: { to } }],
      ['outflow', { source: { from } }],
    ] as const;
    for (const [form, side] of forms) {
      const body = { routeId, send: { asset: 'BRL', value: '7', ...side } };
      const path = `${book.at}/transactions/${form}`;
      const { operations } = await made<Transaction>(client, path, body);
      expect(operations.map((one) => one.routeId)).to.have.members([sourceRoute, destinationRoute]);
    }
  });

  it('leaves a journal that auditors find sound', async () => {
    const verifier = createLogVerifier(audit);
    const { text } = await client.get(`${book.at}/journal`);
    for (const line of text.trimEnd().split('\n')) {
      const event = JSON.parse(line) as StoredText & Readonly<{ data: object; metadata: object }>;
      const found = verifier.take(undefined, {
        ...event,
        data: JSON.stringify(event.data),
        metadata: JSON.stringify(event.metadata),
      });
      expect(found && describeDifference(found)).to.equal(undefined);
    }
    expect(text).to.contain(`"relies":[{"journal":"organization-${book.org}"`);
  });
});
