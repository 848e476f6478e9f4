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
  got,
  ORGANIZATIONS,
  posted,
  transfer,
  type Balance,
  type Book,
  type List,
} from './books.ts';
import { expectProblem, GENERIC } from './problems.ts';
import { createSamples } from './error-samples.ts';
import {
  outOfReach,
  provocationOf,
  cannotBeUnavailable,
  type Provocation,
  type Stage,
} from './provocations.ts';
import { named, sendJson, stageAll } from './stage-all.ts';

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
    const { book, stage: staged } = await stageAll(client);
    stage = staged;
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

  const send = (provocation: Provocation, through = client): Promise<Answer> =>
    sendJson(through, provocation);

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
              : send(named(provocation, stage)));
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
