import { expect } from 'chai';
import { Refusal } from '#src/kernel/errors.ts';
import { partId } from '#src/kernel/ids.ts';
import { ledgerJournal, organizationJournal } from '#src/kernel/journal-name.ts';
import { routes } from '#src/bootstrap/routes.ts';
import {
  accountId,
  accountOpened,
  idOf,
  LEDGER,
  ledgerNameReserved,
  ledgerNameSettled,
  ledgerOpened,
  ledgerWith,
  ORGANIZATION,
  organizationCreated,
} from '#test/support/ledger-samples.ts';
import { ReadingWorld } from '#test/support/reading-world.ts';
import { NOW } from '#test/support/stamps.ts';
import { at, funded, transactionId } from '#test/support/transaction-samples.ts';

const readRoutes = routes.filter(({ method }) => method === 'get');
const IN_LEDGER = { organization_id: ORGANIZATION, ledger_id: LEDGER, asset_code: 'BRL' };
const OTHER = idOf('other organization');

describe('read routes', () => {
  let world: ReadingWorld;

  const get = <Body>(operationId: string, path = {}, asking = {}): Promise<Body> =>
    world.get<Body>(readRoutes, operationId, { ...IN_LEDGER, ...path }, asking);
  const list = async (operationId: string, path = {}, asking = {}) =>
    (await world.get(readRoutes, operationId, { ...IN_LEDGER, ...path }, asking)).items;
  const refusal = async (operationId: string, path = {}, asking = {}) => {
    try {
      await get(operationId, path, asking);
    } catch (error) {
      if (error instanceof Refusal) return error.refusal;
      throw error;
    }
    return undefined;
  };

  beforeEach(() => {
    world = new ReadingWorld();
    const journal = ledgerJournal(LEDGER);
    world.append(organizationJournal(ORGANIZATION), organizationCreated(), ledgerNameReserved());
    world.append(
      organizationJournal(OTHER),
      organizationCreated({ id: OTHER, legalName: 'Other', metadata: { tier: 1 } }),
    );
    world.append(journal, ...ledgerWith('BRL', '@alice', '@Alina', '@bob'));
    world.append(organizationJournal(ORGANIZATION), ledgerNameSettled());
    world.append(journal, funded('@alice', 1, { description: 'Funding' }));
  });
  afterEach(() => world.projector.stop());

  it('have names of their own', () => {
    const names = readRoutes.map(({ operationId }) => operationId);
    expect(new Set(names)).to.have.property('size', names.length);
  });

  it('show organizations in the order of their creation, and find them by what they are', async () => {
    const names = async (query = {}, page = {}) =>
      (await list('listOrganizations', {}, { query, page })).map(({ legalName }) => legalName);

    expect(await names()).to.deep.equal(['Quipu Bank', 'Other']);
    expect(await names({}, { sortOrder: 'desc', limit: 1 })).to.deep.equal(['Other']);
    expect(await names({ legal_name: 'quiPU' })).to.deep.equal(['Quipu Bank']);
    expect(await names({ status: 'INACTIVE' })).to.deep.equal([]);
    expect(await names({}, { metadata: [{ key: 'tier', value: '1' }] })).to.deep.equal(['Other']);
    expect(await names({}, { startDate: at('2026-01-06T00:00:00.000000Z') })).to.deep.equal([]);
    expect(await names({}, { startDate: NOW, endDate: NOW })).to.have.length(2);
  });

  it('show one organization', async () => {
    expect(await get('getOrganization')).to.include({ id: ORGANIZATION, deletedAt: null });
    expect(await refusal('getOrganization', { organization_id: idOf('?') })).to.equal('NOT_FOUND');
  });

  it('show ledgers of their organization alone', async () => {
    expect(await list('listLedgers')).to.have.length(1);
    expect(await list('listLedgers', {}, { query: { name: 'RET' } })).to.have.length(1);
    expect(await list('listLedgers', { organization_id: OTHER })).to.deep.equal([]);
    expect(await get('getLedger')).to.deep.include({
      id: LEDGER,
      organizationId: ORGANIZATION,
      name: 'Retail',
      status: { code: 'ACTIVE', description: null },
    });
    expect(await refusal('getLedger', { organization_id: OTHER })).to.equal('NOT_FOUND');
  });

  it('find nothing below an organization or a ledger that is not there', async () => {
    const below = readRoutes.filter(({ path }) => path.includes('{ledger_id}/'));
    expect(below).to.have.length.above(10);
    for (const { operationId } of below) {
      const asking = { query: { date: '2026-01-05T10:00:00.000000Z' } };
      const [nowhere, elsewhere] = [{ organization_id: idOf('?') }, { organization_id: OTHER }];
      expect(await refusal(operationId, nowhere, asking), operationId).to.equal(
        'ORGANIZATION_NOT_FOUND',
      );
      // Settings are the ledger itself (contract ledger §1.10).
      const lost = operationId.startsWith('getLedgerSettings') ? 'NOT_FOUND' : 'LEDGER_NOT_FOUND';
      expect(await refusal(operationId, elsewhere, asking), operationId).to.equal(lost);
      const absent = { ledger_id: idOf('?') };
      expect(await refusal(operationId, absent, asking), operationId).to.equal(lost);
    }
    const nowhere = { organization_id: idOf('?') };
    expect(await refusal('listLedgers', nowhere)).to.equal('ORGANIZATION_NOT_FOUND');
  });

  it('find a parent again after it was absent, and not for ever after it is forgotten', async () => {
    const id = idOf('late');
    expect(await refusal('listAssets', { ledger_id: id })).to.equal('LEDGER_NOT_FOUND');
    world.append(ledgerJournal(id), ledgerOpened({ id, name: 'Late' }));
    expect(await list('listAssets', { ledger_id: id })).to.deep.equal([]);

    world.memory.collections.get('ledger')!.live.rows.delete(id);
    expect(await list('listAssets', { ledger_id: id })).to.deep.equal([]);
    world.services.existence.forget(id);
    expect(await refusal('listAssets', { ledger_id: id })).to.equal('LEDGER_NOT_FOUND');
  });

  it('show assets', async () => {
    const [asset] = await list('listAssets');
    expect(asset).to.include({ code: 'BRL', type: 'others', ledgerId: LEDGER });
    expect(await get('getAsset', { asset_id: asset!['id'] })).to.deep.equal(asset);
    expect(await refusal('getAsset', { asset_id: idOf('?') })).to.equal('NOT_FOUND');
  });

  it('show accounts, external ones included, by their filters', async () => {
    const aliases = async (query = {}) =>
      (await list('listAccounts', {}, { query })).map(({ alias }) => alias);

    expect(await aliases()).to.deep.equal(['@external/BRL', '@alice', '@Alina', '@bob']);
    expect(await aliases({ alias: '@ALI' })).to.deep.equal(['@alice', '@Alina']);
    expect(await aliases({ type: 'External' })).to.deep.equal(['@external/BRL']);
    expect(await aliases({ blocked: true })).to.deep.equal([]);
    expect(await aliases({ blocked: false, asset_code: 'BRL', name: 'brl d' })).to.have.length(3);
    expect(await aliases({ portfolio_id: idOf('?') })).to.deep.equal([]);
  });

  it('show one account by id, by alias and by asset', async () => {
    const account = await get<{ alias: string }>('getAccount', { account_id: accountId('@alice') });
    expect(account).to.include({ alias: '@alice', parentAccountId: null, closedAt: null });
    expect(await get('getAccountByAlias', { alias: '@alice' })).to.deep.equal(account);
    const external = await get<{ alias: string }>('getExternalAccount', { asset_code: 'BRL' });
    expect(external.alias).to.equal('@external/BRL');

    expect(await refusal('getAccount', { account_id: idOf('?') })).to.equal('NOT_FOUND');
    expect(await refusal('getAccountByAlias', { alias: '@ALICE' })).to.equal('ALIAS_NOT_FOUND');
    expect(await refusal('getExternalAccount', { asset_code: 'brl' })).to.equal('ALIAS_NOT_FOUND');
  });

  it('show balances with what transactions made of them', async () => {
    const [balance] = await list('listBalancesByAlias', { alias: '@alice' });
    expect(balance).to.deep.equal({
      id: partId(accountId('@alice'), 1),
      organizationId: ORGANIZATION,
      ledgerId: LEDGER,
      accountId: accountId('@alice'),
      alias: '@alice',
      key: 'default',
      assetCode: 'BRL',
      available: '500',
      onHold: '0',
      scale: 1,
      version: 1,
      accountType: 'deposit',
      allowSending: true,
      allowReceiving: true,
      direction: 'credit',
      overdraftUsed: '0',
      position: { available: '500', onHold: '0', overdraftLimitAvailable: '0' },
      createdAt: NOW,
      updatedAt: NOW,
      deletedAt: null,
    });
    expect(await get('getBalance', { balance_id: balance!['id'] })).to.deep.equal(balance);
    const byAccount = await list('listBalancesOfAccount', { account_id: accountId('@alice') });
    expect(byAccount).to.deep.equal([balance]);
    expect(await list('listBalances')).to.have.length(4);
    const [external] = await list('listBalancesOfExternalAccount', { asset_code: 'BRL' });
    expect(external).to.include({ available: '500', direction: 'debit' });
  });

  it('show no balances of an account that is not there', async () => {
    expect(await list('listBalancesOfAccount', { account_id: idOf('?') })).to.deep.equal([]);
    expect(await list('listBalancesByAlias', { alias: '@nobody' })).to.deep.equal([]);
    expect(await list('listBalancesOfExternalAccount', { asset_code: 'X' })).to.deep.equal([]);
    expect(await refusal('getBalance', { balance_id: idOf('?') })).to.equal('NOT_FOUND');
  });

  it('show transactions as settled', async () => {
    const [transaction] = await list('listTransactions');
    expect(transaction).to.include({ id: transactionId('@alice 1'), description: 'Funding' });
    expect(transaction!['status']).to.deep.equal({ code: 'APPROVED', description: 'APPROVED' });
    const path = { transaction_id: transactionId('@alice 1') };
    expect(await get('getTransaction', path)).to.deep.equal(transaction);
    expect(await refusal('getTransaction', { transaction_id: idOf('?') })).to.equal('NOT_FOUND');
    const ofGroup = { query: { groupId: idOf('group') } };
    expect(await list('listTransactions', {}, ofGroup)).to.deep.equal([]);
  });

  it('show operations under their account', async () => {
    const path = { account_id: accountId('@alice') };
    const [operation, ...more] = await list('listOperationsByAccount', path);
    expect(more).to.deep.equal([]);
    expect(operation).to.deep.include({
      id: partId(transactionId('@alice 1'), 1),
      description: 'Funding',
      type: 'CREDIT',
      metadata: {},
    });
    const one = { ...path, operation_id: operation!['id'] };
    expect(await get('getOperationByAccount', one)).to.deep.equal(operation);
    const ofBob = { account_id: accountId('@bob') };
    expect(await refusal('getOperationByAccount', { ...one, ...ofBob })).to.equal('NOT_FOUND');
    expect(await list('listOperationsByAccount', { account_id: idOf('?') })).to.deep.equal([]);
  });

  it('find operations by type, direction, dates, routes and metadata', async () => {
    const journal = ledgerJournal(LEDGER);
    for (let n = 2; n <= 30; n += 1) {
      const { data } = funded('@alice', n) as Extract<
        ReturnType<typeof funded>,
        { type: 'TransactionPosted' }
      >;
      const operations = data.transaction.operations.map((one) =>
        n % 10 === 0 ? { ...one, metadata: { n }, routeId: idOf('route') } : one,
      );
      const transaction = { ...data.transaction, operations };
      world.append(journal, { type: 'TransactionPosted', data: { transaction } });
    }
    const path = { account_id: accountId('@alice') };
    const found = async (query = {}, page = {}) =>
      list('listOperationsByAccount', path, { query, page });

    expect(await found({ type: 'credit' })).to.have.length(10);
    expect(await found({ type: 'WIRE' })).to.deep.equal([]);
    expect(await found({ direction: 'debit' })).to.deep.equal([]);
    expect(await found({ route_code: 'X' })).to.deep.equal([]);
    expect(await found({}, { endDate: at('2025-01-01T00:00:00.000000Z') })).to.deep.equal([]);
    const [twentieth, ...more] = await found({}, { metadata: [{ key: 'n', value: '20' }] });
    expect(more).to.deep.equal([]);
    expect(twentieth).to.deep.include({ metadata: { n: 20 } });

    const page = { limit: 2 };
    const first = await world.get(
      readRoutes,
      'listOperationsByAccount',
      { ...IN_LEDGER, ...path },
      { query: { route_id: idOf('route') }, page },
    );
    expect(first.items).to.have.length(2);
    const rest = await world.get(
      readRoutes,
      'listOperationsByAccount',
      { ...IN_LEDGER, ...path },
      { query: { route_id: idOf('route') }, page: { ...page, cursor: first.next_cursor } },
    );
    expect(rest.items.map(({ metadata }) => metadata)).to.deep.equal([{ n: 30 }]);
    expect(rest).not.to.have.property('next_cursor');
  });

  it('take an operation that an older cursor names for its place', async () => {
    for (let n = 2; n <= 5; n += 1) world.append(ledgerJournal(LEDGER), funded('@alice', n));
    const id = partId(transactionId('@alice 3'), 1);
    const page = { cursor: btoa(JSON.stringify({ id, points_next: true })) };
    const items = await list(
      'listOperationsByAccount',
      { account_id: accountId('@alice') },
      { page },
    );
    expect(items.map(({ transactionId: of }) => of)).to.deep.equal([
      transactionId('@alice 4'),
      transactionId('@alice 5'),
    ]);
  });

  it('show nothing of an account of another ledger', async () => {
    const id = idOf('second ledger');
    const second = ledgerJournal(id);
    world.append(second, ledgerOpened({ id, name: 'Second' }));
    world.append(second, accountOpened({ alias: '@eve', ledgerId: id }));
    const below = { ledger_id: id, account_id: accountId('@alice') };

    expect(await list('listOperationsByAccount', below)).to.deep.equal([]);
    expect(await list('listBalancesOfAccount', below)).to.deep.equal([]);
    expect(await refusal('getAccount', below)).to.equal('NOT_FOUND');
    const foreign = { ...below, operation_id: partId(transactionId('@alice 1'), 1) };
    expect(await refusal('getOperationByAccount', foreign)).to.equal('NOT_FOUND');
  });

  it('show what was written a moment ago, and refuse a token they cannot meet', async () => {
    for (let n = 2; n <= 6; n += 1) {
      world.append(ledgerJournal(LEDGER), funded('@alice', n));
      const [balance] = await list('listBalancesByAlias', { alias: '@alice' });
      expect(balance).to.include({ available: String(500 * n) });
    }
    const token = { [ledgerJournal(LEDGER)]: 99 };
    expect(await refusal('listTransactions', {}, { token })).to.equal('UNAVAILABLE');
  });
});
