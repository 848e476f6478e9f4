import { expect } from 'chai';
import { exportSPKI, generateKeyPair, importJWK, type CryptoKey } from 'jose';
import type { Route } from '#src/http/route.ts';
import { userNamed, type User } from '#test/support/access.ts';
import { authorized } from '#test/support/authorized.ts';
import { localAccessOfBlock, type Tokens } from '#test/support/local-access.ts';
import { localSigner } from '#test/support/local-signer.ts';
import { eventCount } from '#test/support/server.ts';
import { countedRefusals, records, tryCells, type Credential, type Place } from './access-cells.ts';

type Application = Readonly<{ id: string; clientId: string; clientSecret: string }>;

/** The groups that may do what operations of a namespace are for; nobody but administrators manages access. */
const EDITORS: Readonly<Record<string, string>> = {
  ...{ core: 'quipu-editor-group', routing: 'quipu-editor-group', streaming: 'quipu-editor-group' },
  ...{ 'plugin-fees': 'plugin-fees-editor-group', 'plugin-crm': 'plugin-crm-editor-group' },
  'plugin-identity': 'admin-group',
};
const AUDIENCE = 'https://ledger.example';

describe('every operation under every credential of its own', function () {
  this.timeout(600_000);
  const access = localAccessOfBlock({
    ...{ AUTHZ_MODE: 'local', OIDC_AUDIENCE: AUDIENCE },
    ...{ STREAMING_ENABLED: 'true', STREAMING_CLOUDEVENTS_SOURCE: 'quipu.ledger' },
  });
  const { ask, client, tokens } = access;
  let admin: Tokens;
  let places: readonly Place[];
  const editors = new Map<string, string>();
  before(async () => {
    admin = await tokens();
    for (const group of new Set(Object.values(EDITORS))) {
      editors.set(group, (await newUser(group)).session.accessToken);
    }
    const boss = authorized(client, admin.accessToken);
    places = [
      { name: 'own', ids: await records(boss) },
      { name: 'absent', ids: {} },
    ];
  });

  const done = async (method: string, path: string, body?: object) => {
    const answer = await ask(method, path, admin.accessToken, body);
    expect(answer.status, `${path} ${answer.text}`).to.be.within(200, 204);
    return answer;
  };
  const newUser = async (group: string) => {
    const made = userNamed(`member.of.${group}.${editors.size}.${(count += 1)}`, {
      groups: [group],
    });
    const { id } = (await done('POST', '/v1/users', made)).json() as User;
    const { username, password } = made;
    return { id, session: await tokens({ username, password }) };
  };
  let count = 0;
  const newApplication = async (name: string) => {
    const made = (await done('POST', '/v1/applications', { name })).json() as Application;
    const { id, clientId, clientSecret } = made;
    const login = { grantType: 'client_credentials', clientId, clientSecret };
    return { id, session: await tokens(login) };
  };

  it('has the declared answer, and leaves nothing where it is refused', async () => {
    const shared = await sharedCredentials();
    const events = await eventCount(access.server());
    const before = await countedRefusals(client);
    const refused = await tryCells(client, places, (route) => [...shared, ...ownRefused(route)]);
    expect(refused.wrong).to.deep.equal([]);
    expect(await eventCount(access.server())).to.equal(events);
    expect(await countedRefusals(client)).to.equal(before + refused.sent);

    const admitted = await tryCells(client, places, (route) => [
      ...['admin-group', EDITORS[route.permission.namespace] ?? 'plugin-fees-editor-group'].map(
        (group): Credential => ({ ...bearer(group, editors.get(group)!), refusal: undefined }),
      ),
    ]);
    expect(admitted.wrong).to.deep.equal([]);
    expect(refused.sent + admitted.sent).to.be.above(5000);
  });

  const ownRefused = ({ permission }: Route): readonly Credential[] =>
    [...editors]
      .filter(([group]) => group !== 'admin-group' && group !== EDITORS[permission.namespace])
      // Everybody may change their own password.
      .filter(() => permission.resource !== 'update-password')
      .map(([group, token]) => ({ ...bearer(group, token), refusal: 'forbidden' }));

  /** Credentials that no operation accepts. */
  async function sharedCredentials(): Promise<readonly Credential[]> {
    const sign = await localSigner(access.server());
    const { accessToken, idToken = '' } = await tokens();
    const now = Math.floor(Date.now() / 1000);
    const stranger = await generateKeyPair('RS256');
    const published = (await ask('GET', '/.well-known/jwks.json')).json() as {
      keys: { kty: string; n: string; e: string }[];
    };
    const publicKey = await importJWK(published.keys[0]!, 'RS256', { extractable: true });
    const pem = new TextEncoder().encode(await exportSPKI(publicKey as CryptoKey));
    const [head = '', payload = ''] = accessToken.split('.');
    const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');

    const loggedOut = await tokens();
    await done('POST', '/v1/logout', { idTokenHint: loggedOut.idToken });
    const reset = await newUser('quipu-viewer-group');
    await done('PATCH', `/v1/users/${reset.id}/reset-password`, { newPassword: 'Another-Horse-8' });
    const deleted = await newUser('admin-group');
    await done('DELETE', `/v1/users/${deleted.id}`);
    const application = await newApplication('plugin-fees');
    await done('DELETE', `/v1/applications/${application.id}`);

    const invalid: Readonly<Record<string, string>> = {
      expired: await sign(accessToken, { iat: now - 4000, nbf: now - 4000, exp: now - 31 }),
      'without an end': await sign(accessToken, { exp: undefined }),
      'without a session': await sign(accessToken, { sid: undefined }),
      'for another audience': await sign(accessToken, { aud: 'https://other.example' }),
      'of another issuer': await sign(accessToken, { iss: 'https://other.example' }),
      'of another subject': await sign(accessToken, {
        sub: '0190a1c0-0000-7000-8000-000000000001',
      }),
      'of another type': await sign(accessToken, {}, { typ: 'JWT' }),
      'with the algorithm none': `${none}.${payload}.`,
      'with HS256 and the public key': await sign(accessToken, {}, { alg: 'HS256' }, pem),
      'of an unknown key': await sign(accessToken, {}, { kid: '../../dev/null' }),
      'of a foreign key': await sign(accessToken, {}, {}, stranger.privateKey),
      'without a signature': `${head}.${payload}.`,
      'an id token': idToken,
      'a refresh token': admin.refreshToken,
      'after its logout': loggedOut.accessToken,
      'after a reset of the password': reset.session.accessToken,
      'of a deleted user': deleted.session.accessToken,
      'of a deleted application': application.session.accessToken,
    };
    const signed = await ask('GET', '/v1/organizations', await sign(accessToken));
    expect(signed.status, 'the key is the right one').to.equal(200);
    return [
      { what: 'nothing', header: undefined, refusal: 'missing' },
      { what: 'another scheme', header: 'Basic YTpi', refusal: 'missing' },
      ...Object.entries(invalid).map(([what, token]): Credential => ({
        ...bearer(what, token),
        refusal: 'invalid',
      })),
    ];
  }
});

const bearer = (what: string, token: string) => ({ what, header: `Bearer ${token}` });
