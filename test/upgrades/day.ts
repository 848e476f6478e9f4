import {
  createAccount,
  createAsset,
  createLedger,
  createOrganization,
  exactly,
  part,
  posted,
  rest,
  sending,
  transfer,
  type Account,
  type List,
} from '#test/e2e/books.ts';
import type { Client } from '#test/support/client.ts';
import type { Expected } from './expected.ts';
import { payAcross } from './groups.ts';
import { postForms } from './forms.ts';
import { liveOn, reorganize } from './life.ts';
import { layRoutes } from './routes.ts';
import { stopAccounts } from './stops.ts';

/** What happened, and what to ask about it. */
export type Day = Omit<Expected, 'release' | 'reads'> & Readonly<{ paths: readonly string[] }>;

/** Uses all that the release offers; what later releases add is added here. */
export async function playDay(client: Client): Promise<Day> {
  const andes = await createOrganization(client, { metadata: { region: 'south', branches: 12 } });
  const pampa = await createOrganization(client, {
    legalName: 'Pampa Pagamentos',
    legalDocument: '456',
    doingBusinessAs: 'Pampa',
    parentOrganizationId: andes.id,
    address: { line1: 'Rua 1', zipCode: '90000', city: 'Porto Alegre', state: 'RS', country: 'BR' },
    status: { code: 'ACTIVE', description: 'open' },
  });
  const retail = await createLedger(client, andes.id, { name: 'Retail', metadata: { tier: 1 } });
  const wallets = await createLedger(client, pampa.id, { name: 'Wallets' });
  const bank = `/v1/organizations/${andes.id}/ledgers/${retail.id}`;
  const pay = `/v1/organizations/${pampa.id}/ledgers/${wallets.id}`;

  const accounts = await openAccounts(client, bank, pay);
  const keyed = await move(client, bank, pay);
  await liveOn(client, bank);
  await postForms(client, andes.id, retail.id);
  await stopAccounts(client, bank);
  await payAcross(client, retail, wallets);
  await reorganize(client, andes);
  await layRoutes(client, andes.id, bank);
  return {
    keyed,
    next: { path: `${bank}/transactions/json`, body: transfer('@alice', '@bob', '0.01') },
    paths: await paths(client, [bank, pay], [andes.id, pampa.id], accounts),
  };
}

async function openAccounts(client: Client, bank: string, pay: string): Promise<Account[]> {
  await createAsset(client, bank, { code: 'BRL', type: 'currency', name: 'Real' });
  await createAsset(client, bank, { code: 'USD', type: 'currency', metadata: { digits: 2 } });
  await createAsset(client, pay, { code: 'BRL', type: 'currency' });
  const open: readonly (readonly [string, object])[] = [
    [bank, { alias: '@alice', name: 'Alice', metadata: { vip: true, score: 7.5 } }],
    [bank, { alias: '@bob', type: 'savings' }],
    [bank, { alias: '@carol', entityId: 'C-17', status: { code: 'ACTIVE', description: 'új' } }],
    [bank, { alias: '@fees', type: 'revenue' }],
    [bank, { alias: '@locked', blocked: true }],
    [bank, { alias: '@dollar-alice', assetCode: 'USD' }],
    [bank, { alias: '@dollar-bob', assetCode: 'USD' }],
    [bank, { name: 'Without an alias' }],
    [pay, { alias: '@alice' }],
    [pay, { alias: '@shop', metadata: { till: 3 } }],
    [pay, { alias: '@courier' }],
    [pay, { alias: '@tips', entityId: null }],
  ];
  const accounts: Account[] = [];
  for (const [at, fields] of open) accounts.push(await createAccount(client, at, fields));
  return accounts;
}

