import { expect } from 'chai';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { PASSWORD, userNamed, type User } from '#test/support/access.ts';
import { clientOf, type Answer } from '#test/support/client.ts';
import { FIRST_ACCESS, LOGIN, REFRESH, type Tokens } from '#test/support/local-access.ts';
import { quipu } from '#test/support/quipu.ts';
import {
  eventCount,
  eventsOf,
  launchServer,
  removeFolder,
  startServer,
  stopServer,
  temporaryFolder,
  until,
  type Server,
} from '#test/support/server.ts';
import { inFolders, storesOf } from '#test/support/stores.ts';
import type { List } from './books.ts';
import { expectProblem } from './problems.ts';

/** What a tenant begins with. The usernames are the same everywhere, and passwords are not. */
const firstOf = (tenant: string, digit: number) => ({
  ACCESS_ADMIN_USERNAME: 'root.admin',
  ACCESS_ADMIN_EMAIL: 'root@example.com',
  ACCESS_ADMIN_PASSWORD: `Correct-Horse-${digit}`,
  ACCESS_ADMIN_CLIENT_ID: `${tenant}-office`,
  ACCESS_ADMIN_CLIENT_SECRET: `a secret of ${tenant} that is long enough`,
});
const clientIn = (tenant: string) => ({
  clientId: `${tenant}-office`,
  clientSecret: `a secret of ${tenant} that is long enough`,
});
const PASSWORDS: Readonly<Record<string, string>> = {
  ...{ acme: 'Correct-Horse-1', beta: 'Correct-Horse-2' },
};
const NO_LIMITS = Object.fromEntries(
  Object.entries(FIRST_ACCESS).filter(([name]) => name.startsWith('AUTH_RATE_LIMIT_')),
);
const MANY = { ...NO_LIMITS, PLUGIN_AUTH_ENABLED: 'true', MULTI_TENANT_ENABLED: 'true' };

const run = async (
  dataDir: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
) => {
  const stores = await storesOf(dataDir).settings();
  return quipu(args, '', { DATA_DIR: dataDir, ...stores, ...settings });
};

