import { randomUUID } from 'node:crypto';
import { client } from './client/client.gen.js';
import * as api from './client/index.js';

client.setConfig({ baseUrl: process.env['QUIPU_URL'] ?? '' });

/** Every response of these calls is the documented success, or the story ends here. */
async function done<Data>(call: Promise<{ data?: Data; error?: unknown }>) {
  const { data, error } = await call;
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

const organization = await done(
  api.createOrganization({ body: { legalName: 'Bank of Stories', legalDocument: '1' } }),
);
const of = { organization_id: organization.id };
const ledger = await done(api.createLedger({ path: of, body: { name: 'Main', status: 'ACTIVE' } }));
const path = { ...of, ledger_id: ledger.id };
await done(
  api.createAsset({
    path,
    body: { name: 'Euro', type: 'currency', code: 'EUR', metadata: { scale: 2 } },
  }),
);
for (const alias of ['@alice', '@bob']) {
  await done(api.createAccount({ path, body: { assetCode: 'EUR', type: 'deposit', alias } }));
}

await done(
  api.createTransactionInflow({
    path,
    headers: { 'X-Idempotency': randomUUID() },
    body: {
      description: 'deposit',
      send: {
        asset: 'EUR',
        value: '1000',
        distribute: { to: [{ accountAlias: '@alice', amount: { asset: 'EUR', value: '1000' } }] },
      },
    },
  }),
);

const transfer = (value: string, key: string) =>
  api.createTransactionJson({
    path,
    headers: { 'X-Idempotency': key },
    body: {
      description: 'transfer',
      send: {
        asset: 'EUR',
        value,
        source: { from: [{ accountAlias: '@alice', amount: { asset: 'EUR', value } }] },
        distribute: { to: [{ accountAlias: '@bob', share: { percentage: 100 } }] },
      },
    },
  });
const key = randomUUID();
const first = await done(transfer('100.000000000000000000001', key));
const second = await done(transfer('100.000000000000000000001', key));

const leg = (alias: string) => ({
  ...{ alias, amount: '0.1' },
  organizationId: organization.id,
  ledgerId: ledger.id,
});
const direct = await api.createDirectTransaction({
  headers: { 'X-Idempotency': randomUUID() },
  body: {
    ...{ asset: 'EUR', amount: '0.1', description: 'direct' },
    debits: [leg('@alice')],
    credits: [leg('@bob')],
  },
});
const inVersion2 = await done(Promise.resolve(direct));
const headers = {
  'X-Consistency-Token': direct.response?.headers.get('X-Consistency-Token') ?? '',
};

const refused = await transfer('1e6', randomUUID());

const listed: string[] = [];
let cursor: string | undefined;
do {
  const query = { limit: 1, ...(cursor !== undefined && { cursor }) };
  const page = await done(api.listTransactions({ path, query, headers }));
  listed.push(...page.items.map(({ description }) => description));
  cursor = page.next_cursor;
} while (cursor !== undefined);

const available = async (alias: string) =>
  (await done(api.listBalancesByAlias({ path: { ...path, alias }, headers }))).items[0]?.available;

console.log(
  JSON.stringify({
    repeated: first.id === second.id,
    amount: first.amount,
    direct: 'debit' in inVersion2 ? inVersion2.debit : [],
    refusal: refused.error?.code,
    listed,
    balances: [await available('@alice'), await available('@bob')],
  }),
);
