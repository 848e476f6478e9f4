import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import {
  ADMIN,
  FIRST_ACCESS,
  FIRST_CLIENT,
  LOGIN,
  type Tokens,
} from '#test/support/local-access.ts';
import { freePort, removeFolder, startServer, stopServer } from '#test/support/server.ts';
import { expectProblem } from './problems.ts';

describe('access routes', function () {
  this.timeout(60_000);

  it('are checked even while access management is off', async () => {
    const server = await startServer({ env: FIRST_ACCESS });
    const client = clientOf(() => server);
    try {
      expect((await client.get('/v1/organizations')).status).to.equal(200);
      for (const path of ['/v1/users', '/v1/groups', '/v1/applications']) {
        expectProblem(await client.get(path), 401, 'IDE-0008');
        expectProblem(await client.get(path, { Authorization: 'Bearer x' }), 401, 'IDE-0009');
      }
      for (const path of ['/v1/userinfo', '/v1/permissions']) {
        expectProblem(await client.get(path), 401, 'AUT-0006');
      }
      const { accessToken } = (
        await client.post(LOGIN, { grantType: 'password', ...ADMIN })
      ).json() as Tokens;
      const headers = { Authorization: `Bearer ${accessToken}` };
      expect((await client.get('/v1/users', headers)).status).to.equal(200);
      expect((await client.get('/v1/organizations', headers)).status).to.equal(200);
    } finally {
      client.close();
      await stopServer(server);
      removeFolder(server.dataDir);
    }
  });

  it('have a port of their own if one is set, which is their issuer', async () => {
    const own = { port: await freePort() };
    const env = { ...FIRST_ACCESS, AUTH_PORT: String(own.port), PLUGIN_AUTH_ENABLED: 'true' };
    const server = await startServer({ env });
    const main = clientOf(() => server, { impatient: true });
    const auth = clientOf(() => own, { impatient: true });
    try {
      expect((await main.post(LOGIN, {})).status).to.equal(404);
      expect((await auth.get('/v1/organizations')).status).to.equal(404);
      const { accessToken } = (
        await auth.post(LOGIN, { grantType: 'password', ...ADMIN })
      ).json() as Tokens;
      const headers = { Authorization: `Bearer ${accessToken}` };
      expect((await main.get('/v1/organizations', headers)).status).to.equal(200);
      expect((await auth.get('/v1/users', headers)).status).to.equal(200);
      expect((await main.get('/v1/users', headers)).status).to.equal(404);
      for (const path of ['/health', '/readyz', '/version', '/openapi.json']) {
        expect((await auth.get(path)).status, path).to.equal(200);
      }
      const { paths } = (await auth.get('/openapi.json')).json() as { paths: object };
      expect(paths).to.include.keys(LOGIN, '/v1/users', '/.well-known/jwks.json');
      expect(paths).to.not.include.keys('/v1/organizations');
      const discovery = await auth.get('/.well-known/openid-configuration');
      expect(discovery.json()).to.include({ issuer: `http://127.0.0.1:${own.port}` });
    } finally {
      main.close();
      auth.close();
      await stopServer(server);
      removeFolder(server.dataDir);
    }
  });

  it('serve a ledger in another process, which asks them for every decision', async () => {
    const auth = await startServer({ env: FIRST_ACCESS });
    const address = `http://127.0.0.1:${auth.port}`;
    const ledger = await startServer({
      env: { PLUGIN_AUTH_ENABLED: 'true', PLUGIN_AUTH_ADDRESS: address },
    });
    const [access, client] = [clientOf(() => auth), clientOf(() => ledger, { impatient: true })];
    try {
      const login = async (body: object) =>
        ((await access.post(LOGIN, body)).json() as Tokens).accessToken;
      const statusWith = async (token: string) =>
        (await client.get('/v1/organizations', { Authorization: `Bearer ${token}` })).status;
      const user = await login({ grantType: 'password', ...ADMIN });
      const app = await login({ grantType: 'client_credentials', ...FIRST_CLIENT });
      expect([await statusWith(user), await statusWith(app)]).to.deep.equal([200, 403]);
      await access.post('/v1/logout', { idTokenHint: user });
      expect(await statusWith(user), 'it does not answer for what it does not accept').to.be.above(
        400,
      );
    } finally {
      access.close();
      client.close();
      for (const server of [auth, ledger]) {
        await stopServer(server);
        removeFolder(server.dataDir);
      }
    }
  });
});
