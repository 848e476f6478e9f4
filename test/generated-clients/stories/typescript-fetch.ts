import { randomUUID } from 'node:crypto';
import * as api from './client/index.js';

const configuration = new api.Configuration({ basePath: process.env['QUIPU_URL'] ?? '' });
const organizations = new api.OrganizationsApi(configuration);
const ledgers = new api.LedgersApi(configuration);
const assets = new api.AssetsApi(configuration);
const accounts = new api.AccountsApi(configuration);
const transactions = new api.TransactionsApi(configuration);
const balances = new api.BalancesApi(configuration);

const { id: organizationId } = await organizations.createOrganization({
  createOrganizationRequest: { legalName: 'Bank of Stories', legalDocument: '1' },
});
const { id: ledgerId } = await ledgers.createLedger({
  organizationId,
  createLedgerRequest: { name: 'Main', settings: { accounting: { validateRoutes: false } } },
});
const at = { organizationId, ledgerId };
await assets.createAsset({
  ...at,
  createAssetRequest: { name: 'Euro', type: 'currency', code: 'EUR' },
});
for (const alias of ['@alice', '@bob']) {
  await accounts.createAccount({
    ...at,
    createAccountRequest: { assetCode: 'EUR', type: 'deposit', alias },
  });
}

await transactions.createTransactionInflow({
  ...at,
  xIdempotency: randomUUID(),
  createTransactionInflowRequest: {
    description: 'deposit',
    send: {
      asset: 'EUR',
      value: '1000',
      distribute: { to: [{ accountAlias: '@alice', amount: { asset: 'EUR', value: '1000' } }] },
    },
  },
});

const transfer = (value: string, xIdempotency: string) =>
  transactions.createTransactionJson({
    ...at,
    xIdempotency,
    createTransactionJsonRequest: {
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
const first = await transfer('100.000000000000000000001', key);
const second = await transfer('100.000000000000000000001', key);

const leg = (alias: string) => ({ ...at, alias, amount: '0.1' });
const direct = await transactions.createDirectTransactionRaw({
  xIdempotency: randomUUID(),
  createDirectTransactionRequest: {
    ...{ asset: 'EUR', amount: '0.1', description: 'direct' },
    debits: [leg('@alice')],
    credits: [leg('@bob')],
  },
});
const inVersion2 = await direct.value();
const xConsistencyToken = direct.raw.headers.get('X-Consistency-Token') ?? '';

const refused = await transfer('1e6', randomUUID()).then(
  () => undefined,
  async (error: unknown) => {
    if (!(error instanceof api.ResponseError)) throw error;
    return api.ProblemFromJSON(await error.response.json());
  },
);

const listed: string[] = [];
let cursor: string | undefined;
do {
  const page = await transactions.listTransactions({
    ...{ ...at, limit: 1, xConsistencyToken },
    ...(cursor !== undefined && { cursor }),
  });
  listed.push(...page.items.map(({ description }) => description));
  cursor = page.nextCursor;
} while (cursor !== undefined);

const available = async (alias: string) =>
  (await balances.listBalancesByAlias({ ...at, alias, xConsistencyToken })).items[0]?.available;

console.log(
  JSON.stringify({
    repeated: first.id === second.id,
    amount: first.amount,
    direct: 'debit' in inVersion2 ? inVersion2.debit : [],
    refusal: refused?.code,
    listed,
    balances: [await available('@alice'), await available('@bob')],
  }),
);
