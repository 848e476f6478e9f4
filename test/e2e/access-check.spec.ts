import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import type { CryptoKey } from 'jose';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { clientOf, type Answer } from '#test/support/client.ts';
import {
  AUDIENCE,
  CLIENT,
  startIdentityProvider,
  type IdentityProvider,
} from '#test/support/identity-provider.ts';
import { FIRST_ACCESS } from '#test/support/local-access.ts';
import { removeFolder, startServer, stopServer, until, type Server } from '#test/support/server.ts';
import { inFolders } from '#test/support/stores.ts';

type Event = Readonly<{ metadata: Readonly<{ actor: object }> }>;
type Operation = Readonly<{ method: string; path: string; permission: string }>;

/** Every operation as described, with an id for each parameter. */
const operations: readonly Operation[] = Object.entries(
  (
    JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as {
      paths: Record<string, Record<string, { 'x-permission': string }>>;
    }
  ).paths,
).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([method]) => ['get', 'put', 'post', 'patch', 'delete', 'head'].includes(method))
    .filter(([, { 'x-permission': permission }]) => permission !== 'none')
    .map(([method, { 'x-permission': permission }]) => ({
      method: method.toUpperCase(),
      path: path.replace(/\{\w+\}/g, '0190a1c0-0000-7000-8000-000000000001'),
      permission: permission.replace(/^core:/, 'quipu:'),
    })),
);

const ANY_TOKEN = 'any token';

/** Access routes have code words of their own. */
function expectedOf({ method, path }: Operation, answer: string): string {
  const status = answer.slice(0, 3);
  if (method === 'HEAD') return status;
  const code = answer.slice(4);
  if (/^\/v1\/(users|groups|applications)/.test(path)) return `${status} ${IDENTITY[code]!}`;
  return /^\/v1\/(userinfo|permissions|authorize)$/.test(path)
    ? `${status} ${TOKENS[code]!}`
    : answer;
}
const IDENTITY: Readonly<Record<string, string>> = {
  ...{ 'LDG-0041': 'IDE-0008', 'LDG-0042': 'IDE-0009' },
  ...{ 'LDG-0043': 'IDE-0043', 'LDG-0474': 'IDE-0474' },
};
const TOKENS: Readonly<Record<string, string>> = {
  ...{ 'LDG-0041': 'AUT-0006', 'LDG-0042': 'AUT-0007', 'LDG-0474': 'AUT-1003' },
};

