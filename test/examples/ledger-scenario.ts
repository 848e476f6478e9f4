import type { ExampleApi, Identified, ListedItems } from './example-api.ts';
import { fund, openAccount, openBank } from './bank.ts';
import { exampleRoutes } from './routes-scenario.ts';
import { exampleTransactions } from './transactions-scenario.ts';
import { exampleScopedTransactions } from './scoped-transactions-scenario.ts';

/** Runs every operation of the ledger in one of its versions. */
export async function exampleLedger(api: ExampleApi, version: 1 | 2): Promise<void> {
  await openBank(api);
  await organizationsAndLedgers(api);
  await records(api);
  await accounts(api);
  if (version === 1) await assetRates(api);
  await exampleTransactions(api, version);
  if (version === 2) await exampleScopedTransactions(api);
  await balances(api);
  await exampleRoutes(api, version);
  await dashboard(api);
  await api.call('readLedgerJournal', { query: { from_revision: 0, limit: 1 } });
}

async function organizationsAndLedgers({ call }: ExampleApi): Promise<void> {
  await call('getOrganization');
  await call('updateOrganization', {
    body: { doingBusinessAs: 'Banco Andes', metadata: { region: 'southeast' } },
  });
  await call('listOrganizations', { query: { limit: 1, sort_order: 'desc' } });
  await call('getLedger');
  await call('updateLedger', { body: { name: 'Retail banking' } });
  await call('listLedgers', { query: { limit: 1 } });
  await call('updateLedgerSettings', {
    body: { accounting: { validateAccountType: true }, overrides: { allowFeeSkip: true } },
  });
  await call('getLedgerSettings');
}

async function records({ call, within }: ExampleApi): Promise<void> {
  await call('getAsset');
  await call('updateAsset', { body: { name: 'Real' } });
  await call('listAssets', { query: { limit: 1 } });

  const segment = await call('createSegment', {
    body: { name: 'Premium', metadata: { tier: 'gold' } },
  });
  within({ segment_id: segment.id });
  await call('getSegment');
  await call('updateSegment', { body: { name: 'Premium customers' } });
  await call('listSegments', { query: { limit: 1 } });

  const portfolio = await call('createPortfolio', {
    body: { name: 'Savings of Alice', entityId: 'customer-1001' },
  });
  within({ portfolio_id: portfolio.id });
  await call('getPortfolio');
  await call('updatePortfolio', { body: { metadata: { advisor: 'carla' } } });
  await call('listPortfolios', { query: { limit: 1 } });

  const type = await call('createAccountType', {
    body: { name: 'Deposit account', keyValue: 'deposit', description: 'Held by customers' },
  });
  within({ account_type_id: type.id });
  await call('getAccountType');
  await call('updateAccountType', { body: { description: 'Held by retail customers' } });
  await call('listAccountTypes', { query: { limit: 1 } });
}

async function accounts(api: ExampleApi): Promise<void> {
  const { call, within } = api;
  const { items } = await call<ListedItems>('listSegments');
  const portfolios = await call<ListedItems>('listPortfolios');
  const alice = await openAccount(api, '@alice', {
    name: 'Alice Souza',
    segmentId: items[0]?.id,
    portfolioId: portfolios.items[0]?.id,
    metadata: { branch: '0001' },
  });
  within({ account_id: alice, alias: '@alice' });
  await openAccount(api, '@bruno', { name: 'Bruno Lima' });
  await openAccount(api, '@bakery', { name: 'The bakery' });
  await call('getAccount');
  await call('getAccountByAlias');
  await call('getExternalAccount');
  await call('updateAccount', { body: { name: 'Alice de Souza', metadata: { branch: '0002' } } });
  await call('blockAccount');
  await call('unblockAccount');
  await call('listAccounts', { query: { limit: 1, sort_order: 'desc' } });
  await fund(api, '@alice', '1000');
  await fund(api, '@bruno', '250');
}

async function assetRates({ call }: ExampleApi): Promise<void> {
  const rate = await call<{ externalId: string }>('putAssetRate', {
    body: { from: 'USD', to: 'BRL', rate: 5425, scale: 3, source: 'Central bank', ttl: 3600 },
  });
  await call('getAssetRate', { path: { external_id: rate.externalId } });
  await call('listAssetRatesFrom', { path: { asset_code: 'USD' }, query: { limit: 1 } });
}

async function balances({ call, within }: ExampleApi): Promise<void> {
  const created = await call('createBalance', {
    body: {
      key: 'travel',
      allowSending: true,
      allowReceiving: true,
      settings: { allowOverdraft: true, overdraftLimitEnabled: true, overdraftLimit: '500' },
    },
  });
  within({ balance_id: created.id });
  await call('getBalance');
  await call('updateBalance', { body: { allowSending: false } });
  await call('listBalances', { query: { limit: 1 } });
  const { items } = await call<ListedItems>('listBalancesOfAccount', { query: { limit: 1 } });
  await call('listBalancesByAlias', { query: { limit: 1 } });
  await call('listBalancesOfExternalAccount', { query: { limit: 1 } });
  const query = { date: new Date().toISOString() };
  const [own] = items as [Identified];
  await call('getBalanceHistory', { path: { balance_id: own.id }, query });
  await call('listBalanceHistoryOfAccount', { query: { ...query, limit: 1 } });
}

async function dashboard({ call }: ExampleApi): Promise<void> {
  const query = { start_date: '2026-01-04T00:00:00Z', end_date: '2026-01-06T00:00:00Z' };
  await call('getDashboardMetrics', { query });
  await call('getDashboardVolume', { query });
  await call('getDashboardAssets');
}
