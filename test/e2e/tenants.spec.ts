import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { declaredRoutes as routes } from '#src/bootstrap/routes.ts';
import type { Route } from '#src/http/route.ts';
import type { CloudEvent } from 'cloudevents';
import { clientOf, type Answer, type Client } from '#test/support/client.ts';
import { cloudEventIn, openEventStream } from '#test/support/event-stream.ts';
import {
  AUDIENCE,
  startIdentityProvider,
  type IdentityProvider,
} from '#test/support/identity-provider.ts';
import { quipu } from '#test/support/quipu.ts';
import {
  eventCount,
  removeFolder,
  startServer,
  stopServer,
  temporaryFolder,
  until,
  type Server,
} from '#test/support/server.ts';
import { inFolders, storesOf } from '#test/support/stores.ts';
import { got, made, NOBODY, openBook, posted, transfer, type Book, type List } from './books.ts';
import { expectProblem } from './problems.ts';
import { bodies, pathOf, type Provocation, type Stage } from './provocations.ts';
import { named, sendJson, stageAll } from './stage-all.ts';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Words that say nothing of a tenant: they name settings, or producers of the catalog. */
const NO_IDS = ['entity_name', 'index_key', 'producer', 'key', 'version'];

/** They show something of the subject of the token, which no other tenant knows. */
const ABOUT_SUBJECTS = ['getUserinfo', 'getPermissions'];

const namesIn = ({ path }: Route): readonly string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

/** Nothing in the path could be another's: such an operation lists or creates what the caller has. */
const namesNothing = (route: Route): boolean =>
  route.headerParameter === undefined && namesIn(route).every((name) => NO_IDS.includes(name));

