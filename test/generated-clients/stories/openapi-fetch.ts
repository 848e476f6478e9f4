import { randomUUID } from 'node:crypto';
import createClient from 'openapi-fetch';
import type { paths } from './client/schema.js';

const api = createClient<paths>({ baseUrl: process.env['QUIPU_URL'] ?? '' });

/** Every response of these calls is the documented success, or the story ends here. */
function done<Data>({ data, error }: { data?: Data; error?: unknown }): Data {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

const organization = done(
  await api.POST('/v1/organizations', {
    body: { legalName: 'Bank of Stories', legalDocument: '1' },
  }),
);
const of = { organization_id: organization.id };
const ledger = done(
  await api.POST('/v1/organizations/{organization_id}/ledgers', {
    params: { path: of },
    body: { name: 'Main', status: 'ACTIVE' },
  }),
);
const path = { ...of, ledger_id: ledger.id };
done(
  await api.POST('/v1/organizations/{organization_id}/ledgers/{ledger_id}/assets', {
    params: { path },
    body: { name: 'Euro', type: 'currency', code: 'EUR', metadata: { scale: 2 } },
  }),
);
for (const alias of ['@alice', '@bob']) {
  done(
    await api.POST('/v1/organizations/{organization_id}/ledgers/{ledger_id}/accounts', {
      params: { path },
      body: { assetCode: 'EUR', type: 'deposit', alias },
    }),
  );
}

done(
  await api.POST('/v1/organizations/{organization_id}/ledgers/{ledger_id}/transactions/inflow', {
    params: { path, header: { 'X-Idempotency': randomUUID() } },
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
  api.POST('/v1/organizations/{organization_id}/ledgers/{ledger_id}/transactions/json', {
    params: { path, header: { 'X-Idempotency': key } },
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
const first = done(await transfer('100.000000000000000000001', key));
const second = done(await transfer('100.000000000000000000001', key));

const leg = (alias: string) => ({
  ...{ alias, amount: '0.1' },
  organizationId: organization.id,
  ledgerId: ledger.id,
});
const direct = await api.POST('/v2/transactions/direct', {
  params: { header: { 'X-Idempotency': randomUUID() } },
  body: {
    ...{ asset: 'EUR', amount: '0.1', description: 'direct' },
    debits: [leg('@alice')],
    credits: [leg('@bob')],
  },
});
const inVersion2 = done(direct);
const token = direct.response.headers.get('X-Consistency-Token') ?? '';

const refused = await transfer('1e6', randomUUID());

const listed: string[] = [];
let cursor: string | undefined;
do {
  const page = done(
    await api.GET('/v1/organizations/{organization_id}/ledgers/{ledger_id}/transactions', {
      params: {
        path,
        query: { limit: 1, ...(cursor !== undefined && { cursor }) },
        header: { 'X-Consistency-Token': token },
      },
    }),
  );
  listed.push(...page.items.map(({ description }) => description));
  cursor = page.next_cursor;
} while (cursor !== undefined);

const available = async (alias: string) => {
  const { items } = done(
    await api.GET(
      '/v1/organizations/{organization_id}/ledgers/{ledger_id}/accounts/alias/{alias}/balances',
      { params: { path: { ...path, alias }, header: { 'X-Consistency-Token': token } } },
    ),
  );
  return items[0]?.available;
};

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