/** Some sixty transactions; answers the one whose repetition is asked for. */
async function move(client: Client, bank: string, pay: string): Promise<Expected['keyed']> {
  await posted(client, bank, transfer('@external/BRL', '@alice', '10000'));
  await posted(client, bank, transfer('@external/USD', '@dollar-alice', '2500.75', 'USD'));
  await posted(client, pay, transfer('@external/BRL', '@alice', '900'));
  for (let n = 1; n <= 28; n += 1) {
    const more = {
      description: `Instalment ${n}`,
      metadata: { n, late: n % 5 === 0, note: '“é” 💶' },
    };
    await posted(client, bank, transfer('@alice', '@bob', `${n}.0${n % 10}`, 'BRL', more));
  }
  for (let n = 1; n <= 10; n += 1) {
    const legs = [part('@shop', 80), part('@courier', 50, 20), rest('@tips')];
    const more = { code: `ORDER-${n}`, chartOfAccountsGroupName: 'SALES' };
    await posted(client, pay, sending('10.5', [exactly('@alice', '10.5')], legs, more));
  }
  for (let n = 1; n <= 8; n += 1) {
    const from = [exactly('@bob', '1.5'), { ...rest('@alice'), description: 'her part' }];
    const to = [part('@carol', 99), { ...rest('@fees'), metadata: { kind: 'fee' } }];
    await posted(client, bank, sending('4', from, to, { transactionDate: `2024-02-0${n}` }));
  }
  for (const [n, value] of ['0.000000000000000000000000000001', '700', '1e-3'].entries()) {
    const key = { 'X-Idempotency': `dollars-${n}`, ...(n === 1 && { 'X-TTL': '3600' }) };
    await posted(client, bank, transfer('@dollar-alice', '@dollar-bob', value, 'USD'), key);
  }
  for (let n = 1; n <= 6; n += 1) {
    await posted(client, bank, transfer('@carol', '@external/BRL', `0.${n}`));
  }
  return repeatable(client, bank);
}

async function repeatable(client: Client, bank: string): Promise<Expected['keyed']> {
  const key = 'upgrade-1';
  const path = `${bank}/transactions/json`;
  const legs = [part('@bob', 25), { ...rest('@carol'), chartOfAccounts: '1.1.2' }];
  const body = sending('33.33', [exactly('@alice', '33.33')], legs, {
    description: 'Once and for all',
    transactionDate: '2025-12-31T23:59:59Z',
    metadata: { invoice: 'A-1', gross: 33.33 },
  });
  const answer = await client.post(path, body, { 'X-Idempotency': key });
  if (answer.status !== 201) throw new Error(answer.text);
  return { path, key, body, answer: answer.text };
}

async function paths(
  client: Client,
  ledgers: readonly string[],
  organizations: readonly string[],
  accounts: readonly Account[],
): Promise<string[]> {
  const found = ['/v1/organizations', '/v1/organizations?limit=1&page=2&sort_order=desc'];
  for (const id of organizations) {
    found.push(`/v1/organizations/${id}`, `/v1/organizations/${id}/ledgers`);
  }
  for (const at of ledgers) {
    const lists = [
      'assets',
      'segments',
      'portfolios',
      'account-types',
      'accounts',
      'balances',
      'transactions',
    ];
    found.push(at, ...lists.map((list) => `${at}/${list}?limit=100`));
    found.push(`${at}/accounts/external/BRL`, `${at}/accounts/external/BRL/balances`);
    found.push(`${at}/accounts/alias/@alice`, `${at}/accounts/alias/@alice/balances`);
    const page = `${at}/transactions?limit=5&sort_order=desc`;
    const first = (await client.get(page)).json() as List<{ id: string }>;
    found.push(page, `${at}/transactions?limit=5&cursor=${first.next_cursor ?? ''}`);
    found.push(...first.items.map(({ id }) => `${at}/transactions/${id}`));
  }
  const dates = 'start_date=2024-02-01&end_date=2024-02-04';
  found.push(`${ledgers[0] ?? ''}/transactions?limit=50&${dates}`);
  found.push(`${ledgers[0] ?? ''}/transactions?limit=50&metadata.late=true`);
  for (const { id, organizationId, ledgerId } of accounts) {
    const at = `/v1/organizations/${organizationId}/ledgers/${ledgerId}/accounts/${id}`;
    found.push(at, `${at}/balances`, `${at}/operations?limit=3`, `${at}/operations?type=credit`);
  }
  return found;
}