describe('tenants', function () {
  this.timeout(180_000);
  let provider: IdentityProvider;
  let server: Server;
  const dataDir = temporaryFolder();
  const tokens: Record<string, string> = {};
  const as = (tenant: string, undescribed = false): Client =>
    clientOf(() => server, {
      impatient: true,
      undescribed,
      headers: () => ({ Authorization: `Bearer ${tokens[tenant]}` }),
    });
  const acme = as('acme');
  const beta = as('beta');
  let settings: Readonly<Record<string, string>>;
  let stage: Stage;
  let theirs: Book;
  let own: Book;

  const tenant = async (...args: readonly string[]) => {
    const stores = await storesOf(dataDir).settings();
    return quipu(['tenant', ...args], '', { DATA_DIR: dataDir, ...stores, ...settings });
  };
  const signed = async (claims: object): Promise<string> => provider.sign(claims as never);

  before(async () => {
    provider = await startIdentityProvider();
    settings = {
      ...{ PLUGIN_AUTH_ENABLED: 'true', AUTHZ_MODE: 'none', MULTI_TENANT_ENABLED: 'true' },
      ...{ OIDC_ISSUER: provider.issuer, OIDC_AUDIENCE: AUDIENCE },
      ...{ STREAMING_ENABLED: 'true', STREAMING_CLOUDEVENTS_SOURCE: 'quipu.ledger' },
      ...{ AUTH_RATE_LIMIT_GENERAL: '1000000', AUTH_RATE_LIMIT_TOKEN: '1000000' },
      AUTH_RATE_LIMIT_PERMISSIONS: '1000000',
    };
    expect(await tenant('add', 'acme')).to.deep.include({ code: 0 });
    server = await startServer({ dataDir, env: settings });
    expect(await tenant('add', 'beta')).to.deep.include({ code: 0 });
    tokens['acme'] = await signed({ tenantId: 'acme' });
    tokens['beta'] = await signed({ tenantId: 'beta' });
    ({ stage, book: theirs } = await stageAll(acme));
    own = await openBook(beta, {
      assets: ['BRL'],
      accounts: ['@bob'],
      funds: { '@alice': '500' },
    });
  });
  after(async () => {
    acme.close();
    beta.close();
    await stopServer(server);
    removeFolder(dataDir);
    await provider.stop();
  });

  describe('that do not see each other', () => {
    /** A request for records of a stage, as their owner would send it. */
    const requestOf = (route: Route, on: Stage): Provocation => {
      const { headerParameter, method, operationId } = route;
      const request = {
        method: method.toUpperCase(),
        path: pathOf(route, on) + queryOf(route, on),
        ...(headerParameter && { headers: { [headerParameter.header]: on['organization_id'] } }),
        ...(route.body && { body: bodies[operationId] ?? {} }),
      };
      return named(request, on);
    };
    const absent = (): Readonly<{ on: Stage; backTo: ReadonlyMap<string, string> }> => {
      const fresh = new Map<string, string>();
      const on = Object.fromEntries(
        Object.entries(stage).map(([name, value]) => [
          name,
          value.replaceAll(UUID, (id) => {
            const other = fresh.get(id) ?? (id === NOBODY ? id : randomUUID());
            fresh.set(id, other);
            return other;
          }),
        ]),
      );
      return { on, backTo: new Map([...fresh].map(([id, other]) => [other, id])) };
    };
    /** Answers are equal but for the ids of the request and of what it created, and times. */
    const shown = ({ status, headers, text }: Answer, backTo: ReadonlyMap<string, string>) => {
      const known = new Set(backTo.values());
      const plain = (value: string): string =>
        value
          .replaceAll(UUID, (id) => backTo.get(id) ?? (known.has(id) ? id : '‹id›'))
          .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '‹time›');
      const { date: _, 'content-length': _length, 'x-consistency-token': token, ...more } = headers;
      const { ratelimit: _rate, ...rest } = more; // It counts these requests.
      return plain(JSON.stringify({ status, headers: rest, hasToken: token !== undefined, text }));
    };

    /** The answers about records of the other tenant, and about records that do not exist, below an organization. */
    const walked = async (route: Route, below: Stage): Promise<void> => {
      const { on, backTo } = absent();
      const before = await eventCount(server);
      const [found, missing] = await Promise.all(
        [stage, on].map((one) => sendJson(beta, requestOf(route, { ...one, ...below }))),
      );
      expect(shown(found!, backTo)).to.equal(shown(missing!, backTo));
      expect(found!.status, found!.text).to.be.within(200, 499);
      expect(await eventCount(server), 'events').to.equal(before);
    };
    const inOwn = (ids: readonly (keyof Book)[]): Stage => ({
      ...{ organization_id: own.org, 'the organization': own.org },
      ...(ids.includes('ledger') && { ledger_id: own.ledger, 'the ledger': own.ledger }),
    });

    for (const route of routes.filter((one) => !namesNothing(one))) {
      it(`${route.operationId} answers as if nothing were there`, () => walked(route, {}));
      if (namesIn(route).some((name) => !['organization_id', ...NO_IDS].includes(name))) {
        it(`${route.operationId} answers so below an organization of one's own`, () =>
          walked(route, inOwn(['org'])));
      }
      if (
        namesIn(route).some((name) => !['organization_id', 'ledger_id', ...NO_IDS].includes(name))
      ) {
        it(`${route.operationId} answers so below a ledger of one's own`, () =>
          walked(route, inOwn(['ledger'])));
      }
    }

    for (const route of routes.filter(namesNothing)) {
      if (route.method !== 'get' && route.method !== 'head') continue;
      if (ABOUT_SUBJECTS.includes(route.operationId)) continue;
      it(`${route.operationId} shows nothing of the other tenant`, async () => {
        const { status, headers, text } = await sendJson(beta, requestOf(route, stage));
        expect(status, text).to.be.within(200, 299);
        const ids = new Set(Object.values(stage).flatMap((value) => value.match(UUID) ?? []));
        ids.delete(NOBODY);
        expect(text.match(UUID)?.filter((id) => ids.has(id)) ?? []).to.deep.equal([]);
        if (route.operationId === 'countOrganizations') {
          expect(headers['x-total-count']).to.equal('1');
        }
      });
    }

    it('subjects are known in their own tenant only', async () => {
      const sub = stage['user_id'];
      const asked = async (tenantId: string) => {
        const headers = { Authorization: `Bearer ${await signed({ tenantId, sub })}` };
        const question = { sub: `acme/${sub!}`, resource: 'accounts', action: 'get' };
        const answers = [
          await acme.get('/v1/userinfo', headers),
          await acme.get('/v1/permissions', headers),
          await acme.post('/v1/authorize', question, headers),
        ];
        for (const { text } of tenantId === 'beta' ? answers : []) expect(text).to.not.contain(sub);
        return answers.map(({ status }) => status);
      };
      expect(await asked('acme')).to.deep.equal([200, 200, 200]);
      expect(await asked('beta')).to.deep.equal([400, 500, 500]);
    });

    it('lists are of one tenant', async () => {
      const sizes = async (client: Client) => {
        const lists = [
          ...['/v1/organizations', '/v1/settings/metadata-indexes', '/v1/subscriptions'],
          ...['/v1/users', '/v1/applications'],
        ];
        const found = lists.map((path) => got<List<unknown> | unknown[]>(client, path));
        return (await Promise.all(found)).map((list) =>
          Array.isArray(list) ? list.length : list.items.length,
        );
      };
      expect(await sizes(beta)).to.deep.equal([1, 0, 0, 0, 0]);
      for (const size of await sizes(acme)) expect(size).to.be.above(0);
    });

    it('cursors of the other tenant are malformed', async () => {
      const path = (book: Book) => `${book.at}/balances?limit=1`;
      const { next_cursor: cursor } = await got<{ next_cursor: string }>(acme, path(theirs));
      const foreign = { id: stage['balance_id'], points_next: true };
      for (const text of [cursor, Buffer.from(JSON.stringify(foreign)).toString('base64url')]) {
        const answer = await beta.get(`${path(own)}&cursor=${text}`);
        expectProblem(answer, 400, 'LDG-0082', { locations: ['query.cursor'] });
      }
    });

    it('consistency tokens of the other tenant are malformed, as those of no journal', async () => {
      const tokenOf = (token: object) => Buffer.from(JSON.stringify(token)).toString('base64url');
      const list = (token: object) =>
        beta.get(`${own.at}/accounts`, { 'X-Consistency-Token': tokenOf(token) });
      const names = [
        ...[`ledger-${theirs.ledger}`, `organization-${theirs.org}`, 'settings-acme'],
        ...[`ledger-${randomUUID()}`, 'settings-nobody', 'tenants', '$ce-ledger', '__proto__'],
      ];
      for (const name of names) {
        for (const revision of [0, 1_000_000]) {
          const answer = await list(JSON.parse(`{"${name}":${revision}}`) as object);
          expectProblem(answer, 400, 'LDG-0082', { locations: ['header.X-Consistency-Token'] });
        }
      }
      expect((await list({ [`ledger-${own.ledger}`]: 0 })).status).to.equal(200);
    });

    it('idempotency keys, aliases and unique names are of one tenant', async () => {
      const body = { name: 'Own', target: { kind: 'pull' } };
      const key = { 'X-Idempotency': 'used' }; // The other tenant used it for another body.
      const answer = await beta.post('/v1/subscriptions', body, key);
      expect([answer.status, answer.headers['x-idempotency-replayed']]).to.deep.equal([
        201,
        'false',
      ]);
      const index = { metadataKey: 'indexed' }; // The other tenant has it.
      const path = '/v1/settings/metadata-indexes/entities/account';
      expect((await beta.post(path, index)).status).to.equal(201);
      await posted(beta, own.at, transfer('@alice', '@bob', '2'), key);
    });

    it('events are followed, pulled and named by one tenant', async () => {
      const subscribe = async (client: Client) => {
        const body = { name: 'All', target: { kind: 'pull' }, filters: { types: ['*'] } };
        return (await made<{ id: string }>(client, '/v1/subscriptions', body)).id;
      };
      const [ofAcme, ofBeta] = [await subscribe(acme), await subscribe(beta)];
      const headers = { Authorization: `Bearer ${tokens['beta']}` };
      const path = `/v1/subscriptions/${ofBeta}/stream`;
      const stream = await openEventStream(server, path, { headers });
      await posted(acme, theirs.at, transfer('@alice', '@bob', '1'));
      await posted(beta, own.at, transfer('@alice', '@bob', '1'));
      const pulled = async (client: Client, id: string) => {
        const body = { max: 1000, waitMs: 5000 };
        const answer = await client.post(`/v1/subscriptions/${id}/messages/pull`, body);
        expect(answer.status, answer.text).to.equal(200);
        const { messages } = answer.json() as { messages: Readonly<{ event: CloudEvent }>[] };
        return messages.map(({ event }) => event);
      };
      const [toAcme, toBeta] = [await pulled(acme, ofAcme), await pulled(beta, ofBeta)];
      expect([...new Set(toAcme.map((event) => event['tenantid']))]).to.deep.equal(['acme']);
      expect([...new Set(toBeta.map((event) => event['tenantid']))]).to.deep.equal(['beta']);
      const sent = (await stream.have(toBeta.length)).map((message) => message.id);
      expect(sent).to.include.members(toBeta.map(({ id }) => id));
      expect(sent).not.to.include.members(toAcme.map(({ id }) => id));
      stream.close();

      // An id of the other tenant's event is one that is not known.
      const again = { ...headers, 'Last-Event-ID': toAcme[0]!.id };
      const resumed = await openEventStream(server, path, { headers: again });
      const [first] = await resumed.have(1);
      expect(cloudEventIn(first!)['tenantid']).to.equal('beta');
      resumed.close();
    });
  });

  describe('named by the token', () => {
    const refusals: [what: string, claims: object, status: number, code: string][] = [
      ['no tenant', {}, 401, 'LDG-0042'],
      ['an empty one', { tenantId: '' }, 401, 'LDG-0042'],
      ['a number', { tenantId: 7 }, 401, 'LDG-0042'],
      ['the reserved one', { tenantId: 'default' }, 422, 'LDG-0146'],
      ['an impossible one', { tenantId: 'a b' }, 422, 'LDG-0146'],
      ['a very long one', { tenantId: 'a'.repeat(129) }, 422, 'LDG-0146'],
      ['an unknown one', { tenantId: 'nobody' }, 404, 'LDG-0160'],
      ['one of another case', { tenantId: 'ACME' }, 404, 'LDG-0160'],
      ['one of every object', { tenantId: 'constructor' }, 404, 'LDG-0160'],
    ];
    for (const [what, claims, status, code] of refusals) {
      it(`${what} is ${status} ${code}, whatever headers say`, async () => {
        const headers = {
          Authorization: `Bearer ${await signed(claims)}`,
          ...{ 'X-Tenant-ID': 'acme', 'X-Tenant-Id': 'acme', 'ce-tenantid': 'acme' },
        };
        expectProblem(await acme.get('/v1/organizations', headers), status, code, {
          entityType: 'Organization',
        });
        const number = code.slice(3);
        const isAbsent = code === 'LDG-0042'; // The contract has numbers for it.
        const users = isAbsent ? 'IDE-0009' : `IDE${number}`;
        expectProblem(await acme.get('/v1/users', headers), status, users);
        const tokenCode = isAbsent ? 'AUT-0007' : `AUT${number}`;
        expectProblem(await acme.get('/v1/permissions', headers), status, tokenCode);
      });
    }

    it('is not the one of a header', async () => {
      const { items } = (
        await beta.get('/v1/organizations', { 'X-Tenant-ID': 'acme' })
      ).json() as List<{ id: string }>;
      expect(items.map(({ id }) => id)).to.deep.equal([own.org]);
    });

    it('is suspended within five seconds, streams included, and admitted again', async () => {
      const client = as('gamma');
      tokens['gamma'] = await signed({ tenantId: 'gamma' });
      expect((await tenant('add', 'gamma')).stdout).to.equal('The tenant gamma is active.\n');
      const list = () => client.get('/v1/organizations');
      await until(async () => (await list()).status === 200, 5000, 'the new tenant');
      const body = { name: 'All', target: { kind: 'pull' } };
      const { id } = await made<{ id: string }>(client, '/v1/subscriptions', body);
      const stream = await openEventStream(server, `/v1/subscriptions/${id}/stream`, {
        headers: { Authorization: `Bearer ${tokens['gamma']}` },
      });
      expect(stream.response.statusCode).to.equal(200);
      expect((await tenant('suspend', 'gamma')).code).to.equal(0);
      await until(async () => (await list()).status === 403, 5000, 'the suspension');
      expectProblem(await list(), 403, 'LDG-0159', { entityType: 'Organization' });
      expectProblem(await client.get('/v1/groups'), 403, 'IDE-0159', { entityType: 'Group' });
      expectProblem(await client.get('/v1/userinfo'), 403, 'AUT-0159', { entityType: 'User' });
      await until(() => stream.hasEnded(), 5000, 'the end of the stream');
      const { stdout } = await tenant('list');
      expect(stdout).to.equal('acme  active\nbeta  active\ngamma  suspended\n');
      const asJson = JSON.parse((await tenant('list', '--json')).stdout) as unknown[];
      expect(asJson).to.deep.include({ id: 'gamma', status: 'suspended', recordedAs: 'gamma' });
      expect(asJson).to.have.length(3);
      expect((await tenant('add', 'gamma')).code).to.equal(0);
      await until(async () => (await list()).status === 200, 5000, 'the tenant');
      client.close();
    });
  });

  describe('of the command line', () => {
    it('are refused for ids that cannot be, and changed once', async () => {
      for (const id of ['default', '', 'a b', '-', 'a'.repeat(129)]) {
        expect((await tenant('add', '--', id)).code, id).to.equal(2);
      }
      expect((await tenant('suspend', 'nobody')).stderr).to.contain('There is no tenant nobody.');
      const before = await eventCount(server);
      expect((await tenant('add', 'acme')).stdout).to.equal(
        'The tenant acme is active, as before.\n',
      );
      expect(await eventCount(server)).to.equal(before);
      expect((await tenant('remove', 'acme')).code).to.equal(2);
    });

    inFolders.it('leave a log that verifies', async () => {
      const { code, stdout, stderr } = await quipu(['verify', dataDir]);
      expect(code, stderr).to.equal(0);
      expect(stdout).to.match(/^tenants: /m);
      expect(stdout).not.to.contain('no rules');
      const replayed = await quipu(['replay', dataDir]);
      expect(replayed.code, replayed.stderr + replayed.stdout).to.equal(0);
    });
  });
});

/** The filters that an operation must have, and those that name records. */
function queryOf({ filters }: Route, on: Stage): string {
  const values = Object.entries(filters).flatMap(([name, { required }]) => {
    const value = on[name] ?? (required === true ? '2026-01-01' : undefined);
    return value === undefined || !(required === true || name.endsWith('_id'))
      ? []
      : [`${name}=${encodeURIComponent(value)}`];
  });
  return values.length === 0 ? '' : `?${values.join('&')}`;
}
