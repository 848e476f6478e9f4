import { expect } from 'chai';
import { decodeJwt, exportJWK, generateKeyPair } from 'jose';
import { userNamed, type User } from '#test/support/access.ts';
import type { Answer } from '#test/support/client.ts';
import {
  FIRST_CLIENT,
  localAccessOfBlock,
  LOGIN,
  REFRESH,
  type Tokens,
} from '#test/support/local-access.ts';
import { localSigner } from '#test/support/local-signer.ts';
import { rawConnection, statusesIn } from '#test/support/raw-connection.ts';
import { eventCount } from '#test/support/server.ts';
import { expectProblem } from './problems.ts';

const ORGANIZATIONS = '/v1/organizations';
const AT_ONCE = 100;

describe('attacks on access management', function () {
  this.timeout(120_000);
  const access = localAccessOfBlock();
  const { ask, client, login, tokens } = access;
  let admin: string;
  before(async () => {
    admin = (await tokens()).accessToken;
  });
  const statusWith = async (token: string) => (await ask('GET', ORGANIZATIONS, token)).status;
  const refresh = (refreshToken: string, more: object = {}) =>
    ask('POST', REFRESH, undefined, { refreshToken, ...more });
  const codesOf = (answers: readonly Answer[]) =>
    new Set(answers.map(({ status, text }) => `${status} ${codeIn(text)}`));
  let count = 0;
  const newUser = async (name = `victim.${(count += 1)}`) => {
    const made = userNamed(name);
    const answer = await ask('POST', '/v1/users', admin, made);
    expect(answer.status, answer.text).to.equal(201);
    const { id } = answer.json() as User;
    return { id, username: made.username, password: made.password };
  };

  it('by a hundred refreshes of one token at once continue one session', async () => {
    const { refreshToken } = await tokens();
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => refresh(refreshToken)));
    expect(codesOf(answers)).to.deep.equal(new Set(['200 ']));
    expect(new Set(answers.map(({ text }) => text)).size).to.equal(1);
    expect((await refresh((answers[0]!.json() as Tokens).refreshToken)).status).to.equal(200);
  });

  it('by changes of a password at the same time leave one password', async () => {
    const { id, ...user } = await newUser();
    const { accessToken } = await tokens(user);
    const passwords = Array.from({ length: 8 }, (_, n) => `Raced-Horse-${n + 10}x`);
    const answers = await Promise.all(
      passwords.map((newPassword) =>
        ask('PATCH', `/v1/users/${id}/update-password`, accessToken, {
          ...{ oldPassword: user.password, newPassword },
        }),
      ),
    );
    const changed = passwords.filter((_, n) => answers[n]!.status === 200);
    expect(changed).to.have.lengthOf(1);
    expect([...codesOf(answers)].sort()).to.deep.equal(['200 ', '401 IDE-0009']);
    expect((await login({ ...user, password: changed[0]! })).status).to.equal(200);
    expectProblem(await login(user), 401, 'AUT-1002');
  });

  it('by logins while the user is deleted leave no session', async () => {
    const { id, ...user } = await newUser();
    const logins = Array.from({ length: 10 }, () => login(user));
    const deleted = await ask('DELETE', `/v1/users/${id}`, admin);
    expect(deleted.status).to.equal(204);
    const answers = await Promise.all(logins);
    for (const answer of answers) {
      if (answer.status !== 200) expectProblem(answer, 401, 'AUT-1002');
      else expect(await statusWith((answer.json() as Tokens).accessToken)).to.equal(401);
    }
    expectProblem(await login(user), 401, 'AUT-1002');
  });

  it('by the session of another login change nothing of it', async () => {
    const before = decodeJwt(admin)['sid'];
    const sent = { sid: before, session: before, jti: before, scope: 'openid admin', owner: 'x' };
    const { accessToken, scope } = await tokens(sent);
    expect(decodeJwt(accessToken)['sid']).to.not.equal(before);
    expect(decodeJwt(accessToken)['owner']).to.equal('default');
    expect(scope).to.equal('openid profile email');
  });

  it('by refresh tokens of other owners and clients end nobody', async () => {
    const [mine, other] = [await tokens(FIRST_CLIENT), await tokens()];
    const [a, b] = [mine, other].map(({ refreshToken }) => refreshToken.split('.'));
    const mixed = [
      [a![0], a![1], b![2], b![3]],
      [a![0], b![1], a![2], a![3]],
      [Buffer.from('nobody').toString('base64url'), a![1], a![2], a![3]],
      [a![0], a![1], a![2], a![3]!.slice(0, -1)],
    ].map((parts) => parts.join('.'));
    for (const text of [...mixed, '....', '\u0000', '__proto__.x.y.z', '🪙'.repeat(50)]) {
      expect((await refresh(text)).status, text).to.equal(400);
    }
    const application = await ask('POST', '/v1/applications', admin, { name: 'plugin-fees' });
    const foreign = application.json() as { id: string; clientId: string; clientSecret: string };
    const { clientId, clientSecret } = foreign;
    expectProblem(await refresh(mine.refreshToken, { clientId, clientSecret }), 400, 'AUT-1005');
    for (const { refreshToken } of [mine, other]) {
      expect((await refresh(refreshToken)).status, 'they go on').to.equal(200);
    }
    const viaClient = await tokens({ clientId, clientSecret });
    expect(await statusWith(viaClient.accessToken)).to.equal(200);
    expect((await ask('DELETE', `/v1/applications/${foreign.id}`, admin)).status).to.equal(204);
    expect(await statusWith(viaClient.accessToken), 'of a deleted client').to.equal(401);
    expectProblem(await refresh(viaClient.refreshToken), 400, 'AUT-1005');
  });

  it('by forged tokens are refused as such', async () => {
    const sign = await localSigner(access.server());
    const own = await generateKeyPair('RS256', { extractable: true });
    const jwk = await exportJWK(own.publicKey);
    const [head = '', payload = '', signature = ''] = admin.split('.');
    const header = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string };
    const withHeader = (text: string) =>
      `${Buffer.from(text).toString('base64url')}.${payload}.${signature}`;
    const evil = 'http://127.0.0.1:1/keys';
    const forged: Record<string, string> = {
      jwk: await sign(admin, {}, { jwk }, own.privateKey),
      jku: await sign(admin, {}, { jku: evil }, own.privateKey),
      x5u: await sign(admin, {}, { x5u: evil, x5c: ['AAAA'] }, own.privateKey),
      crit: withHeader(JSON.stringify({ ...header, crit: ['exp'], exp: 1, alg: 'RS256' })),
      b64: withHeader(JSON.stringify({ ...header, b64: false, crit: ['b64'] })),
      'two algorithms': withHeader(`{"alg":"none","alg":"RS256","kid":"${header.kid}"}`),
      'none in another case': withHeader('{"alg":"nOnE","typ":"at+jwt"}'),
      'no object': withHeader('null'),
      'a list': withHeader('[]'),
      'a prototype': withHeader(`{"__proto__":{"alg":"none"},"kid":"${header.kid}"}`),
      padding: `${admin}=`,
      'five parts': `${admin}.${payload}.${signature}`,
      'a changed bit': `${head}.${payload}.${signature.slice(0, -6)}AAAAAA`,
    };
    for (const kid of ['../../../dev/null', '__proto__', '', "' OR 1=1 --", 'x'.repeat(3000)]) {
      forged[`kid ${kid.slice(0, 20)}`] = await sign(admin, {}, { kid }, own.privateKey);
    }
    for (const [what, token] of Object.entries(forged)) {
      expectProblem(await ask('GET', ORGANIZATIONS, token), 401, 'LDG-0042');
      const { status } = await ask('POST', '/v1/logout', undefined, { idTokenHint: token });
      expect([400, 401], what).to.include(status);
      expect([400, 401]).to.include((await ask('POST', '/v1/logout', token)).status);
    }
    expect(await statusWith(admin), 'the session of the copied token goes on').to.equal(200);
    const huge = `Authorization: Bearer ${'a'.repeat(60_000)}\r\n`;
    const bytes = `GET ${ORGANIZATIONS} HTTP/1.1\r\nHost: localhost\r\n${huge}Connection: close\r\n\r\n`;
    const received = await rawConnection(access.server().port, bytes).closed;
    expect(statusesIn(received)).to.deep.equal([431]);
  });

  it('by hints of other issuers end nothing, and by expired ones what they name', async () => {
    const sign = await localSigner(access.server());
    const { accessToken, idToken = '' } = await tokens();
    const past = Math.floor(Date.now() / 1000) - 90_000;
    const hint = (idTokenHint: unknown) => ask('POST', '/v1/logout', undefined, { idTokenHint });
    const other = { iss: 'https://login.example' };
    expectProblem(await hint(await sign(idToken, other, { typ: 'JWT' })), 401, 'AUT-0007');
    for (const odd of [
      await sign(idToken, { sid: undefined }),
      await sign(idToken, { exp: '1' }),
    ]) {
      expectProblem(await hint(odd), 401, 'AUT-0007');
    }
    for (const odd of [7, {}, [idToken]]) {
      expect((await hint(odd)).status, JSON.stringify(odd)).to.equal(400);
    }
    expect(await statusWith(accessToken)).to.equal(200);
    const expired = await sign(idToken, { iat: past, nbf: past, exp: past + 1 }, { typ: 'JWT' });
    expect((await hint(expired)).status).to.equal(200);
    expect(await statusWith(accessToken)).to.equal(401);
  });

  it('by odd HTTP Basic headers name no client', async () => {
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const basic = (text: string) => `Basic ${Buffer.from(text, 'latin1').toString('base64')}`;
    const odd = [
      ...[basic(''), basic(':'), basic('first-client'), basic('first-client:'), basic(':x')],
      ...[basic('%'), basic('%00:%00'), basic('\xff\xfe:\xff'), basic('__proto__:x')],
      ...['Basic', 'Basic ', 'Basic =', `Basic ${'A'.repeat(8000)}`],
      basic(`first-client:${FIRST_CLIENT.clientSecret}:`),
    ];
    for (const Authorization of odd) {
      const answer = await client.post(LOGIN, 'grant_type=client_credentials', {
        ...{ ...form, Authorization },
      });
      expect([400, 401], `${Authorization} ${answer.text}`).to.include(answer.status);
    }
    const bodies = ['grant_type=client_credentials&__proto__=x', '%', '&&&', '=', 'grant_type'];
    const events = await eventCount(access.server());
    for (const body of bodies) {
      expect((await client.post(LOGIN, body, form)).status, body).to.equal(400);
    }
    for (const body of ['{"__proto__":{"grantType":"password"}}', '[]', 'null', '"x"', '{}']) {
      expect((await ask('POST', LOGIN, undefined, body)).status, body).to.equal(400);
    }
    expect(await eventCount(access.server())).to.equal(events);
  });

  it('by names that look alike are locked and taken as one', async () => {
    const { username, password } = await newUser('mirror.user');
    const alike = [username, username.toUpperCase(), 'ｍirror.user', 'mirror．user', 'Mirror.User'];
    for (const name of alike.slice(1)) {
      const answer = await ask('POST', '/v1/users', admin, {
        ...userNamed(name, { email: `other.${(count += 1)}@example.com` }),
      });
      expectProblem(answer, 409, 'IDE-1007');
    }
    for (const name of alike) {
      expectProblem(await login({ username: name, password: 'Wrong-Horse-77' }), 401, 'AUT-1002');
    }
    expectProblem(await login({ username, password }), 401, 'AUT-1002');
  });

  it('by long lists and prototypes in bodies create nobody', async () => {
    const events = await eventCount(access.server());
    const many = Array.from({ length: 100_000 }, () => 'quipu-viewer-group');
    for (const more of [
      { groups: many },
      { groups: ['__proto__'] },
      { groups: ['constructor'] },
      { groups: ['quipu-viewer-group', null] },
      { groups: { length: 1, 0: 'admin-group' } },
    ]) {
      const answer = await ask('POST', '/v1/users', admin, userNamed('any.body', more));
      expect([400, 404, 413], answer.text).to.include(answer.status);
    }
    const { groups: _, ...rest } = userNamed('any.body');
    const polluted = `${JSON.stringify(rest).slice(0, -1)},"__proto__":{"groups":["admin-group"]}}`;
    expect((await ask('POST', '/v1/users', admin, polluted)).status).to.equal(400);
    for (const path of ['/v1/groups/__proto__', '/v1/groups/constructor']) {
      expectProblem(await ask('GET', path, admin), 404, 'IDE-1006');
    }
    expect((await ask('GET', '/v1/permissions?product=__proto__', admin)).text).to.equal('{}');
    expect(await eventCount(access.server())).to.equal(events);
  });
});

describe('attacks on the limits of access management', function () {
  this.timeout(60_000);
  const access = localAccessOfBlock({
    AUTH_RATE_LIMIT_TOKEN: '5',
    AUTH_SERVICE_TOKEN: 'a service',
  });

  it('by headers that name another address or guess the service do not get past them', async () => {
    const login = (headers: Readonly<Record<string, string>>) =>
      access.client.post(LOGIN, {}, headers);
    for (let n = 0; n < 5; n += 1) expect((await login({})).status).to.equal(400);
    const guesses = ['', 'a', 'a servic', 'a service2', 'A SERVICE', 'undefined', 'a service, x'];
    for (const headers of [
      ...['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'True-Client-IP', 'CF-Connecting-IP'].map(
        (name) => ({ [name]: '203.0.113.9' }),
      ),
      ...guesses.map((guess) => ({ 'X-Service-Token': guess })),
    ]) {
      expectProblem(await login(headers), 429, 'AUT-0900');
    }
    expect((await login({ 'X-Service-Token': 'a service' })).status).to.equal(400);
  });
});

const codeIn = (text: string): string => (JSON.parse(text) as { code?: string }).code ?? '';
