import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalog } from '#src/bootstrap/refusals.ts';
import type { RefusalName } from '#src/kernel/errors.ts';
import { refusalIn } from '#src/http/error-code.ts';
import { refusalsOf } from '#src/http/operation-refusals.ts';
import type { Route } from '#src/http/route.ts';
import { declaredRoutes as routes } from '#src/bootstrap/routes.ts';
import { clientOf, type Answer, type Client } from '#test/support/client.ts';
import { FIRST_ACCESS, FIRST_CLIENT, LOGIN, type Tokens } from '#test/support/local-access.ts';
import {
  eventCount,
  removeFolder,
  startServer,
  stopServer,
  type Server,
} from '#test/support/server.ts';
import {
  createAccount,
  createAsset,
  createLedger,
  got,
  openBook,
  ORGANIZATIONS,
  posted,
  transfer,
  type Account,
  type Asset,
  type AssetRate,
  type Balance,
  type Book,
  type List,
} from './books.ts';
import { expectProblem, GENERIC } from './problems.ts';
import { createSamples } from './error-samples.ts';
import { stageRoutes } from './route-provocations.ts';
import { stageRouted } from './routed-provocations.ts';
import { stageAccess } from './access-provocations.ts';
import { stageBilling } from './billing-provocations.ts';
import { stageFeeDebts } from './fee-debt-provocations.ts';
import { stageFees } from './fee-provocations.ts';
import { stageRefusedByFees } from './staged-fees.ts';
import { stageGroups } from './staged-groups.ts';
import { stageRecords } from './staged-records.ts';
import { stageValues } from './staged-values.ts';
import { stageOwners } from './owner-provocations.ts';
import { stageInstruments } from './instrument-provocations.ts';
import { stageHolders } from './staged-holders.ts';
import { stageSubscriptions } from './staged-subscriptions.ts';
import { stageTransactions } from './staged-transactions.ts';
import {
  outOfReach,
  provocationOf,
  cannotBeUnavailable,
  type Provocation,
  type Stage,
} from './provocations.ts';

