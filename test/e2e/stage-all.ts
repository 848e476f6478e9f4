import { expect } from 'chai';
import type { Answer, Client } from '#test/support/client.ts';
import {
  createAccount,
  createAsset,
  createLedger,
  got,
  openBook,
  posted,
  transfer,
  type Account,
  type Asset,
  type AssetRate,
  type Balance,
  type Book,
  type List,
} from './books.ts';
import { stageBilling } from './billing-provocations.ts';
import { stageFeeDebts } from './fee-debt-provocations.ts';
import { stageFees } from './fee-provocations.ts';
import { stageInstruments } from './instrument-provocations.ts';
import { stageOwners } from './owner-provocations.ts';
import type { Provocation, Stage } from './provocations.ts';
import { stageRoutes } from './route-provocations.ts';
import { stageRouted } from './routed-provocations.ts';
import { stageRefusedByFees } from './staged-fees.ts';
import { stageGroups } from './staged-groups.ts';
import { stageHolders } from './staged-holders.ts';
import { stageRecords } from './staged-records.ts';
import { stageAccess } from './access-provocations.ts';
import { stageSubscriptions } from './staged-subscriptions.ts';
import { stageTransactions } from './staged-transactions.ts';
import { stageValues } from './staged-values.ts';

/** Creates a record of every kind. */
export async function stageAll(client: Client): Promise<Readonly<{ book: Book; stage: Stage }>> {
  const book = await openBook(client, {
    assets: ['BRL', 'USD'],
    accounts: ['@bob'],
    funds: { '@alice': '500' },
  });
  const settings = { accounting: { requireHolder: true } };
  const strict = await createLedger(client, book.org, { name: 'Taken', settings });
  await createAsset(client, book.at.replace(book.ledger, strict.id));
  const usd = await createAccount(client, book.at, { alias: '@usd', assetCode: 'USD' });
  await createAccount(client, book.at, { alias: '@blocked', blocked: true });
  const paid = transfer('@alice', '@bob', '2');
  const { id, operations } = await posted(client, book.at, paid, { 'X-Idempotency': 'used' });
  const external = await got<Account>(client, `${book.at}/accounts/external/BRL`);
  const [asset] = (await got<List<Asset>>(client, `${book.at}/assets`)).items;
  const [balance] = (await got<List<Balance>>(client, `${book.at}/balances`)).items;
  const rate = { from: 'USD', to: 'BRL', rate: 5 };
  const put = await sendJson(client, { method: 'PUT', path: `${book.at}/asset-rates`, body: rate });
  await indexed(client, 'account', 'indexed');
  await Promise.all(Array.from({ length: 19 }, (_, n) => indexed(client, 'segment', `k${n}`)));
  const alone: Stage = {
    organization_id: book.org,
    ledger_id: book.ledger,
    asset_id: asset?.id ?? '',
    ...(await stageRecords(client, book)),
    account_id: operations[0]?.accountId ?? '',
    balance_id: balance?.id ?? '',
    transaction_id: id,
    operation_id: operations[0]?.id ?? '',
    alias: '@alice',
    asset_code: 'BRL',
    entity_name: 'account',
    index_key: 'indexed',
    ...{ producer: 'matching', key: 'account.created', version: '1.0.0' },
    external_id: (put.json() as AssetRate).externalId,
    'the organization': book.org,
    'the ledger of named holders': strict.id,
    'the ledger': book.ledger,
    'the account in USD': usd.id,
    ...(await stageTransactions(client, book)),
    ...(await stageRoutes(client, book)),
    ...(await stageRouted(client, book)),
    ...(await stageGroups(client, book)),
    'the external account': external.id,
    ...(await stageSubscriptions(client)),
    ...(await stageAccess(client)),
    ...(await stageFees(client, book)),
    ...(await stageBilling(client, book)),
    ...(await stageFeeDebts(client, book)),
    ...(await stageHolders(client, book)),
    ...(await stageOwners(client, book)),
  };
  const linked = await stageInstruments(client, book, alone['holder_id']);
  const stage = { ...alone, ...linked };
  await stageValues(client, book, stage);
  await stageRefusedByFees(client, book);
  return { book, stage };
}

/** Sends a provocation; a text goes out as it is. */
export const sendJson = (
  client: Client,
  { method = 'GET', path, headers, body }: Provocation,
): Promise<Answer> =>
  body === undefined
    ? client.send({ method, path, ...(headers && { headers }) })
    : client.send({
        method,
        path,
        headers: { 'Content-Type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });

/** A case may name an id that exists only now. */
export const named = (provocation: Provocation, stage: Stage): Provocation => ({
  ...provocation,
  ...(provocation.body !== undefined && {
    body:
      typeof provocation.body === 'string'
        ? provocation.body
        : JSON.stringify(provocation.body, (_, value: unknown) =>
            typeof value === 'string' && value.startsWith('the ') ? stage[value] : value,
          ),
  }),
});

async function indexed(client: Client, entity: string, metadataKey: string): Promise<void> {
  const path = `/v1/settings/metadata-indexes/entities/${entity}`;
  const answer = await client.post(path, { metadataKey });
  expect(answer.status, answer.text).to.equal(201);
}
