import {
  createAccount,
  createAsset,
  createLedger,
  createOrganization,
  exactly,
  got,
  ORGANIZATIONS,
  part,
  posted,
  rest,
  sending,
  transfer,
  type Balance,
  type List,
  type Transaction,
} from '#test/e2e/books.ts';
import type { Client } from '#test/support/client.ts';

/** What happens to transactions and records once they exist: every step and every change there is. */
export async function liveOn(client: Client, at: string): Promise<void> {
  const ask = asking(client, at);
  const hold = (value: string, description: string) =>
    posted(client, at, transfer('@alice', '@bob', value, 'BRL', { pending: true, description }));
  const step = (id: string, verb: string) => ask<Transaction>('POST', `transactions/${id}/${verb}`);

  const committed = await hold('12.5', 'committed');
  await step(committed.id, 'commit');
  const canceled = await hold('3', 'canceled');
  await step(canceled.id, 'cancel');
  await hold('1', 'still on hold');
  const many = [exactly('@bob', '2'), { ...rest('@alice'), description: 'the rest' }];
  const spread = sending('5', many, [part('@carol', 50), rest('@fees')], { pending: true });
  const split = await posted(client, at, spread);
  await ask('PATCH', `transactions/${split.id}`, { description: 'Spread', metadata: { wave: 2 } });
  const settled = await step(split.id, 'commit');
  await step(committed.id, 'revert');

  const direct = await posted(client, at, transfer('@alice', '@carol', '0.5'));
  await ask('PATCH', `transactions/${direct.id}`, { metadata: { edited: true } });
  const [operation] = settled.operations;
  await ask('PATCH', `transactions/${split.id}/operations/${operation!.id}`, {
    description: 'Leg',
  });
  await step(direct.id, 'revert');
  await ask('POST', 'transactions/annotation', transfer('@alice', '@bob', '99', 'BRL'));
  const { accountId } = direct.operations[0]!;
  const kept = await ask<Balance>('POST', `accounts/${accountId}/balances`, { key: 'frozen' });
  const frozen = { ...exactly('@alice', '2'), balanceKey: kept.key };
  await ask('POST', 'transactions/block', sending('2', [exactly('@alice', '2')], [frozen]));
  await ask('POST', 'transactions/unblock', sending('2', [frozen], [exactly('@alice', '2')]));
  await ask('DELETE', `balances/${kept.id}`);
  await owe(client, at);
  const distribute = { to: [exactly('@bob', '7')] };
  await ask('POST', 'transactions/inflow', { send: { asset: 'BRL', value: '7', distribute } });
  const source = { from: [exactly('@bob', '7')] };
  await ask('POST', 'transactions/outflow', { send: { asset: 'BRL', value: '7', source } });
  const transactions = [transfer('@alice', '@bob', '1'), transfer('@bob', '@alice', '1')];
  await ask('POST', 'transactions/batch', { atomic: true, transactions });

  const asset = await createAsset(client, at, { code: 'XAU', type: 'commodity' });
  await ask('PATCH', `assets/${asset.id}`, { name: 'Gold', metadata: { grams: 31.1 } });
  await ask('DELETE', `assets/${asset.id}`);
  const rate = { from: 'USD', to: 'BRL', rate: 5425, scale: 3 };
  await ask('PUT', 'asset-rates', { ...rate, source: 'Central bank', ttl: 3600 });
  await ask('PUT', 'asset-rates', { ...rate, rate: 5430, metadata: { session: 'closing' } });
  await keepRecords(client, at);
  const account = await createAccount(client, at, { alias: '@visitor' });
  await posted(client, at, transfer('@alice', '@visitor', '1'));
  await posted(client, at, transfer('@visitor', '@alice', '1'));
  await ask('PATCH', `accounts/${account.id}`, { name: 'Visitor', metadata: { nights: 2 } });
  const { items } = await got<List<Balance>>(client, `${at}/accounts/${account.id}/balances`);
  await ask('PATCH', `balances/${items[0]!.id}`, { allowSending: false });
  await ask('DELETE', `accounts/${account.id}`);
}

