import { expect } from 'chai';
import { decodeJwt } from 'jose';
import { readFileSync } from 'node:fs';
import { refusedFile } from '#src/adapters/embedded/refused-requests.ts';
import { clientOf } from '#test/support/client.ts';
import { AUDIENCE, CLIENT, startIdentityProvider } from '#test/support/identity-provider.ts';
import { ADMIN, localAccessOfBlock, LOGIN, REFRESH } from '#test/support/local-access.ts';
import { removeFolder, startServer, stopServer, until, type Server } from '#test/support/server.ts';

type Line = Readonly<Record<string, unknown>>;

const linesIn = ({ dataDir }: Pick<Server, 'dataDir'>): Line[] =>
  readFileSync(refusedFile(dataDir), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

describe('refused requests', function () {
  this.timeout(60_000);

  it('are kept over a restart, without anything that their senders made up', async () => {
    const provider = await startIdentityProvider();
    const env = {
      ...{ PLUGIN_AUTH_ENABLED: 'true', OIDC_ISSUER: provider.issuer, OIDC_AUDIENCE: AUDIENCE },
      ...{ AUTHZ_MODE: 'claims', ALLOWED_HOSTS: 'ledger.example' },
      ...{ CORS_ALLOWED_ORIGINS: 'https://app.example' },
    };
    let server: Server = await startServer({ env });
    const client = clientOf(() => server, { impatient: true });
    const list = '/v1/organizations';
    const get = (path: string, headers = {}) =>
      client.get(path, { 'X-Request-Id': `r${(count += 1)}`, ...headers });
    let count = 0;
    try {
      const token = await provider.tokenFor(['quipu:ledgers:get']);
      const forged = await provider.sign({ sub: 'ada@mail.example', exp: 1 });
      await get(list);
      await get(list, { Authorization: `Bearer ${forged}` });
      await get(`${list}/0190a1c0-0000-7000-8000-00000000abcd?name=Ada`, {
        Authorization: `Bearer ${token}`,
      });
      await get(list, { Host: 'evil.example' });
      await client.post(list, {}, { Origin: 'https://evil.example', 'X-Request-Id': 'r5' });
      await get('/v1/nothing'); // Not refused for its sender.
      const lines = () => linesIn(server);
      await until(() => lines().length === 5, 5000, 'the lines');
      const metrics = await client.get('/metrics');
      for (const [code, n] of [
        ['0041', 1],
        ['0042', 1],
        ['0043', 1],
        ['0540', 1],
        ['0541', 1],
      ]) {
        expect(metrics.text).to.contain(`quipu_refused_requests_total{code="LDG-${code}"} ${n}\n`);
      }
      expect(metrics.text).to.contain('quipu_refused_requests_dropped_total 0\n');

      await stopServer(server);
      server = await startServer({ env, dataDir: server.dataDir });
      await get(list);
      await until(() => lines().length === 6, 5000, 'the line after the restart');
      const route = '/v1/organizations';
      const expected = [
        { status: 401, code: 'LDG-0041', method: 'GET', route, requestId: 'r1' },
        { status: 401, code: 'LDG-0042', method: 'GET', route, requestId: 'r2' },
        {
          ...{ status: 403, code: 'LDG-0043', method: 'GET', route: `${route}/{organization_id}` },
          ...{ requestId: 'r3', subject: CLIENT, client: CLIENT },
        },
        { status: 421, code: 'LDG-0540', method: 'GET', requestId: 'r4' },
        { status: 403, code: 'LDG-0541', method: 'POST', requestId: 'r5' },
        { status: 401, code: 'LDG-0041', method: 'GET', route, requestId: 'r6' },
      ];
      expect(lines().map(({ time, ...line }) => line)).to.deep.equal(expected);
      for (const { time } of lines()) expect(time).to.match(/^20\d\d-.*Z$/);
      const said = readFileSync(refusedFile(server.dataDir), 'utf8') + server.output();
      for (const secret of ['Ada', 'ada@', 'evil', '127.0.0.1', token, forged, 'abcd']) {
        expect(said.replace(server.readyLine, '')).not.to.contain(secret);
      }
    } finally {
      client.close();
      await stopServer(server);
      removeFolder(server.dataDir);
      await provider.stop();
    }
  });
});

describe('refused logins', function () {
  this.timeout(60_000);
  const access = localAccessOfBlock({ AUTH_RATE_LIMIT_TOKEN: '6' });
  const { ask, login, server } = access;

  it('are kept without who was tried, and so is an address that sends too many', async () => {
    const { accessToken } = await access.tokens();
    const { sub } = decodeJwt(accessToken);
    const password = 'Unmistakable-Secret-1';
    await login({ password });
    await login({ username: 'somebody.else', password });
    await login({ clientId: 'some-client', clientSecret: password });
    const refreshed = await ask('POST', REFRESH, undefined, { refreshToken: password });
    expect(refreshed.status).to.equal(400);
    const change = { oldPassword: password, newPassword: 'Another-Horse-8' };
    await ask('PATCH', `/v1/users/${sub!}/update-password`, accessToken, change);
    await login({ grantType: 'guessed' }); // Not refused for its sender.
    for (let n = 0; n < 2; n += 1) expect((await login()).status).to.equal(429);
    await until(() => linesIn(server()).length === 7, 5000, 'the lines');
    const at = { method: 'POST', route: LOGIN };
    expect(linesIn(server()).map(({ time: _, requestId: __, ...line }) => line)).to.deep.equal([
      { status: 401, code: 'AUT-1002', ...at },
      { status: 401, code: 'AUT-1002', ...at },
      { status: 401, code: 'AUT-1004', ...at },
      { status: 400, code: 'AUT-1005', ...at, route: REFRESH },
      {
        ...{ status: 401, code: 'IDE-0009', method: 'PATCH' },
        ...{ route: '/v1/users/{user_id}/update-password', subject: sub },
      },
      { status: 429, code: 'AUT-0900', ...at },
      { status: 429, code: 'AUT-0900', ...at },
    ]);
    const said = readFileSync(refusedFile(server().dataDir), 'utf8');
    for (const secret of ['Unmistakable', ADMIN.username, 'somebody', 'some-client', '127.0.0.1']) {
      expect(said).not.to.contain(secret);
    }
  });
});