describe('access management of several tenants', function () {
  this.timeout(120_000);
  const dataDir = temporaryFolder();
  let server: Server;
  const client = clientOf(() => server, { impatient: true });
  const tenant = (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    run(dataDir, ['tenant', ...args], { ...MANY, ...more });

  const ask = (method: string, path: string, token?: string, body?: unknown): Promise<Answer> =>
    client.send({
      ...{ method, path },
      headers: {
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const login = (body: object) =>
    ask('POST', LOGIN, undefined, { grantType: 'password', username: 'root.admin', ...body });
  const adminOf = (name: string) => ({ ...clientIn(name), password: PASSWORDS[name] });
  const refresh = ({ refreshToken }: Tokens, more: object = {}) =>
    ask('POST', REFRESH, undefined, { refreshToken, ...more });
  const tokensOf = async (body: object): Promise<Tokens> => {
    const answer = await login(body);
    expect(answer.status, answer.text).to.equal(200);
    return answer.json() as Tokens;
  };
  const got = async <Body>(path: string, { accessToken }: Tokens): Promise<Body> => {
    const answer = await ask('GET', path, accessToken);
    expect(answer.status, answer.text).to.equal(200);
    return answer.json() as Body;
  };
  let acme: Tokens;
  let beta: Tokens;

  before(async () => {
    const added = await tenant(['add', 'acme'], firstOf('acme', 1));
    expect(added.code).to.equal(0);
    expect(added.stdout).to.equal(
      'The tenant acme is active.\nIts first administrator and application were created.\n',
    );
    expect(added.stderr).to.not.contain('Correct-Horse').and.not.contain('a secret of');
    server = await startServer({ dataDir, env: MANY });
    expect(await tenant(['add', 'beta'], firstOf('beta', 2))).to.deep.equal({
      ...{ code: 0, stderr: '' },
      stdout: 'The tenant beta is active.\nIts first administrator and application were created.\n',
    });
    acme = await tokensOf(adminOf('acme'));
    beta = await tokensOf(adminOf('beta'));
  });
  after(async () => {
    client.close();
    await stopServer(server);
    removeFolder(dataDir);
  });

  it('names the tenant in both tokens, of users and of applications', async () => {
    for (const name of ['acme', 'beta']) {
      const app = await tokensOf({ grantType: 'client_credentials', ...clientIn(name) });
      const user = name === 'acme' ? acme : beta;
      for (const token of [user.accessToken, user.idToken!, app.accessToken]) {
        expect(decodeJwt(token)).to.include({ owner: name, tenantId: name, tenantSlug: name });
      }
      const owners = (await eventsOf(server, `access-${name}`)).map(({ data, metadata }) => {
        const { user: one, application } = JSON.parse(data) as Record<string, { owner: string }>;
        const { tenantId } = JSON.parse(metadata) as { tenantId: string };
        return [(one ?? application)?.owner, tenantId];
      });
      expect(owners).to.deep.equal([[name, name], [name, name]]); // prettier-ignore
    }
  });

  it('shows the users, applications and permissions of the caller only', async () => {
    const made = userNamed('ana.lima', { groups: ['quipu-viewer-group'] });
    const ids: string[] = [];
    for (const one of [acme, beta]) {
      const answer = await ask('POST', '/v1/users', one.accessToken, made); // In both.
      expect(answer.status, answer.text).to.equal(201);
      ids.push((answer.json() as User).id);
    }
    for (const [n, one] of [acme, beta].entries()) {
      const users = await got<List<User>>('/v1/users', one);
      expect(users.items.map(({ username }) => username)).to.deep.equal(['root.admin', 'ana.lima']);
      expect(users.items[1]?.id).to.equal(ids[n]);
      const { items } = await got<List<{ clientId: string }>>('/v1/applications', one);
      expect(items.map(({ clientId }) => clientId)).to.deep.equal([
        `${['acme', 'beta'][n]!}-office`,
      ]);
      const group = await got<{ users: string[] }>('/v1/groups/admin-group', one);
      expect(group.users).to.deep.equal(['root.admin']);
      const { sub } = decodeJwt(one.accessToken);
      expect(await got<{ sub: string }>('/v1/userinfo', one)).to.include({ sub });
      expect(await got('/v1/permissions', one)).to.have.property('users/password');
      const theirs = ids[1 - n]!;
      const found = await ask('GET', `/v1/users/${theirs}`, one.accessToken);
      expectProblem(found, 404, 'IDE-1003');
      const newPassword = { newPassword: 'Changed-Horse-9' };
      const path = `/v1/users/${theirs}/reset-password`;
      expectProblem(await ask('PATCH', path, one.accessToken, newPassword), 404, 'IDE-1003');
      expectProblem(await ask('DELETE', `/v1/users/${theirs}`, one.accessToken), 404, 'IDE-1003');
    }
    const viewer = { ...clientIn('beta'), username: 'ana.lima', password: PASSWORD };
    expect((await login(viewer)).status).to.equal(200);
  });

  it('decides about subjects by the name of their tenant', async () => {
    const { sub } = decodeJwt(acme.accessToken);
    const decide = async (owner: string, { accessToken }: Tokens) => {
      const asked = { sub: `${owner}/${sub!}`, resource: 'users', action: 'get' };
      const answer = await ask('POST', '/v1/authorize', accessToken, asked);
      expect(answer.status, answer.text).to.equal(200);
      return (answer.json() as { authorized: boolean }).authorized;
    };
    expect(await decide('acme', acme)).to.equal(true);
    for (const owner of ['beta', 'default']) expect(await decide(owner, acme)).to.equal(false);
    expect(await decide('acme', beta)).to.equal(false);
  });

  describe('logs users in', () => {
    it('through a client only, in the body or by HTTP Basic', async () => {
      const password = PASSWORDS['acme'];
      expectProblem(await login({ password }), 400, 'AUT-0014');
      const { clientId, clientSecret } = clientIn('acme');
      expectProblem(await login({ password, clientId, clientSecret: 'wrong' }), 401, 'AUT-1004');
      expectProblem(await login({ password, clientId: 'nobody', clientSecret }), 401, 'AUT-1004');
      const basic = Buffer.from(`${clientId}:${encodeURIComponent(clientSecret)}`).toString(
        'base64',
      );
      const answer = await client.send({
        ...{ method: 'POST', path: LOGIN },
        headers: { 'Content-Type': 'application/json', Authorization: `Basic ${basic}` },
        body: JSON.stringify({ grantType: 'password', username: 'root.admin', password }),
      });
      expect(answer.status, answer.text).to.equal(200);
      expect(decodeJwt((answer.json() as Tokens).accessToken)).to.include({ tenantId: 'acme' });
    });

    it('of the tenant of the client, as if there were no other', async () => {
      const theirs = await login({ ...clientIn('beta'), password: PASSWORDS['acme'] });
      const problem = expectProblem(theirs, 401, 'AUT-1002');
      const nobody = { ...clientIn('beta'), username: 'nobody', password: PASSWORDS['acme'] };
      const { detail } = expectProblem(await login(nobody), 401, 'AUT-1002');
      expect(problem.detail).to.equal(detail);
    });

    it('and locks those of one tenant, not their namesakes', async () => {
      const wrong = { ...clientIn('acme'), username: 'ana.lima', password: 'Wrong-Horse-77' };
      for (let n = 0; n < 5; n += 1) expectProblem(await login(wrong), 401, 'AUT-1002');
      expectProblem(await login({ ...wrong, password: PASSWORD }), 401, 'AUT-1002');
      expect((await login({ ...wrong, ...clientIn('beta'), password: PASSWORD })).status).to.equal(
        200,
      );
    });
  });

  it('refuses a token of which anything was changed', async () => {
    const [head = '', claims = '', signature = ''] = acme.accessToken.split('.');
    const changed = { ...(JSON.parse(Buffer.from(claims, 'base64url').toString()) as object) };
    const forged = Buffer.from(JSON.stringify({ ...changed, tenantId: 'beta' })).toString(
      'base64url',
    );
    const token = [head, forged, signature].join('.');
    expectProblem(await ask('GET', '/v1/users', token), 401, 'IDE-0009');
    const unsigned = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
    expectProblem(await ask('GET', '/v1/users', `${unsigned}.${forged}.`), 401, 'IDE-0009');
  });

  it('refreshes and ends sessions of the tenant that they are of', async () => {
    const one = await tokensOf(adminOf('acme'));
    expectProblem(await refresh(one, clientIn('beta')), 400, 'AUT-1005');
    const answer = await refresh(one, clientIn('acme'));
    expect(answer.status, answer.text).to.equal(200);
    const next = answer.json() as Tokens;
    expect(decodeJwt(next.accessToken)).to.include({ owner: 'acme', tenantId: 'acme' });
    expect((await refresh(next)).status).to.equal(200);
    expect((await ask('POST', '/v1/logout', next.accessToken)).status).to.equal(200);
    expectProblem(await ask('GET', '/v1/userinfo', next.accessToken), 401, 'AUT-0007');
    await got('/v1/userinfo', acme);
    await got('/v1/userinfo', beta);
  });

  it('refuses a suspended tenant everything but to log out, and spends no token', async () => {
    const one = await tokensOf(adminOf('beta'));
    const ended = await tokensOf(adminOf('beta'));
    expect((await tenant(['suspend', 'beta'])).code).to.equal(0);
    const users = () => ask('GET', '/v1/users', one.accessToken);
    await until(async () => (await users()).status === 403, 5000, 'the suspension');
    expectProblem(await users(), 403, 'IDE-0159');
    expectProblem(await ask('GET', '/v1/userinfo', one.accessToken), 403, 'AUT-0159');
    expectProblem(await ask('GET', '/v1/organizations', one.accessToken), 403, 'LDG-0159');
    expectProblem(await login(adminOf('beta')), 403, 'AUT-0159');
    const grant = { grantType: 'client_credentials', ...clientIn('beta') };
    expectProblem(await login(grant), 403, 'AUT-0159');
    expectProblem(await login({ ...grant, clientSecret: 'wrong' }), 401, 'AUT-1004');
    expectProblem(await refresh(one), 403, 'AUT-0159');
    expect((await ask('POST', '/v1/logout', ended.accessToken)).text).to.equal('{}');
    await got('/v1/users', acme);

    expect((await tenant(['add', 'beta'])).code).to.equal(0);
    await until(async () => (await users()).status === 200, 5000, 'the tenant');
    expect((await refresh(one)).status).to.equal(200);
    expectProblem(await refresh(ended), 400, 'AUT-1005');
  });

  describe('begins with an administrator', () => {
    it('once, whose password is in no output', async () => {
      const before = await eventCount(server);
      const other = { ...firstOf('acme', 1), ACCESS_ADMIN_PASSWORD: 'Other-Horse-99' };
      const { code, stdout, stderr } = await tenant(['add', 'acme'], other);
      expect([code, stderr]).to.deep.equal([0, '']);
      expect(stdout).to.equal(
        'The tenant acme is active, as before.\nIt has an administrator, so none was created.\n',
      );
      expect(await eventCount(server)).to.equal(before);
      expectProblem(
        await login({ ...adminOf('acme'), password: 'Other-Horse-99' }),
        401,
        'AUT-1002',
      );
      expect((await login(adminOf('acme'))).status).to.equal(200);
    });

    it('unless the client is another one, or anything is missing or weak', async () => {
      const before = await eventCount(server);
      const taken = { ...firstOf('gamma', 3), ACCESS_ADMIN_CLIENT_ID: 'acme-office' };
      const refused = await tenant(['add', 'gamma'], taken);
      expect(refused.code).to.equal(2);
      expect(refused.stderr).to.contain('ACCESS_ADMIN_CLIENT_ID is the id of another client');
      const weak = { ...firstOf('gamma', 3), ACCESS_ADMIN_PASSWORD: 'guessable' };
      const mistaken = await tenant(['add', 'gamma'], weak);
      expect([mistaken.code, mistaken.stdout]).to.deep.equal([78, '']);
      expect(mistaken.stderr).to.contain('ACCESS_ADMIN_PASSWORD').and.not.contain('guessable');
      for (const id of ['default', 'a b']) {
        expect((await tenant(['add', '--', id], firstOf('gamma', 3))).code, id).to.equal(2);
      }
      expect(await eventCount(server)).to.equal(before);
      expect((await tenant(['list'])).stdout).to.not.contain('gamma');
      expect((await login(adminOf('acme'))).status).to.equal(200);
    });

    it('that can follow later, also for a tenant that is in use', async () => {
      expect((await tenant(['add', 'delta'])).stdout).to.equal('The tenant delta is active.\n');
      const added = await tenant(['add', 'delta'], firstOf('delta', 4));
      expect(added.stdout).to.equal(
        'The tenant delta is active, as before.\nIts first administrator and application were created.\n',
      );
      const admin = { ...clientIn('delta'), password: 'Correct-Horse-4' };
      const delta = await tokensOf(admin);
      const { items } = await got<List<User>>('/v1/users', delta);
      expect(items.map(({ username }) => username)).to.deep.equal(['root.admin']);
    });

    inFolders.it('through a socket that nobody else may open', async () => {
      expect(statSync(join(dataDir, 'control.sock')).mode & 0o777).to.equal(0o700);
    });
  });

  inFolders.it('leaves a log that verifies, after a restart with the same users', async () => {
    await stopServer(server);
    const { code, stderr } = await quipu(['verify', dataDir]);
    expect(code, stderr).to.equal(0);
    server = await startServer({ dataDir, env: MANY });
    for (const name of ['acme', 'beta']) expect((await login(adminOf(name))).status).to.equal(200);
    const theirs = await login({ ...adminOf('acme'), ...clientIn('beta') });
    expectProblem(theirs, 401, 'AUT-1002');
  });
});

describe('access management that comes to have several tenants', function () {
  this.timeout(120_000);
  const dataDir = temporaryFolder();
  const one = {
    ...{ ...NO_LIMITS, ...firstOf('acme', 1), PLUGIN_AUTH_ENABLED: 'true', AUTHZ_MODE: 'local' },
    OIDC_ISSUER: 'http://login.example', // Ports change, and tokens must not stop for that.
  };
  const many = { ...one, MULTI_TENANT_ENABLED: 'true' };
  after(() => {
    removeFolder(dataDir);
  });
  const running = async (
    env: Readonly<Record<string, string>>,
    work: (send: (path: string, body: object) => Promise<Answer>, server: Server) => Promise<void>,
  ): Promise<void> => {
    const server = await startServer({ dataDir, env });
    const client = clientOf(() => server, { impatient: true });
    try {
      await work((path, body) => client.post(path, body), server);
    } finally {
      client.close();
      await stopServer(server);
    }
  };
  const refusedStart = async (env: Readonly<Record<string, string>>): Promise<string> => {
    const starting = await launchServer({ dataDir, env });
    const code = await new Promise((resolve) => starting.child.once('exit', resolve));
    expect(code, starting.output()).to.equal(78);
    return starting.output();
  };
  const admin = {
    ...{ grantType: 'password', username: 'root.admin', password: 'Correct-Horse-1' },
    ...clientIn('acme'),
  };

  it('needs the tenant to whom the administrator of the settings belongs', async () => {
    const output = await refusedStart(many);
    expect(output).to.contain('require DEFAULT_TENANT').and.not.contain('Correct-Horse-1');
  });

  it('keeps its users, who belong to the default tenant from then on', async () => {
    let before: Tokens | undefined;
    await running(one, async (send) => {
      before = (await send(LOGIN, { ...admin })).json() as Tokens;
      const claims = decodeJwt(before.accessToken);
      expect(claims).to.include({ owner: 'default' });
      expect(claims).to.not.have.any.keys('tenantId', 'tenantSlug');
    });
    await running({ ...many, DEFAULT_TENANT: 'acme' }, async (send, server) => {
      const old = clientOf(() => server, {
        impatient: true,
        headers: () => ({ Authorization: `Bearer ${before!.accessToken}` }),
      });
      expectProblem(await old.get('/v1/users'), 401, 'IDE-0009'); // It names no tenant.
      old.close();
      const { refreshToken } = before!;
      for (const answer of [await send(LOGIN, admin), await send(REFRESH, { refreshToken })]) {
        expect(answer.status, answer.text).to.equal(200);
        const { accessToken } = answer.json() as Tokens;
        const names = { owner: 'acme', tenantId: 'acme', tenantSlug: 'acme' };
        expect(decodeJwt(accessToken)).to.include(names);
      }
      expect(await eventsOf(server, 'access-acme')).to.deep.equal([]);
      const types = (await eventsOf(server, 'access-default')).map(({ type }) => type);
      expect(types).to.deep.equal(['ApplicationCreated', 'UserCreated']);
    });
  });

  it('does not take the client of a tenant for that of another', async () => {
    const added = await run(dataDir, ['tenant', 'add', 'beta'], many);
    expect(added.code).to.equal(2);
    expect(added.stderr).to.contain('ACCESS_ADMIN_CLIENT_ID is the id of another client');
    expect((await run(dataDir, ['tenant', 'list'], many)).stdout).to.not.contain('beta');
  });

  it('does not start with the client of another tenant', async () => {
    const folder = temporaryFolder();
    const settings = { ...many, ...firstOf('beta', 2) };
    expect((await run(folder, ['tenant', 'add', 'beta'], settings)).code).to.equal(0);
    const starting = await launchServer({
      dataDir: folder,
      env: { ...settings, DEFAULT_TENANT: 'acme' },
    });
    const code = await new Promise((resolve) => starting.child.once('exit', resolve));
    expect(code, starting.output()).to.equal(78);
    expect(starting.output()).to.contain('There is a client beta-office.');
    removeFolder(folder);
  });
});
