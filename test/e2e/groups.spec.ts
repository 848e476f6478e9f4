import { expect } from 'chai';
import { clientOf, type Answer } from '#test/support/client.ts';
import { eventCount, sharedServer } from '#test/support/server.ts';
import {
  createOrganization,
  got,
  made,
  posted,
  rowOf,
  standing,
  transfer,
  UUID_V7,
  type List,
  type Transaction,
} from './books.ts';
import { expectProblem } from './problems.ts';
import { inScope, type Scope } from './v2-request.ts';
import { openGroupLedger, type Group } from './staged-groups.ts';

type Place = Scope & Readonly<{ at: string }>;

/** Contract ledger §5.4: transactions whose legs are in several ledgers. */
describe('transactions over several ledgers', () => {
  const server = sharedServer();
  const client = clientOf(server);
  after(() => client.close());

  let retail: Place;
  let shops: Place;
  let abroad: Place;
  before(async () => {
    const org = (await createOrganization(client)).id;
    const other = (await createOrganization(client, { legalName: 'Abroad' })).id;
    retail = await openGroupLedger(client, org, 'Retail', ['@alice', '@bob']);
    shops = await openGroupLedger(client, org, 'Shops', ['@carol', '@dora']);
    abroad = await openGroupLedger(client, other, 'Abroad', ['@erin']);
  });

  const leg = (place: Place, alias: string, amount: string) => inScope(place).leg(alias, amount);
  const payment = (amount: string, to: Place = shops, alias = '@carol', more: object = {}) => ({
    asset: 'BRL',
    amount,
    debits: [leg(retail, '@alice', amount)],
    credits: [leg(to, alias, amount)],
    ...more,
  });
  const send = (kind: string, body: unknown, headers = {}): Promise<Answer> =>
    client.post(`/v2/transactions/${kind}`, body, headers);
  const group = (kind: string, body: unknown): Promise<Group> =>
    made<Group>(client, `/v2/transactions/${kind}`, body);
  const v2 = ({ at }: Place): string => at.replace('/v1/', '/v2/');
  const step = (what: string, place: Place, id: string): Promise<Answer> =>
    client.post(`${v2(place)}/transactions/${id}/${what}`);
  const done = async (what: string, place: Place, id: string): Promise<Group> => {
    const answer = await step(what, place, id);
    expect(answer.status, answer.text).to.equal(201);
    return answer.json() as Group;
  };
  const memberIn = ({ transactions }: Group, { ledgerId }: Place): string =>
    transactions.find((one) => one.ledgerId === ledgerId)?.id ?? '';
  /** Without its version, which counts. */
  const balance = async ({ at }: Place, alias: string): Promise<string> =>
    (await standing(client, at, alias)).replace(/ v\d+$/, '');
  const rows = (transaction: unknown): string[] =>
    (transaction as Transaction).operations.map(rowOf);

  it('are answered as one member a ledger, each balanced by the world outside', async () => {
    const words = { description: 'Dinner', scheme: 'PIX', metadata: { table: 7 } };
    const { groupId, transactions, ...more } = await group(
      'direct',
      payment('10.50', abroad, '@erin', words),
    );
    expect(more).to.deep.equal({});
    expect(groupId).to.match(UUID_V7);
    expect(transactions.map(({ order }) => order)).to.deep.equal([1, 2]);
    const common = { groupId, amount: '10.5', assetCode: 'BRL', ...words };
    expect(transactions[0]).to.deep.include({
      ...common,
      ledgerId: retail.ledgerId,
      status: { code: 'CREATED', description: 'CREATED' },
      debit: ['@alice'],
      credit: ['@external/BRL'],
    });
    expect(transactions[1]).to.deep.include({
      ...common,
      organizationId: abroad.organizationId,
      debit: ['@external/BRL'],
      credit: ['@erin'],
    });
    expect(rows(transactions[0])).to.deep.equal([
      'ON_HOLD debit @alice 10.5 100/0 v1 → 89.5/10.5 v2',
      'DEBIT debit @alice 10.5 89.5/10.5 v2 → 89.5/0 v3',
      'CREDIT credit @external/BRL 10.5 200/0 v2 → 189.5/0 v3',
    ]);
    expect(rows(transactions[1])).to.deep.equal([
      'CREDIT credit @erin 10.5 100/0 v1 → 110.5/0 v2',
      'DEBIT debit @external/BRL 10.5 100/0 v1 → 110.5/0 v2',
    ]);
  });

  it('are read, member by member, in both versions, and found by their group', async () => {
    const { groupId, transactions } = await group('direct', payment('1'));
    for (const [n, place] of [retail, shops].entries()) {
      const { id } = transactions[n]!;
      for (const at of [place.at, v2(place)]) {
        const read = await got<Transaction>(client, `${at}/transactions/${id}`);
        expect(read).to.deep.include({
          id,
          groupId,
          status: { code: 'APPROVED', description: 'APPROVED' },
        });
        const list = `${at}/transactions?groupId=${groupId.toUpperCase()}`;
        expect(await got<List<Transaction>>(client, list)).to.deep.equal({
          items: [read],
          limit: 10,
        });
        for (const filter of ['metadata.k=v', 'start_date=2020-01-01&end_date=2020-01-02']) {
          expect((await got<List<Transaction>>(client, `${list}&${filter}`)).items).to.deep.equal(
            [],
          );
        }
      }
    }
    const none = await got<List<Transaction>>(
      client,
      `${abroad.at}/transactions?groupId=${groupId}`,
    );
    expect(none.items).to.deep.equal([]);
    const operations = `${retail.at}/accounts/${groupId}/operations`;
    expect((await got<List<unknown>>(client, operations)).items).to.deep.equal([]);
  });

  it('are found where the journals of their ledgers are of one length', async () => {
    const twins = [];
    for (const name of ['Twin', 'Other twin']) {
      const { organizationId } = retail;
      twins.push(await openGroupLedger(client, organizationId, name, ['@alice']));
    }
    const debits = twins.map((place) => leg(place, '@alice', '1'));
    const { groupId, transactions } = await group('hold', {
      asset: 'BRL',
      amount: '2',
      debits,
      credits: [leg(shops, '@carol', '2')],
    });
    for (const [n, { at }] of twins.entries()) {
      const list = `${at}/transactions?groupId=${groupId}`;
      const { items } = await got<List<Transaction>>(client, list);
      expect(items.map(({ id }) => id)).to.deep.equal([transactions[n]?.id]);
    }
  });

  it('bridge the net of a ledger that gives and receives, in shares as well', async () => {
    const share = (place: Place, alias: string, percentage: number) => ({
      ...inScope(place).leg(alias),
      share: { percentage },
    });
    const { transactions } = await group('direct', {
      asset: 'BRL',
      amount: '3.33',
      debits: [share(retail, '@bob', 30), share(shops, '@dora', 70)],
      credits: [share(retail, '@alice', 50), share(shops, '@carol', 50)],
    });
    expect(rows(transactions[0])[0]).to.equal(
      'ON_HOLD debit @bob 0.999 100/0 v1 → 99.001/0.999 v2',
    );
    const bridge = (n: number) => rows(transactions[n]).find((row) => row.includes('@external'));
    expect(bridge(0)).to.match(/^DEBIT debit @external\/BRL 0\.666 /);
    expect(bridge(1)).to.match(/^CREDIT credit @external\/BRL 0\.666 /);
  });

  it('are held where they give, committed through any member, and appear where they receive', async () => {
    const held = await group('hold', payment('5'));
    expect(held.transactions).to.have.lengthOf(1);
    expect(held.transactions[0]).to.deep.include({
      status: { code: 'PENDING', description: 'PENDING' },
    });
    const list = `${shops.at}/transactions?groupId=${held.groupId}`;
    expect((await got<List<unknown>>(client, list)).items).to.deep.equal([]);
    const before = await balance(shops, '@carol');

    const committed = await done('commit', retail, memberIn(held, retail));
    expect(committed.groupId).to.equal(held.groupId);
    expect(committed.transactions.map(({ order, status }) => [order, status])).to.deep.equal(
      [1, 2].map((order) => [order, { code: 'APPROVED', description: 'APPROVED' }]),
    );
    expect(rows(committed.transactions[0]).map((row) => row.split(' ')[0])).to.deep.equal([
      'DEBIT',
      'CREDIT',
    ]);
    expect(await balance(shops, '@carol')).not.to.equal(before);
    for (const what of ['commit', 'cancel']) {
      for (const place of [retail, shops]) {
        expectProblem(await step(what, place, memberIn(committed, place)), 422, 'LDG-0254');
      }
    }

    const reverted = await done('revert', shops, memberIn(committed, shops));
    expect(reverted).to.include({ revertedGroupId: held.groupId });
    expect(reverted.transactions.map((one) => one['parentTransactionId'])).to.deep.equal(
      committed.transactions.map(({ id }) => id),
    );
    expect(await balance(shops, '@carol')).to.equal(before);
    expectProblem(await step('revert', retail, memberIn(committed, retail)), 422, 'LDG-0254');
    expectProblem(await step('revert', retail, memberIn(reverted, retail)), 409, 'LDG-0088');
  });

  it('give back what they hold', async () => {
    const before = await balance(retail, '@alice');
    const held = await group('hold', payment('7'));
    const canceled = await done('cancel', retail, memberIn(held, retail));
    expect(canceled.transactions).to.have.lengthOf(1);
    expect(canceled.transactions[0]).to.deep.include({
      status: { code: 'CANCELED', description: 'CANCELED' },
    });
    expect(rows(canceled.transactions[0]).map((row) => row.split(' ')[0])).to.deep.equal([
      'RELEASE',
    ]);
    expect(await balance(retail, '@alice')).to.equal(before);
  });

  it('are no concern of version 1, which shows their members', async () => {
    const held = await group('hold', payment('2'));
    for (const what of ['commit', 'cancel', 'revert']) {
      const path = `${retail.at}/transactions/${memberIn(held, retail)}/${what}`;
      expectProblem(await client.post(path), 422, 'LDG-0252');
    }
    await done('cancel', retail, memberIn(held, retail));
  });

  it('say where a leg is wrong, and leave nothing', async () => {
    const before = await eventCount(server());
    const refused = expectProblem(
      await send('direct', payment('1', shops, '@nobody')),
      422,
      'LDG-0019',
    );
    expect(refused.errors).to.deep.include({
      location: 'credits[0].alias',
      message: 'names no balance of the ledger',
      value: '@nobody',
    });
    expectProblem(await send('direct', payment('5000')), 422, 'LDG-0018');
    const outside = { ...payment('1'), debits: [leg(retail, '@external/BRL', '1')] };
    expectProblem(await send('hold', outside), 422, 'LDG-0090');
    const nowhere = { ...shops, ledgerId: shops.organizationId };
    expectProblem(await send('direct', payment('1', nowhere)), 404, 'LDG-0037');
    const nobody = { ...shops, organizationId: shops.ledgerId };
    expectProblem(await send('direct', payment('1', nobody)), 404, 'LDG-0038');
    expect(await eventCount(server())).to.equal(before);
  });

  it('pass a block by an exception of one of their ledgers, once', async () => {
    const at = v2(shops);
    const { id } = await got<{ id: string }>(client, `${shops.at}/accounts/alias/@dora`);
    expect((await client.post(`${at}/accounts/${id}/block`)).status).to.equal(200);
    const exceptions = [{ accountAlias: '@dora', amount: '2' }];
    const path = `${at}/accounts/block-exceptions`;
    const granted = await made<{ exceptions: readonly { accountBlockExceptionId: string }[] }>(
      client,
      path,
      { exceptions },
    );
    const { accountBlockExceptionId } = granted.exceptions[0]!;
    const back = {
      asset: 'BRL',
      amount: '3',
      debits: [leg(retail, '@bob', '1'), leg(shops, '@dora', '2')],
      credits: [leg(retail, '@alice', '3')],
    };
    expectProblem(await send('direct', back), 422, 'LDG-0502');
    const body = { ...back, accountBlockExceptionId };
    expectProblem(await send('hold', body), 400, 'LDG-0509');
    const { transactions } = await group('direct', body);
    expect(rows(transactions[1])[0]).to.match(/^ON_HOLD debit @dora 2 /);
    expectProblem(await send('direct', body), 422, 'LDG-0508');
    expect((await client.post(`${at}/accounts/${id}/unblock`)).status).to.equal(200);
  });

  it('happen once under a key, which is that of the ledger of the first leg', async () => {
    const headers = { 'X-Idempotency': 'dinner' };
    const before = await balance(retail, '@alice');
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => send('direct', payment('3'), headers)),
    );
    const texts = new Set(answers.map(({ status, text }) => `${status} ${text}`));
    expect([...texts]).to.have.lengthOf(1);
    const after = await balance(retail, '@alice');
    expect(after).not.to.equal(before);
    const again = await send('direct', payment('3'), headers);
    expect(again.text).to.equal(answers[0]?.text);
    expect(again.headers['x-idempotency-replayed']).to.equal('true');
    expect(await balance(retail, '@alice')).to.equal(after);

    expectProblem(await send('direct', payment('4'), headers), 409, 'LDG-0084');
    const json = await client.post(
      `${retail.at}/transactions/json`,
      transfer('@alice', '@bob', '1'),
      headers,
    );
    expectProblem(json, 409, 'LDG-0084');
    await posted(client, shops.at, transfer('@carol', '@dora', '1'), headers);
  });

  it('are held under a key as they were, also when they are committed since', async () => {
    const headers = { 'X-Idempotency': 'later' };
    const first = await send('hold', payment('2'), headers);
    const held = first.json() as Group;
    await done('commit', retail, memberIn(held, retail));
    const again = await send('hold', payment('2'), headers);
    expect([again.status, again.text]).to.deep.equal([201, first.text]);
  });
});
