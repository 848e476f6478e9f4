import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { sharedServer } from '#test/support/server.ts';
import {
  createAccount,
  got,
  made,
  openBook,
  posted,
  transfer,
  type Account,
  type Balance,
  type Book,
  type List,
  type Operation,
  type Transaction,
} from './books.ts';
import { expectProblem } from './problems.ts';

describe('overdraft', () => {
  const client = clientOf(sharedServer());
  after(() => client.close());

  let book: Book;
  let alice: Account;
  beforeEach(async () => {
    book = await openBook(client, { funds: { '@bob': '1000' } });
    alice = await createAccount(client, book.at, { alias: '@alice' });
    await posted(client, book.at, transfer('@external/BRL', '@alice', '30'));
  });

  const balances = async () =>
    (await got<List<Balance>>(client, `${book.at}/accounts/${alice.id}/balances`)).items;
  const byKey = async (key: string): Promise<Balance> =>
    (await balances()).find((balance) => balance.key === key)!;
  const patch = async (changes: object) =>
    client.patch(`${book.at}/balances/${(await byKey('default')).id}`, changes);
  const allow = async (limit?: string): Promise<Balance> => {
    const limited = limit === undefined ? {} : { overdraftLimitEnabled: true };
    const answer = await patch({
      settings: {
        allowOverdraft: true,
        ...limited,
        ...(limit !== undefined && { overdraftLimit: limit }),
      },
    });
    expect(answer.status, answer.text).to.equal(200);
    return answer.json() as Balance;
  };
  const pay = (value: string, more: object = {}) =>
    posted(client, book.at, transfer('@alice', '@bob', value, 'BRL', more));
  const repay = (value: string) => posted(client, book.at, transfer('@bob', '@alice', value));
  const step = (id: string, verb: string) =>
    made<Transaction>(client, `${book.at}/transactions/${id}/${verb}`, undefined);

  const shown = (operations: readonly Operation[]): string[] =>
    operations
      .filter(({ accountAlias }) => accountAlias === '@alice')
      .map(
        ({ type, balanceKey, amount, balance, balanceAfter }) =>
          `${type} ${balanceKey} ${amount.value}: ` +
          `${balance.available} → ${balanceAfter.available}, owes ${balanceAfter.overdraftUsed}`,
      );
  const standings = async (): Promise<string[]> =>
    (await balances()).map(
      ({ key, available, onHold, overdraftUsed, version }) =>
        `${key} ${available}/${onHold} owes ${overdraftUsed} v${version}`,
    );

  it('is allowed by settings, which are shown complete, and opens the balance that shows it', async () => {
    const [before] = await balances();
    expect(before).to.not.have.property('settings');
    const balance = await allow();
    expect(balance).to.deep.include({
      id: before?.id,
      settings: {
        balanceScope: 'transactional',
        allowOverdraft: true,
        overdraftLimitEnabled: false,
      },
      position: { available: '30', onHold: '0' },
    });
    const companion = await byKey('overdraft');
    expect(companion).to.deep.include({
      accountId: alice.id,
      alias: '@alice',
      direction: 'debit',
      available: '0',
      version: 0,
      settings: { balanceScope: 'internal', allowOverdraft: false, overdraftLimitEnabled: false },
      position: { available: '0', onHold: '0', overdraftLimitAvailable: '0' },
    });
    const read = await got(client, `${book.at}/balances/${companion.id}`);
    expect(read).to.deep.equal(companion);
    const { items } = await got<List<Balance>>(client, `${book.at}/balances`);
    expect(items.map(({ key }) => key)).to.include('overdraft');
  });

  it('is drawn, repaid, and shown with what is left of its limit', async () => {
    await allow('70.50');
    expect(shown((await pay('100')).operations)).to.deep.equal([
      'DEBIT default 30: 30 → 0, owes 70',
      'OVERDRAFT overdraft 70: 0 → 70, owes 70',
    ]);
    expect(await byKey('default')).to.deep.include({
      available: '0',
      overdraftUsed: '70',
      position: { available: '0', onHold: '0', overdraftLimitAvailable: '0.5' },
    });
    expectProblem(
      await client.post(`${book.at}/transactions/json`, transfer('@alice', '@bob', '0.51')),
      422,
      'LDG-0167',
      { entityType: 'Transaction' },
    );
    const first = await repay('50');
    expect(shown(first.operations)).to.deep.equal([
      'CREDIT default 0: 0 → 0, owes 20',
      'OVERDRAFT overdraft 50: 70 → 20, owes 20',
    ]);
    expect([first.source, first.destination]).to.deep.equal([['@bob'], ['@alice']]);
    await repay('50');
    expect(await standings()).to.deep.equal(['default 30/0 owes 0 v4', 'overdraft 0/0 owes 0 v3']);
    const path = `${book.at}/accounts/${alice.id}/operations?type=overdraft`;
    const { items } = await got<List<Operation>>(client, path);
    expect(items.map(({ amount, direction }) => `${direction} ${amount.value}`)).to.deep.equal([
      'debit 70',
      'credit 50',
      'credit 20',
    ]);
  });

  it('is held with a pending transaction, and settled or given back with it', async () => {
    await allow();
    const first = await pay('100', { pending: true });
    expect(await standings()).to.deep.equal([
      'default 0/30 owes 70 v2',
      'overdraft 70/70 owes 70 v1',
    ]);
    const canceled = await step(first.id, 'cancel');
    expect(canceled.operations.map(({ type }) => type)).to.deep.equal(['RELEASE', 'RELEASE']);
    expect(await standings()).to.deep.equal(['default 30/0 owes 0 v3', 'overdraft 0/0 owes 0 v2']);
    const second = await pay('100', { pending: true });
    const committed = await step(second.id, 'commit');
    expect(shown(committed.operations)).to.deep.equal([
      'DEBIT default 30: 0 → 0, owes 70',
      'DEBIT overdraft 70: 70 → 70, owes 70',
    ]);
    const reversal = await step(second.id, 'revert');
    expect(shown(reversal.operations)).to.deep.equal([
      'CREDIT default 30: 0 → 30, owes 0',
      'OVERDRAFT overdraft 70: 70 → 0, owes 0',
    ]);
    const read = await got<Transaction>(client, `${book.at}/transactions/${second.id}`);
    expect(read.operations.map(({ type, balanceKey }) => `${type} ${balanceKey}`)).to.deep.equal([
      ...['ON_HOLD default', 'ON_HOLD overdraft'],
      ...['DEBIT default', 'DEBIT overdraft', 'CREDIT default'],
    ]);
  });

  it('cannot be limited below what is in use, nor ended', async () => {
    await allow();
    await pay('100');
    const limited = { overdraftLimitEnabled: true, overdraftLimit: '69.99' };
    const low = await patch({ settings: { allowOverdraft: true, ...limited } });
    expectProblem(low, 422, 'LDG-0173', { locations: ['settings.overdraftLimit'] });
    const off = await patch({ settings: { allowOverdraft: false } });
    expectProblem(off, 422, 'LDG-0173', { locations: ['settings.allowOverdraft'] });
    expectProblem(await patch({ settings: {} }), 422, 'LDG-0173');
    await allow('70');
    expect((await byKey('default')).position.overdraftLimitAvailable).to.equal('0');
    await repay('70');
    const ended = await patch({ settings: {} });
    expect((ended.json() as Balance).settings).to.deep.equal({
      balanceScope: 'transactional',
      allowOverdraft: false,
      overdraftLimitEnabled: false,
    });
    const broke = transfer('@alice', '@bob', '1');
    expectProblem(await client.post(`${book.at}/transactions/json`, broke), 422, 'LDG-0018');
  });

  it('is refused with settings that contradict themselves', async () => {
    const refused = async (settings: unknown, code: string, location: string) => {
      expectProblem(await patch({ settings }), 400, code, { locations: [location] });
    };
    const on = { allowOverdraft: true };
    const limit = 'settings.overdraftLimit';
    await refused({ ...on, overdraftLimitEnabled: true }, 'LDG-0172', limit);
    for (const overdraftLimit of ['0', 0, '-5']) {
      await refused({ ...on, overdraftLimitEnabled: true, overdraftLimit }, 'LDG-0172', limit);
    }
    await refused({ ...on, overdraftLimit: '5' }, 'LDG-0172', limit);
    for (const balanceScope of ['internal', 'other']) {
      await refused({ balanceScope }, 'LDG-0172', 'settings.balanceScope');
    }
    await refused({ ...on, overdraftLimitEnabled: true, overdraftLimit: '1,5' }, 'LDG-0094', limit);
    await refused({ allowOverdraft: 'yes' }, 'LDG-0094', 'settings.allowOverdraft');
    await refused({ limit: 5 }, 'LDG-0053', 'settings.limit');
    await refused([], 'LDG-0094', 'settings');
    const [untouched, ...others] = await balances();
    expect(untouched).to.not.have.property('settings');
    expect(others).to.deep.equal([]);
  });

  it('takes null as unset, and what is the same as no change', async () => {
    const before = await allow('5.0');
    expect(before.settings?.overdraftLimit).to.equal('5');
    const same = { balanceScope: 'transactional', allowOverdraft: true };
    const limited = { overdraftLimitEnabled: true, overdraftLimit: 5 };
    for (const changes of [{ settings: null }, { settings: { ...same, ...limited } }]) {
      expect((await patch(changes)).json()).to.deep.equal(before);
    }
    const unlimited = await patch({
      settings: { ...same, overdraftLimitEnabled: null, overdraftLimit: null },
    });
    expect((unlimited.json() as Balance).settings).to.not.have.property('overdraftLimit');
  });

  it('may be allowed to a further balance when it is opened', async () => {
    const path = `${book.at}/accounts/${alice.id}/balances`;
    const settings = {
      allowOverdraft: true,
      overdraftLimitEnabled: true,
      overdraftLimit: '12.50',
    };
    const credit = await made<Balance>(client, path, { key: 'credit', settings });
    expect(credit).to.deep.include({
      settings: { balanceScope: 'transactional', ...settings, overdraftLimit: '12.5' },
      position: { available: '0', onHold: '0', overdraftLimitAvailable: '12.5' },
    });
    const unset = await made<Balance>(client, path, { key: 'plain', settings: null });
    expect(unset).to.not.have.property('settings');
    expect((await balances()).map(({ key }) => key)).to.deep.equal([
      ...['default', 'credit', 'overdraft', 'plain'],
    ]);
    expectProblem(await client.post(path, { key: 'overdraft' }), 422, 'LDG-0170');
  });

  it('is the ledger’s own: its balance is not named, changed or deleted', async () => {
    await allow();
    const path = `${book.at}/balances/${(await byKey('overdraft')).id}`;
    expectProblem(await client.patch(path, { allowSending: false }), 422, 'LDG-0175');
    expectProblem(await client.delete(path), 422, 'LDG-0169');
    const body = transfer('@alice', '@bob', '1');
    const { send } = body;
    const [leg] = send.source.from;
    const from = [{ ...leg, balanceKey: 'Overdraft' }];
    const spend = { ...body, send: { ...send, source: { from } } };
    const refused = await client.post(`${book.at}/transactions/json`, spend);
    expectProblem(refused, 422, 'LDG-0168', { locations: ['send.source.from[0].balanceKey'] });
    const outside = await got<List<Balance>>(client, `${book.at}/accounts/external/BRL/balances`);
    const world = await client.patch(`${book.at}/balances/${outside.items[0]?.id}`, {
      settings: { allowOverdraft: true },
    });
    expectProblem(world, 422, 'LDG-0124');
  });

  it('keeps its account until it is repaid', async () => {
    await allow();
    await pay('31');
    const path = `${book.at}/accounts/${alice.id}`;
    expectProblem(await client.delete(path), 422, 'LDG-0012');
    await repay('1');
    expect((await client.delete(path)).status).to.equal(204);
    expect(await balances()).to.deep.equal([]);
  });
});