/** An overdraft is allowed, drawn on, held, repaid and given back. */
async function owe(client: Client, at: string): Promise<void> {
  const ask = asking(client, at);
  const { id } = await createAccount(client, at, { alias: '@owing' });
  const { items } = await got<List<Balance>>(client, `${at}/accounts/${id}/balances`);
  const limited = { allowOverdraft: true, overdraftLimitEnabled: true, overdraftLimit: '70.5' };
  await ask('PATCH', `balances/${items[0]!.id}`, { settings: limited });
  await posted(client, at, transfer('@owing', '@alice', '50'));
  const held = await posted(client, at, transfer('@owing', '@alice', '20', 'BRL', PENDING));
  await posted(client, at, transfer('@alice', '@owing', '55'));
  await ask('POST', `transactions/${held.id}/cancel`);
  const again = await posted(client, at, transfer('@owing', '@alice', '30', 'BRL', PENDING));
  await ask('POST', `transactions/${again.id}/commit`);
  await ask('POST', `transactions/${again.id}/revert`);
}

const PENDING = { pending: true };

/** The records that accounts are sorted by; what they say of them outlives them. */
async function keepRecords(client: Client, at: string): Promise<void> {
  const ask = asking(client, at);
  const create = async (list: string, fields: object) =>
    (await ask<{ id: string }>('POST', list, fields)).id;

  await create('segments', { name: 'Homes', metadata: { floor: 1 } });
  const segmentId = await create('segments', { name: 'Farms' });
  const portfolioId = await create('portfolios', { name: 'Anna', entityId: 'C-17' });
  const ben = await create('portfolios', { name: 'Ben', metadata: { since: 1999 } });
  const debts = { name: 'Loans', keyValue: 'Loans', defaultDirection: 'debit' };
  const loans = await create('account-types', debts);
  const savings = await create('account-types', { name: 'Savings', keyValue: 'savings' });

  const groups = { portfolioId, segmentId };
  await createAccount(client, at, { alias: '@debt', type: 'loans', ...groups });
  await posted(client, at, transfer('@debt', '@alice', '20'));

  await ask('PATCH', `segments/${segmentId}`, { name: 'Fields', status: 'INACTIVE' });
  await ask('PATCH', `portfolios/${portfolioId}`, { name: 'Anna B.', metadata: { vip: true } });
  await ask('PATCH', `account-types/${loans}`, { description: 'Lent', metadata: { n: 1 } });
  await ask('DELETE', `segments/${segmentId}`);
  await ask('DELETE', `portfolios/${ben}`);
  await ask('DELETE', `account-types/${savings}`);
}

/** Records of records: an organization and its ledgers are changed, renamed and deleted. */
export async function reorganize(client: Client, { id }: Readonly<{ id: string }>): Promise<void> {
  const ask = asking(client, ORGANIZATIONS);
  await ask('PATCH', id, { doingBusinessAs: 'Andes', metadata: { branches: 13, region: null } });
  const renamed = await createLedger(client, id, { name: 'Working title' });
  await ask('PATCH', `${id}/ledgers/${renamed.id}`, { name: 'Wholesale', metadata: { tier: 2 } });
  await ask('PATCH', `${id}/ledgers/${renamed.id}/settings`, {
    accounting: { validateRoutes: true },
    tracer: { mode: 'advisory', timeoutMs: 90 },
  });
  const short = await createLedger(client, id, { name: 'Short-lived' });
  await ask('DELETE', `${id}/ledgers/${short.id}`);
  const indexes = asking(client, '/v1/settings/metadata-indexes/entities');
  await indexes('POST', 'account', { metadataKey: 'vip' });
  await indexes('POST', 'account', { metadataKey: 'till', unique: true });
  await indexes('POST', 'ledger', { metadataKey: 'tier', unique: true });
  await ask('PATCH', `${id}/ledgers/${renamed.id}`, { metadata: { tier: 3 } });
  await indexes('POST', 'transaction', { metadataKey: 'late' });
  await indexes('DELETE', 'transaction/key/late');
  const gone = await createOrganization(client, { parentOrganizationId: id });
  await ask('DELETE', gone.id);
}

const asking =
  (client: Client, at: string) =>
  async <Found>(method: string, path: string, body?: object): Promise<Found> => {
    const headers = { 'Content-Type': 'application/json' };
    const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) };
    const answer = await client.send({ method, path: `${at}/${path}`, ...sent });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    return (answer.status === 204 ? undefined : answer.json()) as Found;
  };