/** Every refusal that the route table declares is provoked over HTTP, and leaves nothing behind. */
describe('declared refusals', function () {
  this.timeout(120_000);

  let server: Server;
  /** Access routes are always checked. */
  let token = '';
  const headers = () => ({ Authorization: `Bearer ${token}` });
  const client = clientOf(() => server, { headers });
  const impatient = clientOf(() => server, { impatient: true, headers });
  let stage: Stage = {};
  /** A consistency token is waited for: those answers are asked for together, in advance. */
  const slow = new Map<string, Promise<Answer>>();
  const samples = createSamples();

  before(async () => {
    server = await startServer({ env: { MAX_PAGINATION_MONTH_DATE_RANGE: '3', ...FIRST_ACCESS } });
    const login = { grantType: 'client_credentials', ...FIRST_CLIENT };
    token = ((await client.post(LOGIN, login)).json() as Tokens).accessToken;
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
    const put = await send({ method: 'PUT', path: `${book.at}/asset-rates`, body: rate });
    await indexed('account', 'indexed');
    await Promise.all(Array.from({ length: 19 }, (_, n) => indexed('segment', `k${n}`)));
    stage = {
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
    const linked = await stageInstruments(client, book, stage['holder_id']);
    stage = { ...stage, ...linked };
    await stageValues(client, book, stage);
    await stageRefusedByFees(client, book);
    await createAccount(client, book.at, { alias: '@muted' });
    await muteAccount(client, book, '@muted');
    for (const { operation, name, provocation } of cases()) {
      if (name === 'UNAVAILABLE') slow.set(operation, send(provocation, impatient));
    }
    await Promise.all(slow.values());
  });
  after(async () => {
    client.close();
    impatient.close();
    await stopServer(server);
    removeFolder(server.dataDir);
  });

  const indexed = async (entity: string, metadataKey: string): Promise<void> => {
    const path = `/v1/settings/metadata-indexes/entities/${entity}`;
    const answer = await client.post(path, { metadataKey });
    expect(answer.status, answer.text).to.equal(201);
  };

  const send = (
    { method = 'GET', path, headers, body }: Provocation,
    through = client,
  ): Promise<Answer> =>
    body === undefined
      ? through.send({ method, path, ...(headers && { headers }) })
      : through.send({
          method,
          path,
          headers: { 'Content-Type': 'application/json', ...headers },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        });

  function* cases() {
    for (const route of routes) {
      for (const [status, names] of refusalsOf(route)) {
        for (const name of names) {
          if (name in outOfReach || cannotBeUnavailable(route, name)) continue;
          const provocation = provocationOf(route, name, stage);
          if (provocation === undefined) continue;
          yield { operation: route.operationId, name, status, provocation };
        }
      }
    }
  }

  for (const route of routes) {
    describe(`of ${route.operationId}`, () => {
      for (const [status, names] of refusalsOf(route)) {
        for (const name of names) {
          if (name in outOfReach || cannotBeUnavailable(route, name)) continue;
          const { code } = refusalIn(name, route);
          it(`${name} is ${status} ${code}`, async () => {
            const provocation = provocationOf(route, name, stage);
            if (provocation === undefined) throw new Error('Nothing provokes it: add a case');
            const before = await eventCount(server);
            const answer = await (slow.get(route.operationId) !== undefined &&
            name === 'UNAVAILABLE'
              ? slow.get(route.operationId)
              : send(named(provocation)));
            if (answer === undefined) throw new Error('There is no answer');
            if (provocation.method === 'HEAD') {
              expect([answer.status, answer.text]).to.deep.equal([status, '']); // The status alone.
            } else {
              const problem = expectProblem(answer, status, code, {
                entityType: entityTypeOf(route, name),
              });
              samples.take(name, problem);
            }
            expect(await eventCount(server), 'events').to.equal(before);
          });
        }
      }
    });
  }

  describe('when all of them were provoked', () => {
    it('are the samples of the error pages', () => samples.check());
  });

  it('are all in the catalogue of the documentation', () => {
    const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'errors.md'), 'utf8');
    const codes = new Set<RefusalName>(
      routes.flatMap((route) => [...refusalsOf(route).values()].flat()),
    );
    for (const name of codes) expect(page).to.contain(catalog[name]!.code);
  });

  it('leave what is there as it was', async () => {
    const book = {
      at: `${ORGANIZATIONS}/${stage['organization_id']}/ledgers/${stage['ledger_id']}`,
    };
    await posted(client, book.at, transfer('@alice', '@bob', '1'));
  });

  /** A case may name an id that exists only now. */
  const named = (provocation: Provocation): Provocation => ({
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
});

/** What a problem document names as the kind of resource (contract ledger §1.8). */
function entityTypeOf({ entityType, operationId }: Route, name: RefusalName): string | null {
  if (GENERIC.includes(catalog[name]!.code)) return null;
  if (name === 'TOO_LARGE' || name === 'TOO_DEEP' || name === 'TOO_MANY_KEYS') return 'request';
  if (name === 'NOT_FOUND' && operationId.startsWith('createFeePackage')) return 'Segment';
  if (name === 'NOT_FOUND' && operationId.startsWith('estimateFees')) return 'FeePackage';
  if (name === 'GROUP_NOT_FOUND') return 'Group';
  return name.startsWith('SETTING_') ? 'LedgerSettings' : entityType;
}

/** Its balance may not send any more. */
async function muteAccount(client: Client, { at }: Book, alias: string): Promise<void> {
  const path = `${at}/accounts/alias/${encodeURIComponent(alias)}/balances`;
  const [balance] = (await got<List<Balance>>(client, path)).items;
  const answer = await client.patch(`${at}/balances/${balance?.id}`, { allowSending: false });
  expect(answer.status, answer.text).to.equal(200);
}
