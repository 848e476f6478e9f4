import { expect } from 'chai';
import { routes } from '#src/bootstrap/routes.ts';
import { isOpen } from '#src/kernel/permission.ts';
import { clientOf } from '#test/support/client.ts';
import {
  AUDIENCE,
  startIdentityProvider,
  type IdentityProvider,
} from '#test/support/identity-provider.ts';
import { rawConnection, statusesIn } from '#test/support/raw-connection.ts';
import {
  eventCount,
  freePort,
  removeFolder,
  startServer,
  stopServer,
  until,
  type Server,
} from '#test/support/server.ts';

/** Operations without a permission (contract access §2 and §10): a token cannot be needed to get or to end one. */
const OPEN = [
  'get /.well-known/jwks.json',
  'get /.well-known/openid-configuration',
  'post /v1/login/oauth/access_token',
  'post /v1/login/oauth/refresh_token',
  'post /v1/logout',
];
const IDENTITIES = ['Users', 'Groups', 'Applications'] as const;

const LIST = '/v1/organizations';
const BODY = '{"legalName":"Shop","legalDocument":"1"}';

describe('no way around the check of access', function () {
  this.timeout(60_000);
  let provider: IdentityProvider;
  let server: Server;
  let token: string;
  let feesPort: number;
  let events: number;
  before(async () => {
    provider = await startIdentityProvider();
    feesPort = await freePort();
    server = await startServer({
      env: {
        ...{ PLUGIN_AUTH_ENABLED: 'true', OIDC_ISSUER: provider.issuer, OIDC_AUDIENCE: AUDIENCE },
        ...{ AUTHZ_MODE: 'none', FEES_PORT: String(feesPort) },
      },
    });
    token = await provider.sign();
    events = await eventCount(server);
  });
  after(async () => {
    await stopServer(server);
    removeFolder(server.dataDir);
    await provider.stop();
  });
  afterEach(async () => {
    expect(await eventCount(server), 'events').to.equal(events);
  });

  const answersTo = async (bytes: string, port = server.port): Promise<number[]> => {
    const connection = rawConnection(port, bytes);
    const timer = setTimeout(() => connection.socket.destroy(), 10_000);
    const received = await connection.closed;
    clearTimeout(timer);
    return statusesIn(received);
  };
  const get = (target: string, headers = '', method = 'GET', version = '1.1') =>
    `${method} ${target} HTTP/${version}\r\nHost: localhost\r\n${headers}Connection: close\r\n\r\n`;
  const post = (target: string, headers = '') =>
    `POST ${target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${BODY.length}\r\n${headers}Connection: close\r\n\r\n${BODY}`;

  it('is open for tokens, keys, probes and pages only, and every route has a permission of words', async () => {
    const open = routes.filter(({ permission }) => isOpen(permission));
    expect(open.map(({ method, path }) => `${method} ${path}`).sort()).to.deep.equal(OPEN);
    const client = clientOf(() => server, { impatient: true, undescribed: true });
    await until(async () => (await client.get('/readyz')).status === 200, 10_000, 'readiness');
    for (const path of ['/health', '/version', '/metrics', '/openapi.json', '/docs']) {
      expect((await client.get(path)).status, path).to.equal(200);
    }
    for (const { method, path } of open) {
      const { status } = await client.send({ method: method.toUpperCase(), path });
      expect(status, path).to.equal(path === '/v1/logout' ? 401 : method === 'get' ? 200 : 400);
    }
    client.close();
    for (const { operationId, permission } of routes) {
      for (const word of Object.values(permission)) {
        expect(word, operationId).to.match(/^[a-z]+(-[a-z]+)*$/);
      }
    }
  });

  it('is told in the words of access management on its own routes', async () => {
    const client = clientOf(() => server, { impatient: true });
    const tags = new Map([['Tokens', 'AUT'], ...IDENTITIES.map((tag) => [tag, 'IDE'] as const)]);
    const own = routes.filter(({ tag, permission }) => tags.has(tag) && !isOpen(permission));
    expect(own.length).to.be.above(15);
    for (const { tag, method, path } of own) {
      const word = tags.get(tag)!;
      const [missing, invalid] = word === 'AUT' ? ['0006', '0007'] : ['0008', '0009'];
      const codes = async (method_: string, headers: Readonly<Record<string, string>>) => {
        const target = path.replace(/\{\w+\}/g, '0190a1c0-0000-7000-8000-000000000001');
        const answer = await client.send({ method: method_, path: target, headers });
        const { code, message, detail } = answer.json() as Readonly<Record<string, string>>;
        expect(message, path).to.equal(detail);
        return [answer.status, code];
      };
      const sent = method.toUpperCase();
      expect(await codes(sent, {}), path).to.deep.equal([401, `${word}-${missing}`]);
      const authorization = { Authorization: 'Bearer x' };
      expect(await codes(sent, authorization), path).to.deep.equal([401, `${word}-${invalid}`]);
      expect(await codes('PUT', {}), path).to.deep.equal([405, `${word}-0485`]);
    }
    client.close();
  });

  it('leads through another form of the target', async () => {
    const answers: Record<string, number> = {
      [LIST]: 401,
      [`${LIST}/`]: 401,
      [`${LIST}?a=b`]: 401,
      '/V1/ORGANIZATIONS': 401,
      [`http://localhost${LIST}`]: 401,
      [`HTTP://LOCALHOST${LIST}`]: 401,
      [`https://localhost${LIST}`]: 401,
      'http://localhost/health/../v1/organizations': 401,
      'http://localhost/health/%2e%2e/v1/organizations': 401,
      [`http://localhost/${LIST}`]: 404,
      [`http://localhost@evil.example${LIST}`]: 400,
      [`http://evil.example${LIST}`]: 421,
      '/v1//organizations': 404,
      '//v1/organizations': 404,
      [`${LIST}//`]: 404,
      [`${LIST}%2F`]: 404,
      '/v1%2Forganizations': 404,
      '/%761/organizations': 404,
      '/v1/./organizations': 404,
      '/health/../v1/organizations': 404,
      '/health/%2e%2e/v1/organizations': 404,
      '/health;/v1/organizations': 404,
      '/docs/errors/%2e%2e%2f%2e%2e%2fv1%2forganizations': 404,
      [`${LIST};a=b`]: 404,
      [`${LIST}#a`]: 404,
      [`${LIST}%00`]: 404,
      [`//localhost${LIST}`]: 404,
      'v1/organizations': 400,
      '*': 404,
    };
    const said: Record<string, number | undefined> = {};
    for (const target of Object.keys(answers)) said[target] = (await answersTo(get(target)))[0];
    expect(said).to.deep.equal(answers);
    for (const target of Object.keys(answers)) {
      const [status] = await answersTo(post(target));
      expect([400, 401, 404, 405, 421], `POST ${target}`).to.include(status);
    }
  });

  it('leads through another method, version or protocol', async () => {
    const upgrade = (to: string) => `Upgrade: ${to}\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n`;
    const answers: [bytes: string, statuses: number[]][] = [
      [get(LIST, '', 'HEAD'), [401]],
      [get(LIST, '', 'OPTIONS'), [204]],
      [get('*', '', 'OPTIONS'), [404]],
      [get(LIST, '', 'TRACE'), [405]],
      [get(LIST, '', 'PROPFIND'), [405]],
      [get(LIST, '', 'DELETE'), [405]],
      [get(LIST, '', 'get'), [400]],
      [get(LIST, 'X-HTTP-Method-Override: GET\r\n', 'OPTIONS'), [204]],
      [get(LIST, '', 'GET', '1.0'), [401]],
      [get(LIST, '', 'GET', '2.0'), [401]],
      ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400]],
      [get(`localhost:${server.port}`, '', 'CONNECT'), [405]],
      [get(LIST, upgrade('websocket')), [401]],
      [get(LIST, upgrade('h2c')), [401]],
      [post(LIST, 'Expect: 100-continue\r\n'), [100, 401]],
      [post(LIST, 'Expect: a miracle\r\n'), [401]],
    ];
    for (const [bytes, statuses] of answers) {
      expect(await answersTo(bytes), bytes).to.deep.equal(statuses);
    }
    const upgraded = get(LIST).replace('Connection: close', 'Upgrade: websocket\r\nConnection: Upgrade'); // prettier-ignore
    const connection = rawConnection(server.port, upgraded);
    await until(() => connection.received().includes('\r\n\r\n'), 5000, 'the answer');
    connection.socket.write(get(LIST, `Authorization: Bearer ${token}\r\n`));
    await new Promise((resolve) => setTimeout(resolve, 300));
    connection.socket.destroy();
    expect(statusesIn(connection.received())[0]).to.equal(401); // No protocol is switched to.
  });

  it('leads through another place of the token, or the token of another request', async () => {
    const bearer = `Authorization: Bearer ${token}\r\n`;
    expect(await answersTo(get(LIST, bearer))).to.deep.equal([200]);
    for (const headers of [
      `Cookie: access_token=${token}\r\n`,
      `Proxy-Authorization: Bearer ${token}\r\n`,
      `X-Authorization: Bearer ${token}\r\n`,
      `X-Forwarded-Authorization: Bearer ${token}\r\n`,
      `X-Forwarded-For: 127.0.0.1\r\nX-Forwarded-User: root\r\n`,
      bearer + bearer,
      `Authorization: Basic YTpi\r\n${bearer}`,
    ]) {
      expect(await answersTo(get(LIST, headers)), headers).to.deep.equal([401]);
    }
    for (const name of ['access_token', 'token', 'authorization', 'jwt']) {
      expect(await answersTo(get(`${LIST}?${name}=${token}`)), name).to.deep.equal([401]);
    }
    const kept = (request: string) => request.replace('Connection: close\r\n', '');
    const pipelined = kept(get(LIST, bearer)) + kept(get('/health')) + get(LIST);
    expect(await answersTo(pipelined)).to.deep.equal([200, 200, 401]);
    const routed = `X-Original-URL: ${LIST}\r\nX-Rewrite-URL: ${LIST}\r\n`;
    const health = rawConnection(server.port, get('/health', routed));
    expect(await health.closed).to.match(/healthy$/);
  });

  it('leads over the port of a component', async () => {
    const organization = 'X-Organization-Id: 0190a1c0-0000-7000-8000-000000000001\r\n';
    expect(await answersTo(get('/v1/packages', organization), feesPort)).to.deep.equal([401]);
    expect(await answersTo(get('/v1/packages', organization, 'HEAD'), feesPort)).to.deep.equal([
      401,
    ]);
    expect(await answersTo(get(LIST), feesPort)).to.deep.equal([404]);
    const admitted = get('/v1/packages', `${organization}Authorization: Bearer ${token}\r\n`);
    const [status] = await answersTo(admitted, feesPort);
    expect(status).not.to.be.oneOf([401, 403, 404]);
    const fees = clientOf(() => ({ port: feesPort }), { undescribed: true, impatient: true });
    for (const [path, expected] of [
      ['/health', 200],
      ['/docs', 200],
      ['/metrics', 200],
    ] as const) {
      expect((await fees.get(path)).status, path).to.equal(expected);
    }
    fees.close();
  });
});
