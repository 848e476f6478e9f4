import { expect } from 'chai';
import { decodeJwt } from 'jose';
import { userNamed, type User } from '#test/support/access.ts';
import {
  FIRST_CLIENT,
  localAccessOfBlock,
  REFRESH,
  type Tokens,
} from '#test/support/local-access.ts';
import { expectProblem } from './problems.ts';

describe('sessions', function () {
  this.timeout(60_000);
  const access = localAccessOfBlock();
  const { ask, client, tokens } = access;
  const refresh = (refreshToken: string, more: object = {}) =>
    ask('POST', REFRESH, undefined, { refreshToken, ...more });
  const statusWith = async ({ accessToken }: Pick<Tokens, 'accessToken'>) =>
    (await ask('GET', '/v1/userinfo', accessToken)).status;

  it('go on with a refresh token, whose reuse ends them', async () => {
    const first = await tokens();
    const answer = await refresh(first.refreshToken);
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.headers['cache-control']).to.equal('no-store');
    const second = answer.json() as Tokens;
    expect(second.refreshToken).to.not.equal(first.refreshToken);
    expect(decodeJwt(second.accessToken).jti).to.not.equal(decodeJwt(first.accessToken).jti);
    expect((await refresh(first.refreshToken)).text, 'the same again').to.equal(answer.text);

    const third = (await refresh(second.refreshToken)).json() as Tokens;
    expect(await statusWith(third)).to.equal(200);
    expectProblem(await refresh(first.refreshToken), 400, 'AUT-1005');
    for (const one of [first, second, third]) expect(await statusWith(one)).to.equal(401);
    expectProblem(await refresh(third.refreshToken), 400, 'AUT-1005');
  });

  it('go on after a restart, of either kind', async () => {
    const user = await tokens();
    const app = await tokens({ grantType: 'client_credentials', ...FIRST_CLIENT });
    await access.restart();
    expect(await statusWith(user)).to.equal(401); // The port is another one, and with it the issuer.
    for (const { refreshToken, scope } of [user, app]) {
      const answer = await refresh(refreshToken);
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.json()).to.include({ scope });
    }
  });

  it('only narrow their scope', async () => {
    const { refreshToken } = await tokens();
    expectProblem(await refresh(refreshToken, { scope: 'openid admin' }), 400, 'AUT-0009');
    const narrow = (await refresh(refreshToken, { scope: 'email' })).json() as Tokens;
    expect(narrow.scope).to.equal('email');
    expect(narrow).to.not.have.property('idToken');
    expectProblem(await refresh(narrow.refreshToken, { scope: 'openid' }), 400, 'AUT-0009');
    const wrong = { clientId: 'first-client', clientSecret: 'wrong' };
    expectProblem(await refresh(narrow.refreshToken, wrong), 401, 'AUT-1004');
    expect((await refresh(narrow.refreshToken)).status).to.equal(200);
  });

  it('are not begun by what is no refresh token', async () => {
    for (const text of ['x', 'a'.repeat(10_000), 'YQ.0190a1c0-0000-7000-8000-000000000001.a.b']) {
      expectProblem(await refresh(text), 400, 'AUT-1005');
    }
    expectProblem(await refresh(''), 400, 'AUT-0001');
    expectProblem(await refresh('a'.repeat(20_000)), 400, 'AUT-0009');
    expectProblem(await refresh((await tokens()).accessToken), 400, 'AUT-1005');
  });

  it('end with a logout, by id token, form or bearer token, as often as it is repeated', async () => {
    const ways: ((one: Tokens) => ReturnType<typeof ask>)[] = [
      ({ idToken }) => ask('POST', '/v1/logout', undefined, { idTokenHint: idToken }),
      ({ idToken }) => ask('POST', '/v1/logout', undefined, { id_token_hint: idToken }),
      ({ idToken }) =>
        client.post('/v1/logout', `id_token_hint=${idToken!}`, {
          'Content-Type': 'application/x-www-form-urlencoded',
        }),
      ({ accessToken }) => ask('POST', '/v1/logout', accessToken),
    ];
    for (const way of ways) {
      const one = await tokens();
      expect(await statusWith(one)).to.equal(200);
      for (const _ of [1, 2]) {
        const answer = await way(one);
        expect([answer.status, answer.text]).to.deep.equal([200, '{}']);
      }
      expect(await statusWith(one)).to.equal(401);
      expectProblem(await refresh(one.refreshToken), 400, 'AUT-1005');
    }
    const other = await tokens();
    const forged = other.idToken!.replace(/[^.]*$/, 'AAAA');
    const hint = (idTokenHint: string) => ask('POST', '/v1/logout', undefined, { idTokenHint });
    expectProblem(await hint('unreadable'), 400, 'AUT-0001');
    expectProblem(await hint(forged), 401, 'AUT-0007');
    expectProblem(await ask('POST', '/v1/logout'), 401, 'AUT-0006');
    expectProblem(await ask('POST', '/v1/logout', 'x'), 401, 'AUT-0007');
    expect(await statusWith(other)).to.equal(200);
  });

  it('tell users who they are, and applications that they are not users', async () => {
    const { accessToken } = await tokens();
    const { sub } = decodeJwt(accessToken);
    expect((await ask('GET', '/v1/userinfo', accessToken)).json()).to.deep.equal({
      ...{ sub, name: 'First Administrator', preferredUsername: 'root.admin' },
      ...{ email: 'root@example.com', emailVerified: false, picture: '', profile: '' },
    });
    const app = await tokens({ grantType: 'client_credentials', ...FIRST_CLIENT });
    expectProblem(await ask('GET', '/v1/userinfo', app.accessToken), 400, 'AUT-0009');
    expectProblem(await ask('GET', '/v1/userinfo'), 401, 'AUT-0006');
    expectProblem(await ask('GET', '/v1/userinfo', 'x'), 401, 'AUT-0007');
  });

  it('decide about their subjects', async () => {
    const { accessToken } = await tokens();
    const made = userNamed('viewer.one', { groups: ['quipu-viewer-group'] });
    const created = await ask('POST', '/v1/users', accessToken, made);
    expect(created.status, created.text).to.equal(201);
    const { id } = created.json() as User;
    const viewer = await tokens({ username: 'viewer.one', password: made.password });
    const app = await tokens({ grantType: 'client_credentials', ...FIRST_CLIENT });
    const decide = async (token: string, body: object) => {
      const answer = await ask('POST', '/v1/authorize', token, body);
      expect(answer.status, answer.text).to.equal(200);
      const { authorized, timestamp } = answer.json() as { authorized: boolean; timestamp: string };
      expect(timestamp).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      return authorized;
    };
    const sub = `default/${id}`;
    const get = { sub, resource: 'accounts', action: 'get', product: 'quipu' };
    const byUser: [body: object, isAuthorized: boolean][] = [
      [get, true],
      [{ ...get, filter: 'ignored' }, true],
      [{ ...get, product: undefined }, true],
      [{ ...get, action: 'post' }, false],
      [{ ...get, product: 'plugin-fees', resource: 'fees' }, false],
      [{ ...get, product: 'plugin-fees' }, false],
      [{ ...get, product: 'unheard-of' }, false],
      [{ ...get, product: undefined, resource: 'unheard-of' }, false],
      [{ ...get, sub: id }, false],
      [{ ...get, sub: `other/${id}` }, false],
      [{ ...get, sub: 'admin/quipu-editor-role' }, false],
      [{ ...get, product: 'plugin-identity', resource: 'update-password', action: 'patch' }, true],
      [{ ...get, product: 'plugin-identity', resource: 'users' }, false],
    ];
    for (const [body, isAuthorized] of byUser) {
      expect(await decide(viewer.accessToken, body), JSON.stringify(body)).to.equal(isAuthorized);
    }
    const role = { sub: 'admin/plugin-identity-editor-role', resource: 'users', action: 'post' };
    const byApp: [body: object, isAuthorized: boolean][] = [
      [role, true],
      [{ ...role, action: 'delete' }, true],
      [{ ...role, resource: 'accounts' }, false],
      [{ ...role, sub: 'admin/quipu-editor-role', resource: 'accounts' }, false],
      [{ ...role, sub: 'default/first-client' }, false],
      [{ ...role, resource: 'update-password', action: 'put' }, true],
    ];
    for (const [body, isAuthorized] of byApp) {
      expect(await decide(app.accessToken, body), JSON.stringify(body)).to.equal(isAuthorized);
    }
    const authorize = (body: object, token?: string) => ask('POST', '/v1/authorize', token, body);
    expectProblem(await authorize({ ...get, sub: undefined }, viewer.accessToken), 400, 'AUT-0001');
    expectProblem(await authorize({ ...get, action: 'fly' }, viewer.accessToken), 400, 'AUT-0009');
    expectProblem(await authorize(get), 401, 'AUT-0006');
    expectProblem(await authorize(get, 'x'), 401, 'AUT-0007');
  });

  it('list what their subjects may do', async () => {
    const permissions = async (token: string, query = '') =>
      (await ask('GET', `/v1/permissions${query}`, token)).json() as Record<string, string[]>;
    const admin = await tokens();
    const all = await permissions(admin.accessToken);
    expect(all['accounts']).to.deep.equal(['delete', 'get', 'head', 'patch', 'post', 'put']);
    expect(Object.keys(all)).to.deep.equal(Object.keys(all).toSorted());
    expect(all).to.include.keys('users/password', 'rules', 'subscriptions', 'packages', 'aliases');
    const viewer = await tokens({ username: 'viewer.one' });
    const own = await permissions(viewer.accessToken);
    expect(own).to.deep.include({ accounts: ['get', 'head'], 'users/password': ['patch'] });
    expect(own).to.not.include.keys('users', 'aliases', 'rules');
    expect(await permissions(viewer.accessToken, '?product=plugin-identity')).to.deep.equal({
      'users/password': ['patch'],
    });
    expect(await permissions(viewer.accessToken, '?product=plugin-fees')).to.deep.equal({});
    const app = await tokens({ grantType: 'client_credentials', ...FIRST_CLIENT });
    const identity = await permissions(app.accessToken);
    expect(identity).to.include.keys('users', 'groups', 'applications', 'reset-password');
    expect(identity).to.not.include.keys('accounts', 'users/password');
    expect((await ask('GET', '/v1/permissions')).status).to.equal(401);
    const bare = await client.get('/v1/permissions', { Authorization: viewer.accessToken });
    expect(bare.status).to.equal(200);
  });
});
