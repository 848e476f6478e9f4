import { expect } from 'chai';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import {
  ADMIN,
  FIRST_CLIENT,
  localAccessOfBlock,
  LOGIN,
  type Tokens,
} from '#test/support/local-access.ts';

describe('tokens', function () {
  this.timeout(60_000);
  const access = localAccessOfBlock({
    OIDC_AUDIENCE: 'https://ledger.example',
    AUTHZ_MODE: 'local',
  });
  const { ask, client, login, tokens } = access;

  it('are issued to users, verify by the published keys, and open what the user may do', async () => {
    const answer = await login({ ...FIRST_CLIENT, nonce: 'n-1' });
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.headers['cache-control']).to.equal('no-store');
    const issued = answer.json() as Tokens;
    expect(Object.keys(issued).sort()).to.deep.equal(
      ['accessToken', 'expiresIn', 'idToken', 'refreshToken', 'scope', 'tokenType'].sort(),
    );
    expect(issued).to.include({
      ...{ tokenType: 'Bearer', expiresIn: 3600, scope: 'openid profile email' },
    });
    const address = `http://127.0.0.1:${access.server().port}`;
    const discovery = (await ask('GET', '/.well-known/openid-configuration')).json() as {
      issuer: string;
      jwks_uri: string;
      token_endpoint: string;
    };
    expect(discovery).to.include({ issuer: address, token_endpoint: address + LOGIN });
    const keys = createRemoteJWKSet(new URL(discovery.jwks_uri));
    const { payload, protectedHeader } = await jwtVerify(issued.accessToken, keys, {
      issuer: address,
      audience: 'https://ledger.example',
    });
    expect(protectedHeader).to.include({ alg: 'RS256', typ: 'at+jwt' });
    expect(payload).to.deep.include({
      aud: ['first-client', 'https://ledger.example'],
      azp: 'first-client',
      name: 'root.admin',
      displayName: 'First Administrator',
      owner: 'default',
      type: 'normal-user',
      groups: ['admin-group'],
    });
    expect(payload.exp! - payload.iat!).to.equal(3600);
    const id = (await jwtVerify(issued.idToken!, keys, { audience: 'first-client' })).payload;
    expect(id).to.include({ email: 'root@example.com', email_verified: false, nonce: 'n-1' });
    expect(id.sub).to.equal(payload.sub);

    const list = (token?: string) => ask('GET', '/v1/organizations', token);
    expect((await list(issued.accessToken)).status).to.equal(200);
    expect((await list()).status).to.equal(401);
    expect((await list(issued.idToken)).status, 'an id token opens nothing').to.equal(401);
    const bare = await client.get('/v1/organizations', { Authorization: issued.accessToken });
    expect(bare.status).to.equal(200);
  });

  it('are issued to applications, which may do what their product is for', async () => {
    const issued = await tokens({ grantType: 'client_credentials', ...FIRST_CLIENT });
    expect(issued).to.include({ scope: '' }).and.to.not.have.property('idToken');
    expect(decodeJwt(issued.accessToken)).to.deep.include({
      ...{ sub: 'first-client', azp: 'first-client', type: 'application' },
      ...{ name: 'plugin-identity', aud: ['first-client', 'https://ledger.example'] },
    });
    expect((await ask('GET', '/v1/organizations', issued.accessToken)).status).to.equal(403);
    const id = '0190a1c0-0000-7000-8000-000000000001';
    expect((await ask('GET', `/v1/users/${id}`, issued.accessToken)).status).to.equal(404);
    expect(decodeProtectedHeader(issued.accessToken).typ).to.equal('at+jwt');
  });

  it('are issued for forms and HTTP Basic, on a path with a slash at its end', async () => {
    const form = { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' };
    const basic = `Basic ${btoa(`first-client:${encodeURIComponent(FIRST_CLIENT.clientSecret)}`)}`;
    const inForm = new URLSearchParams({
      ...{ grant_type: 'client_credentials', client_id: 'first-client' },
      client_secret: FIRST_CLIENT.clientSecret,
    });
    const post = (body: URLSearchParams, headers = {}) =>
      client.post(`${LOGIN}/`, body.toString(), { ...form, ...headers });
    expect((await post(inForm)).status).to.equal(200);
    const grant = new URLSearchParams({ grant_type: 'client_credentials' });
    expect((await post(grant, { Authorization: basic })).status).to.equal(200);
    const user = new URLSearchParams({ grant_type: 'password', ...ADMIN });
    const issued = (await post(user)).json() as Tokens & Record<string, unknown>;
    expect(issued, 'as libraries of OAuth read it').to.deep.include({
      access_token: issued.accessToken,
      id_token: issued.idToken,
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: issued.refreshToken,
    });
    const both = new URLSearchParams({ grant_type: 'client_credentials', client_id: 'other' });
    expect((await post(both, { Authorization: basic })).status).to.equal(401);
    const twice = await post(new URLSearchParams('grant_type=password&grant_type=password'));
    expect([twice.status, (twice.json() as { code: string }).code]).to.deep.equal([
      400,
      'AUT-0009',
    ]);
  });

  it('are refused in the words of access management, which repeat no secret', async () => {
    const secret = 'Unmistakable-Secret-1';
    const user = { grantType: 'password', ...ADMIN };
    const app = { grantType: 'client_credentials', ...FIRST_CLIENT };
    const cases: [body: unknown, status: number, code: string][] = [
      [{ ...user, grantType: undefined }, 400, 'AUT-0001'],
      [{ ...user, grantType: 5 }, 400, 'AUT-0013'],
      [{ ...user, grantType: 'authorization_code' }, 400, 'AUT-1001'],
      [{ ...user, password: undefined }, 400, 'AUT-0014'],
      [{ ...user, username: '' }, 400, 'AUT-0014'],
      [{ grantType: 'client_credentials' }, 400, 'AUT-0014'],
      [{ ...user, password: secret }, 401, 'AUT-1002'],
      [{ ...user, username: 'nobody', password: secret }, 401, 'AUT-1002'],
      [{ ...user, clientId: 'first-client', clientSecret: secret }, 401, 'AUT-1004'],
      [{ ...user, clientId: 'first-client' }, 401, 'AUT-1004'],
      [{ ...app, clientSecret: secret }, 401, 'AUT-1004'],
      [{ ...app, clientId: 'nobody' }, 401, 'AUT-1004'],
      [{ ...user, password: 5 }, 400, 'AUT-0009'],
      [{ ...user, password: secret.repeat(20) }, 400, 'AUT-0009'],
      [{ ...user, grantType: null }, 400, 'AUT-0009'],
      [`{"password":"${secret}"`, 400, 'AUT-0009'],
    ];
    for (const [body, status, code] of cases) {
      const answer = await ask('POST', LOGIN, undefined, body);
      const text = JSON.stringify(body);
      expect([answer.status, (answer.json() as { code: string }).code], text).to.deep.equal([
        status,
        code,
      ]);
      expect(answer.text, text).to.not.contain('Unmistakable');
      expect(answer.headers['cache-control']).to.equal('no-store');
    }
    expect(access.server().output()).to.not.contain('Unmistakable');
    await access.restart(); // Forgets the failed logins.
  });
});
