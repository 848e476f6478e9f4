import { expect } from 'chai';
import fc from 'fast-check';
import { openapiOf } from '#src/http/openapi.ts';
import type { Description } from '#src/http/pages/description.ts';
import { routes } from '#src/bootstrap/routes.ts';
import { got, openBook, posted, transfer, type Organization, type List } from '#test/e2e/books.ts';
import { bodies } from '#test/e2e/provocations.ts';
import { clientOf, type Answer } from '#test/support/client.ts';
import {
  ADMIN,
  FIRST_ACCESS,
  FIRST_CLIENT,
  LOGIN,
  type Tokens,
} from '#test/support/local-access.ts';
import { quipu } from '#test/support/quipu.ts';
import { serverOfBlock, stopServer } from '#test/support/server.ts';
import { anyRequest, type Planned } from './requests.ts';
import { World, type Told } from './world.ts';

const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000);
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 100_000);
const AT_ONCE = 16;
const ROUND = 1000;
/** To have asked for the rarest operation, in all likelihood. */
const ENOUGH = 50_000;

/** Version 2 answers 500 for stored billing packages that cannot be calculated (contract fees, table of errors). */
const OF_PACKAGES: readonly unknown[] = ['FEE-0060', 'FEE-0062'];
const isOfPackage = ({ status, text }: Answer): boolean =>
  status === 500 && OF_PACKAGES.includes((JSON.parse(text) as { code: unknown }).code);

/** Whoever gets another password cannot log in again. */
const isOfAdministrator = (text: string): boolean =>
  [ADMIN.username, FIRST_CLIENT.clientId].some((name) => text.includes(name));

const HERE = new Map<unknown, string>([
  ['the organization', '«organization:0»'],
  ['the ledger', '«ledger:0»'],
]);

/** A body in which ids on the stage of provocations are those of the ledger that is asked. */
const toFill = (body: object | undefined): object | undefined =>
  body &&
  (JSON.parse(JSON.stringify(body, (_, value: unknown) => HERE.get(value) ?? value)) as object);

/**
 * Requests made from the description of the API, right and wrong ones: no answer is a fault, none has a status that
 * is not documented, none breaks its schema (the client looks at each). A failure names the seed and the request.
 */
describe(`${REQUESTS} requests over all operations, seed ${SEED}`, function () {
  this.timeout(30 * 60_000);
  const server = serverOfBlock({ env: FIRST_ACCESS });
  let token = '';
  const client = clientOf(server, {
    connections: AT_ONCE,
    headers: () => ({ Authorization: `Bearer ${token}` }),
  });
  /** Operations of access management need a token even while it is off; requests end sessions, their own included. */
  const logIn = async (): Promise<void> => {
    const answer = await client.post(LOGIN, { grantType: 'password', ...ADMIN });
    token = (answer.json() as Tokens).accessToken;
  };
  after(() => client.close());

  const description = openapiOf(routes) as Description;
  const kinds = new Set(
    Object.keys(description.paths).flatMap((path) =>
      [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
    ),
  );
  const any = anyRequest(description, (id) => toFill(bodies[id] ?? bodies[id.replace(/V2$/, '')]));
  const world = new World(client);
  const statuses = new Map<string, Map<number, number>>();

  it('are answered as described', async () => {
    await world.open();
    for (let sent = 0, round = 0; sent < REQUESTS; sent += ROUND, round += 1) {
      await logIn();
      const planned = fc.sample(any, {
        seed: SEED + round,
        numRuns: Math.min(ROUND, REQUESTS - sent),
      });
      await atOnce(planned, ask);
      await world.renew();
    }
    const unasked = routes.filter(({ operationId }) => !statuses.has(operationId));
    if (REQUESTS >= ENOUGH) expect(unasked.map(({ operationId }) => operationId)).to.deep.equal([]);
  });

  it('leave a server that answers', async () => {
    expect((await client.get('/readyz')).status).to.equal(200);
    const { items } = await got<List<Organization>>(client, '/v1/organizations');
    expect(items).not.to.be.empty;
    const book = await openBook(client, { accounts: ['@bob'], funds: { '@alice': '5' } });
    await posted(client, book.at, transfer('@alice', '@bob', '5'));
  });

  it('leave a sound folder', async () => {
    await stopServer(server());
    const said = await quipu(['verify', server().dataDir]);
    expect(said, said.stderr).to.include({ code: 0 });
    expect(said.stdout).to.match(/Sound: \d+ events in \d+ journals\.\n$/);
  });

  after(() => {
    const all = [...statuses.values()].flatMap((counts) => [...counts]);
    const total = new Map<number, number>();
    for (const [status, n] of all) total.set(status, (total.get(status) ?? 0) + n);
    const told = [...total].sort(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`);
    const never = [...statuses].filter(([, counts]) => ![...counts.keys()].some((s) => s < 300));
    console.log(`    answers ${told.join(', ')}`);
    console.log(`    never accepted: ${never.map(([id]) => id).join(', ') || 'none'}`);
  });

  async function ask(planned: Planned): Promise<void> {
    const { operationId, template, method, headers } = planned;
    await world.ready();
    const told = world.told(planned);
    const { status, text } = await answered(planned, told, headers);
    const counts = statuses.get(operationId) ?? new Map<number, number>();
    statuses.set(operationId, counts.set(status, (counts.get(status) ?? 0) + 1));
    if (status >= 300) return;
    if (method === 'DELETE' && /\{(organization|ledger)_id\}$/.test(template)) await told.lost();
    const kind = kindOf(template);
    if (kind !== undefined && !isOfAdministrator(text)) told.learn(kind, text);
  }

  async function answered(
    { method }: Planned,
    { path, body }: Told,
    headers: Planned['headers'],
  ): Promise<Answer> {
    const sent = { method, path, headers, ...(body !== undefined && { body }) };
    try {
      // What has not been projected for two seconds it asks for again; nothing else may fail for a moment.
      const answer = await client.send(sent);
      if (answer.status >= 500 && !isOfPackage(answer)) {
        throw new Error(`${answer.status} ${answer.text}`);
      }
      return answer;
    } catch (error) {
      const request = JSON.stringify({ ...sent, body: body?.slice(0, 4000) });
      throw new Error(`Seed ${SEED}, request ${request}`, { cause: error });
    }
  }

  /** What the last part of a path that names a kind of thing is about: `…/transactions/json`, a transaction. */
  const kindOf = (template: string): string | undefined =>
    template
      .split('/')
      .map((part) => `${part.replaceAll('-', '_').replace(/s$/, '')}_id`)
      .findLast((kind) => kinds.has(kind));
});

/** Works on all of them, so many at once. */
async function atOnce<Item>(items: readonly Item[], work: (item: Item) => Promise<void>) {
  let next = 0;
  const line = async (): Promise<void> => {
    for (;;) {
      const item = items[next++];
      if (item === undefined) return;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, line));
}
