import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { startIdentityProvider } from '#test/support/identity-provider.ts';
import { ADMIN, FIRST_CLIENT, localAccessOfBlock, LOGIN } from '#test/support/local-access.ts';
import { removeFolder, startServer, stopServer } from '#test/support/server.ts';
import { expectProblem } from './problems.ts';

const LIMITS = {
  AUTH_RATE_LIMIT_GENERAL: '100',
  AUTH_RATE_LIMIT_TOKEN: '10',
  AUTH_RATE_LIMIT_PERMISSIONS: '60',
  AUTH_SERVICE_TOKEN: 'of a service',
};

describe('limits of access routes', function () {
  this.timeout(60_000);
  const access = localAccessOfBlock(LIMITS);
  const { ask, client } = access;

  it('are per address and minute, and not for services', async () => {
    const { accessToken } = await access.tokens();
    const cases: [method: string, path: string, limit: number, left: number, code: string][] = [
      ['POST', LOGIN, 10, 9, 'AUT-0900'],
      ['GET', '/v1/permissions', 60, 60, 'AUT-0900'],
      ['GET', '/v1/users/0190a1c0-0000-7000-8000-000000000001', 100, 100, 'IDE-0900'],
    ];
    for (const [method, path, limit, left, code] of cases) {
      const answers = await Promise.all(
        Array.from({ length: left }, () => ask(method, path, accessToken)),
      );
      const others = answers.map(({ headers }) =>
        /r=(\d+);t=\d+$/.exec(String(headers['ratelimit'])),
      );
      expect(
        others.map((found) => Number(found?.[1])).sort((a, b) => a - b),
        path,
      ).to.deep.equal(Array.from({ length: left }, (_, n) => n));
      const refused = await ask(method, path, accessToken);
      expectProblem(refused, 429, code);
      expect(refused.json()).to.include({ status: 429 });
      expect((refused.json() as { detail: string }).detail).to.contain(String(limit));
      expect(Number(refused.headers['retry-after'])).to.be.within(1, 60);
      for (const [token, status] of [
        ['of a service', false],
        ['other', true],
      ] as const) {
        const headers = { Authorization: `Bearer ${accessToken}`, 'X-Service-Token': token };
        const asked = await client.send({ method, path, headers });
        expect(asked.status === 429, token).to.equal(status);
      }
    }
    const ledger = await ask('GET', '/v1/organizations', accessToken);
    expect(ledger.status).to.equal(200);
    expect(ledger.headers).to.not.have.property('ratelimit');
  });
});

describe('a user who fails to log in', function () {
  this.timeout(60_000);
  const access = localAccessOfBlock();

  it('is locked after five times, like one who does not exist', async () => {
    for (const username of [ADMIN.username, 'nobody']) {
      for (let n = 0; n < 6; n += 1) {
        expectProblem(
          await access.login({ username, password: 'Wrong-Horse-77' }),
          401,
          'AUT-1002',
        );
      }
    }
    expectProblem(await access.login(), 401, 'AUT-1002');
    const app = await access.login({ grantType: 'client_credentials', ...FIRST_CLIENT });
    expect(app.status, 'nobody else is').to.equal(200);
  });
});

describe('access routes', function () {
  this.timeout(60_000);

  it('do not know the subjects of another issuer', async () => {
    const provider = await startIdentityProvider();
    const server = await startServer({
      env: { PLUGIN_AUTH_ENABLED: 'true', OIDC_ISSUER: provider.issuer, AUTHZ_MODE: 'none' },
    });
    const client = clientOf(() => server, { impatient: true });
    try {
      const headers = { Authorization: `Bearer ${await provider.sign()}` };
      const body = { sub: 'default/ana', resource: 'accounts', action: 'get' };
      expectProblem(await client.post('/v1/authorize', body, headers), 500, 'AUT-1015');
      expectProblem(await client.get('/v1/permissions', headers), 500, 'AUT-1015');
    } finally {
      client.close();
      await stopServer(server);
      removeFolder(server.dataDir);
      await provider.stop();
    }
  });
});