describe('access by tokens of an OpenID Connect provider', function () {
  this.timeout(120_000);
  let provider: IdentityProvider;
  let server: Server;
  const client = clientOf(() => server, { impatient: true });
  const settings = () => ({
    PLUGIN_AUTH_ENABLED: 'true',
    OIDC_ISSUER: provider.issuer,
    OIDC_AUDIENCE: AUDIENCE,
  });
  before(async () => {
    provider = await startIdentityProvider();
    server = await startServer({
      env: {
        ...settings(),
        ...FIRST_ACCESS,
        AUTHZ_MODE: 'claims',
        OIDC_ROLE_MAP:
          'reader=quipu-viewer-group, boss=admin-group, cashier=plugin-fees-editor-group',
      },
    });
  });
  after(async () => {
    client.close();
    await stopServer(server);
    removeFolder(server.dataDir);
    await provider.stop();
  });

  const ask = async ({ method, path }: Pick<Operation, 'method' | 'path'>, token?: string) => {
    const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    return client.send({ method, path, headers });
  };
  const codeOf = async (operation: Operation, token?: string) => {
    const { status, text } = await ask(operation, token);
    const { code } = text === '' ? {} : (JSON.parse(text) as { code?: string });
    return operation.method === 'HEAD' ? String(status) : `${status} ${code ?? ''}`;
  };

  it('is checked in front of every operation, and nothing but the right token passes', async () => {
    const now = Math.floor(Date.now() / 1000);
    const all = { permissions: ['*:*:*'] };
    const rs = provider.keys()['RS256']!;
    const [, payload] = (await provider.sign(all)).split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const asHmacKey = new TextEncoder().encode(String(rs.jwk.n)) as unknown as CryptoKey;
    const refused: Record<string, [token: string | undefined, answer: string]> = {
      'no token': [undefined, '401 LDG-0041'],
      malformed: ['abc.def.ghi', '401 LDG-0042'],
      expired: [await provider.sign({ ...all, exp: now - 60 }), '401 LDG-0042'],
      'wrong audience': [await provider.sign({ ...all, aud: 'other' }), '401 LDG-0042'],
      'wrong issuer': [await provider.sign({ ...all, iss: 'https://other' }), '401 LDG-0042'],
      none: [`${none}.${payload!}.`, '401 LDG-0042'],
      HS256: [
        await provider.sign(all, { alg: 'HS256', kid: rs.kid, key: asHmacKey }),
        '401 LDG-0042',
      ],
      'no subject': [await provider.sign({ ...all, sub: '' }), '401 LDG-0474'],
      'no permission': [await provider.sign(), '403 LDG-0043'],
    };
    const cells: string[] = [];
    let count = 0;
    for (const operation of operations) {
      for (const [what, [token, answer]] of Object.entries(refused)) {
        if (operation.permission === ANY_TOKEN && what === 'no permission') continue;
        const said = await codeOf(operation, token);
        count += 1;
        const expected = expectedOf(operation, answer);
        if (said !== expected) cells.push(`${operation.method} ${operation.path} ${what}: ${said}`);
      }
    }
    expect(cells).to.deep.equal([]);
    expect(count).to.be.above(2000);
  });

  it('lets a caller with exactly the permission that is described pass, and no other one', async () => {
    const cells: string[] = [];
    const guarded = operations.filter(({ permission }) => permission !== ANY_TOKEN);
    const permissions = [...new Set(guarded.map(({ permission }) => permission))];
    const tokens = new Map(
      await Promise.all(
        permissions.map(async (one) => [one, await provider.sign({ permissions: [one] })] as const),
      ),
    );
    for (const [n, operation] of guarded.entries()) {
      const right = await ask(operation, tokens.get(operation.permission));
      const other =
        permissions[(permissions.indexOf(operation.permission) + 1 + n) % permissions.length]!;
      const wrong = await ask(operation, tokens.get(other));
      const isOther = other !== operation.permission;
      if ([401, 403].includes(right.status) || (isOther && wrong.status !== 403)) {
        cells.push(
          `${operation.method} ${operation.path}: ${right.status}, ${wrong.status} with ${other}`,
        );
      }
    }
    expect(cells).to.deep.equal([]);
  });

  it('needs no token for probes and pages', async () => {
    for (const path of ['/health', '/readyz', '/version', '/openapi.json', '/docs', '/metrics']) {
      expect((await ask({ method: 'GET', path })).status, path).to.equal(200);
    }
    const unknown = await ask({ method: 'GET', path: '/v1/nothing' });
    expect(unknown.status).to.equal(404);
  });

  it('lets pages of every origin ask, and read what they are answered', async () => {
    const path = '/v1/organizations';
    const Origin = 'https://app.example';
    const asked = await client.send({
      method: 'OPTIONS',
      path,
      headers: {
        Origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization, x-idempotency',
      },
    });
    expect(asked.status).to.equal(204);
    expect(asked.headers).to.include({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET,POST,HEAD,PUT,DELETE,PATCH',
      'access-control-allow-headers': 'authorization, x-idempotency',
    });
    expect(asked.headers).not.to.have.property('access-control-allow-credentials');
    const Authorization = `Bearer ${await provider.sign({ permissions: ['quipu:*:*'] })}`;
    for (const [headers, status] of [
      [{ Origin }, 401],
      [{ Origin, Authorization }, 200],
      [{ Origin: 'null', Authorization }, 200],
    ] as const) {
      const answer = await client.get(path, headers);
      expect(answer.status).to.equal(status);
      expect(answer.headers).to.include({ 'access-control-allow-origin': '*' });
    }
    const written = await client.post(path, {}, { Origin, 'Sec-Fetch-Site': 'cross-site' });
    expect([written.status, written.headers['access-control-allow-origin']]).to.deep.equal([
      401,
      '*',
    ]);
    expect((await client.get(path)).headers).not.to.have.property('access-control-allow-origin');
  });

  it('says how to authenticate, and takes the bare token of existing clients', async () => {
    const path = '/v1/organizations';
    const missing = await ask({ method: 'GET', path });
    expect(missing.headers['www-authenticate']).to.equal('Bearer');
    const token = await provider.tokenFor(['quipu:organizations:get']);
    for (const Authorization of [`Bearer ${token}`, `bearer ${token}`, token]) {
      expect((await client.get(path, { Authorization })).status).to.equal(200);
    }
    for (const Authorization of ['', 'Bearer', 'Bearer ', 'Basic YTpi', `Bearer ${token} x`]) {
      const { status, text } = await client.get(path, { Authorization });
      expect(status, Authorization).to.equal(401);
      expect(text).to.match(/LDG-004[12]/);
    }
  });

  it('knows the groups that roles of the provider stand for', async () => {
    const statusOf = async (method: string, path: string, claims: object) =>
      (await ask({ method, path }, await provider.sign(claims as never))).status;
    const organizations = '/v1/organizations';
    expect(await statusOf('GET', organizations, { roles: ['reader'] })).to.equal(200);
    expect(await statusOf('GET', organizations, { groups: 'other reader' })).to.equal(200);
    expect(await statusOf('GET', organizations, { realm_access: { roles: ['reader'] } })).to.equal(
      200,
    );
    expect(await statusOf('POST', organizations, { roles: ['reader'] })).to.equal(403);
    expect(await statusOf('POST', organizations, { roles: ['boss'] })).to.equal(400);
    expect(await statusOf('GET', organizations, { roles: ['cashier'] })).to.equal(403);
    expect(await statusOf('GET', '/v1/packages', { roles: ['cashier'] })).to.equal(400);
    expect(await statusOf('GET', organizations, { roles: ['stranger'] })).to.equal(403);
    expect(await statusOf('GET', organizations, { roles: [7, null, {}] })).to.equal(403);
  });

  inFolders.it('records who asked in every event', async () => {
    const permissions = ['quipu:organizations:post', 'quipu:ledgers:post', 'quipu:journal:get'];
    const headers = {
      Authorization: `Bearer ${await provider.tokenFor(permissions)}`,
      'Content-Type': 'application/json',
    };
    const organization = await client.post(
      '/v1/organizations',
      { legalName: 'Shop', legalDocument: '1' },
      headers,
    );
    expect(organization.status, organization.text).to.equal(201);
    const { id } = organization.json() as { id: string };
    const ledger = await client.post(`/v1/organizations/${id}/ledgers`, { name: 'Main' }, headers);
    expect(ledger.status, ledger.text).to.equal(201);
    const actorsOf = async (created: Answer) => {
      const { id: ledgerId } = created.json() as { id: string };
      const journal = await client.get(
        `/v1/organizations/${id}/ledgers/${ledgerId}/journal`,
        headers,
      );
      expect(journal.status, journal.text).to.equal(200);
      const events = journal.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Event);
      return events.map(({ metadata }) => metadata.actor);
    };
    expect(await actorsOf(ledger)).to.deep.equal([
      { type: 'application', id: CLIENT, clientId: CLIENT },
    ]);
    const user = { Authorization: `Bearer ${await provider.sign({ permissions })}` };
    const second = await client.post(
      `/v1/organizations/${id}/ledgers`,
      { name: 'Second' },
      { ...headers, ...user },
    );
    expect(await actorsOf(second)).to.deep.equal([{ type: 'user', id: 'ana', clientId: CLIENT }]);
  });

  it('says so if the keys of the provider cannot be had, and recovers', async () => {
    const token = await provider.sign();
    const fresh = await startServer({ env: { ...settings(), AUTHZ_MODE: 'none' } });
    const other = clientOf(() => fresh, { impatient: true });
    const list = () => other.get('/v1/organizations', { Authorization: `Bearer ${token}` });
    try {
      provider.away(true);
      const refused = await list();
      expect([refused.status, (refused.json() as { code: string }).code]).to.deep.equal([
        500,
        'LDG-0045',
      ]);
      provider.away(false);
      await until(async () => (await list()).status === 200, 5000, 'the keys');
    } finally {
      provider.away(false);
      other.close();
      await stopServer(fresh);
      removeFolder(fresh.dataDir);
    }
  });

  it('guards the metrics where other machines reach the server', async () => {
    const exposed = await startServer({
      env: { ...settings(), AUTHZ_MODE: 'none', HOST: '0.0.0.0' },
    });
    const other = clientOf(() => exposed, { impatient: true });
    try {
      expect((await other.get('/metrics')).status).to.equal(401);
      expect((await other.get('/health')).status).to.equal(200);
      const headers = { Authorization: `Bearer ${await provider.sign()}` };
      expect((await other.get('/metrics', headers)).status).to.equal(200);
    } finally {
      other.close();
      await stopServer(exposed);
      removeFolder(exposed.dataDir);
    }
  });

  it('asks the access management that is named, with the token of the caller', async () => {
    const asked: unknown[] = [];
    let answer: [status: number, body: string] = [200, '{"authorized":true}'];
    const management = createServer((request, response) => {
      void (async () => {
        const { authorization } = request.headers;
        const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>);
        const body = JSON.parse(Buffer.concat(chunks).toString()) as object;
        asked.push({
          ...body,
          at: request.url,
          service: request.headers['x-service-token'],
          authorization,
        });
        response.writeHead(answer[0], { 'Content-Type': 'application/json' }).end(answer[1]);
      })();
    }).listen(0, '127.0.0.1');
    await once(management, 'listening');
    const { port } = management.address() as AddressInfo;
    const remote = await startServer({
      env: {
        ...settings(),
        PLUGIN_AUTH_ADDRESS: `http://127.0.0.1:${port}/`,
        AUTH_SERVICE_TOKEN: 'of this process',
      },
    });
    const other = clientOf(() => remote, { impatient: true });
    const token = await provider.sign({ owner: 'acme' });
    const bearer = { Authorization: `Bearer ${token}` };
    const list = () => other.get('/v1/organizations', bearer);
    try {
      const patient = clientOf(() => remote);
      expect((await patient.get('/v1/organizations', bearer)).status).to.equal(200);
      patient.close();
      asked.length = 0; // A first read may have come again.
      expect((await list()).status).to.equal(200);
      expect(asked).to.deep.equal([
        {
          ...{ sub: 'acme/ana', resource: 'organizations', action: 'get', product: 'quipu' },
          ...{ at: '/v1/authorize', service: 'of this process', authorization: `Bearer ${token}` },
        },
      ]);
      const cases: [[status: number, body: string], number, string][] = [
        [[200, '{"authorized":false}'], 403, 'LDG-0043'],
        [[200, '{"authorized":"yes"}'], 500, 'LDG-0044'],
        [[404, '{}'], 500, 'LDG-0044'],
        [[503, '{}'], 503, 'LDG-0501'],
        [[200, 'no JSON'], 503, 'LDG-0501'],
      ];
      for (const [said, status, code] of cases) {
        answer = said;
        const refused = await list();
        expect([refused.status, (refused.json() as { code: string }).code]).to.deep.equal([
          status,
          code,
        ]);
      }
      management.close();
      management.closeAllConnections();
      const away = await list();
      expect([away.status, away.headers['retry-after']]).to.deep.equal([503, '1']);
    } finally {
      other.close();
      management.close();
      await stopServer(remote);
      removeFolder(remote.dataDir);
    }
  });
});
