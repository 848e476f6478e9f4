import { expect } from 'chai';
import type { OutgoingHttpHeaders } from 'node:http';
import type {
  AccountTypeRecord,
  PortfolioRecord,
  SegmentRecord,
} from '#src/events/ledger/records.ts';
import type { accountView } from '#src/resources/ledger/account.ts';
import type { assetRateView } from '#src/resources/ledger/asset-rate.ts';
import type { AssetRecord } from '#src/events/ledger/ledger.ts';
import type { balanceView } from '#src/resources/ledger/balance.ts';
import type { ledgerView } from '#src/resources/ledger/ledger.ts';
import type { operationView } from '#src/resources/ledger/operation.ts';
import type { organizationView } from '#src/resources/ledger/organization.ts';
import type { transactionView } from '#src/resources/ledger/transaction.ts';
import type { Answer, Client } from '#test/support/client.ts';

/* What the API shows, by its types alone; what is really there is for the specs to compare. */

export type Organization = ReturnType<typeof organizationView>;
export type Ledger = ReturnType<typeof ledgerView>;
export type Asset = AssetRecord;
export type AssetRate = ReturnType<typeof assetRateView>;
export type Segment = SegmentRecord;
export type Portfolio = PortfolioRecord;
export type AccountType = AccountTypeRecord;
export type Account = ReturnType<typeof accountView>;
export type Balance = ReturnType<typeof balanceView>;
export type Operation = ReturnType<typeof operationView>;
export type Transaction = ReturnType<typeof transactionView>;

export type List<Item> = Readonly<{
  items: readonly Item[];
  limit: number;
  page?: number;
  next_cursor?: string;
  prev_cursor?: string;
}>;

/** A ledger of one organization, made for one test. */
export type Book = Readonly<{
  org: string;
  ledger: string;
  /** `/v1/organizations/{org}/ledgers/{ledger}` */
  at: string;
}>;

export type Opening = Readonly<{
  version?: 1 | 2;
  assets?: readonly string[];
  /** Aliases of deposit accounts in the first asset. */
  accounts?: readonly string[];
  /** What comes in from outside, by alias, in the first asset. */
  funds?: Readonly<Record<string, string>>;
}>;

export async function openBook(client: Client, opening: Opening = {}): Promise<Book> {
  const { version = 1, assets = ['BRL'], accounts = [], funds = {} } = opening;
  const org = (await createOrganization(client)).id;
  const ledger = (await createLedger(client, org)).id;
  const at = `/v${version}/organizations/${org}/ledgers/${ledger}`;
  for (const code of assets) await createAsset(client, at, { code });
  const [asset = 'BRL'] = assets;
  for (const alias of new Set([...accounts, ...Object.keys(funds)])) {
    await createAccount(client, at, { assetCode: asset, alias });
  }
  for (const [alias, value] of Object.entries(funds)) {
    await posted(client, at, transfer(`@external/${asset}`, alias, value, asset));
  }
  return { org, ledger, at };
}

export const ORGANIZATIONS = '/v1/organizations';

export const createOrganization = (client: Client, fields: object = {}): Promise<Organization> =>
  made(client, ORGANIZATIONS, { legalName: 'Andes Bank', legalDocument: '123', ...fields });

let ledgers = 0;
export function createLedger(client: Client, org: string, fields: object = {}): Promise<Ledger> {
  ledgers += 1;
  return made(client, `/v1/organizations/${org}/ledgers`, { name: `Retail ${ledgers}`, ...fields });
}

export function createAsset(
  client: Client,
  at: string,
  fields: Readonly<{ code?: string } & Record<string, unknown>> = {},
): Promise<Asset> {
  const code = fields.code ?? 'BRL';
  return made(client, `${at}/assets`, { name: `Asset ${code}`, type: 'others', code, ...fields });
}

export const createAccount = (client: Client, at: string, fields: object = {}): Promise<Account> =>
  made(client, `${at}/accounts`, { assetCode: 'BRL', type: 'deposit', ...fields });

/** Posts a transaction and answers what came back. */
export async function posted(
  client: Client,
  at: string,
  body: unknown,
  headers?: OutgoingHttpHeaders,
): Promise<Transaction> {
  return made(client, `${at}/transactions/json`, body, headers);
}

export async function made<T>(
  client: Client,
  path: string,
  body: unknown,
  headers?: OutgoingHttpHeaders,
): Promise<T> {
  const answer = await client.post(path, body, headers);
  expect(answer.status, answer.text).to.equal(201);
  expect(mediaType(answer)).to.equal('application/json');
  return answer.json() as T;
}

export async function got<T>(
  client: Client,
  path: string,
  headers?: OutgoingHttpHeaders,
): Promise<T> {
  const answer = await client.get(path, headers);
  expect(answer.status, `GET ${path}: ${answer.text}`).to.equal(200);
  expect(mediaType(answer)).to.equal('application/json');
  return answer.json() as T;
}

export const mediaType = ({ headers }: Answer): string | undefined =>
  headers['content-type']?.split(';')[0];

/* Requests */

export type Leg = Readonly<{
  accountAlias: string;
  amount?: Readonly<{ asset: string; value: string | number }>;
  share?: Readonly<{ percentage: number; percentageOfPercentage?: number }>;
  remaining?: string;
}> &
  Readonly<Record<string, unknown>>;

export const sending = (
  value: string,
  from: readonly Leg[],
  to: readonly Leg[],
  more: object = {},
  asset = 'BRL',
) => ({ ...more, send: { asset, value, source: { from }, distribute: { to } } });

export const exactly = (accountAlias: string, value: string, asset = 'BRL'): Leg => ({
  accountAlias,
  amount: { asset, value },
});

export const rest = (accountAlias: string): Leg => ({ accountAlias, remaining: 'remaining' });

export const part = (accountAlias: string, percentage: number, of?: number): Leg => ({
  accountAlias,
  share: { percentage, ...(of !== undefined && { percentageOfPercentage: of }) },
});

/** From one account to another. */
export const transfer = (from: string, to: string, value: string, asset = 'BRL', more?: object) =>
  sending(value, [exactly(from, value, asset)], [exactly(to, value, asset)], more, asset);

/* Looks */

/** available/onHold vVersion of the default balance of an alias. */
export async function standing(client: Client, at: string, alias: string): Promise<string> {
  const path = `${at}/accounts/alias/${encodeURIComponent(alias)}/balances`;
  const { items } = await got<List<Balance>>(client, path);
  return items.map(({ available, onHold, version }) => `${available}/${onHold} v${version}`).join();
}

/** An operation as one row of the contract's tables. */
export const rowOf = ({
  type,
  direction,
  accountAlias,
  amount,
  balance,
  balanceAfter,
}: Operation) => {
  const before = `${balance.available}/${balance.onHold} v${balance.version}`;
  const after = `${balanceAfter.available}/${balanceAfter.onHold} v${balanceAfter.version}`;
  return `${type} ${direction} ${accountAlias} ${amount.value} ${before} → ${after}`;
};

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const UTC_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3,9}Z$/;

/** An id that is well formed and was never given out. */
export const NOBODY = '0197f3a0-1111-7aaa-8bbb-000000000000';
