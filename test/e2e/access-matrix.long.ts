import { expect } from 'chai';
import { exportSPKI, importJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { namespaceOf, type Permission } from '#src/kernel/permission.ts';
import type { Route } from '#src/http/route.ts';
import { authorized } from '#test/support/authorized.ts';
import { clientOf } from '#test/support/client.ts';
import {
  AUDIENCE,
  startIdentityProvider,
  type IdentityProvider,
} from '#test/support/identity-provider.ts';
import { UNLIMITED } from '#test/support/local-access.ts';
import {
  eventCount,
  removeFolder,
  startServer,
  stopServer,
  type Server,
} from '#test/support/server.ts';
import {
  countedRefusals,
  records,
  removeAll,
  tryCells,
  type Credential,
  type Place,
} from './access-cells.ts';

describe('every operation under every credential of a provider', function () {
  this.timeout(600_000);
  let provider: IdentityProvider;
  let server: Server;
  const client = clientOf(() => server, { impatient: true });
  let places: readonly Place[];
  before(async () => {
    provider = await startIdentityProvider();
    server = await startServer({
      env: {
        ...{ PLUGIN_AUTH_ENABLED: 'true', OIDC_ISSUER: provider.issuer, OIDC_AUDIENCE: AUDIENCE },
        AUTHZ_MODE: 'claims',
        OIDC_ROLE_MAP:
          'boss=admin-group, fees=plugin-fees-editor-group, crm=plugin-crm-editor-group',
        STREAMING_ENABLED: 'true',
        STREAMING_CLOUDEVENTS_SOURCE: 'quipu.ledger',
        ...UNLIMITED,
      },
    });
    const boss = authorized(client, await provider.sign({ roles: 'boss' }));
    const own = await records(boss);
    const deleted = await records(boss);
    await removeAll(boss, deleted);
    places = [
      { name: 'own', ids: own },
      { name: 'deleted', ids: deleted },
      { name: 'absent', ids: {} },
    ];
  });
  after(async () => {
    client.close();
    await stopServer(server);
    removeFolder(server.dataDir);
    await provider.stop();
  });

  it('has the declared answer, and leaves nothing where it is refused', async () => {
    const events = await eventCount(server);
    const shared = await sharedCredentials(provider);
    const refused = await tryCells(client, places, async (route) => [
      ...shared,
      ...(await ownRefused(provider, route)),
    ]);
    expect(refused.wrong).to.deep.equal([]);
    expect(await eventCount(server)).to.equal(events);
    expect(await countedRefusals(client)).to.equal(refused.sent);

    const admitted = await tryCells(client, places, (route) => ownAdmitted(provider, route));
    expect(admitted.wrong).to.deep.equal([]);
    expect(refused.sent + admitted.sent).to.be.above(10_000);
  });
});

/** Credentials that no operation accepts. */
async function sharedCredentials(provider: IdentityProvider): Promise<readonly Credential[]> {
  const now = Math.floor(Date.now() / 1000);
  const all = { permissions: ['*:*:*'] };
  const rs = provider.keys()['RS256']!;
  const right = await provider.sign(all);
  const [head = '', payload = '', signature = ''] = right.split('.');
  const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const publicKey = (await importJWK(publicPartOf(rs.jwk), 'RS256', {
    extractable: true,
  })) as CryptoKey;
  const pem = new TextEncoder().encode(await exportSPKI(publicKey)) as unknown as CryptoKey;
  const stranger = await generateKeyPair('RS256', { extractable: true });
  const ownKey = await new SignJWT({ ...all, iss: provider.issuer, aud: AUDIENCE, sub: 'eve' })
    .setExpirationTime('10m')
    .setProtectedHeader({ alg: 'RS256', jwk: publicPartOf(rs.jwk) })
    .sign(stranger.privateKey);
  const tokens: Record<string, string | Promise<string>> = {
    malformed: 'abc.def.ghi',
    'without a signature': `${head}.${payload}.`,
    'of two parts': `${head}.${payload}`,
    'with another payload': `${head}.${encoded({ ...all, iss: provider.issuer, aud: AUDIENCE, sub: 'eve', exp: now + 600 })}.${signature}`,
    expired: provider.sign({ ...all, exp: now - 31 }),
    'without an end': provider.sign({ ...all, exp: undefined }),
    'not valid yet': provider.sign({ ...all, nbf: now + 120 }),
    'for another audience': provider.sign({ ...all, aud: 'https://other.example' }),
    'for no audience': provider.sign({ ...all, aud: undefined }),
    'of another issuer': provider.sign({ ...all, iss: `${provider.issuer}/` }),
    'with the algorithm none': `${encoded({ alg: 'none' })}.${payload}.`,
    'with HS256 and the public key': provider.sign(all, { alg: 'HS256', kid: rs.kid, key: pem }),
    'of an unknown key': provider.sign(all, { kid: 'unknown' }),
    'of a foreign key under a known name': provider.sign(all, { key: stranger.privateKey }),
    'of a key that it brings': ownKey,
  };
  const invalid = Object.entries(tokens).map(async ([what, token]): Promise<Credential> => {
    return { what, header: `Bearer ${await token}`, refusal: 'invalid' };
  });
  return [
    { what: 'nothing', header: undefined, refusal: 'missing' },
    { what: 'another scheme', header: 'Basic YTpi', refusal: 'missing' },
    { what: 'two tokens', header: `Bearer ${right}, Bearer ${right}`, refusal: 'missing' },
    ...(await Promise.all(invalid)),
    {
      what: 'no subject',
      header: `Bearer ${await provider.sign({ ...all, sub: undefined })}`,
      refusal: 'subjectless',
    },
    {
      what: 'no permission',
      header: `Bearer ${await provider.sign()}`,
      refusal: 'forbidden',
    },
  ];
}

const publicPartOf = ({ n, e }: JWK): JWK => ({ kty: 'RSA', n: n!, e: e! });

const NAMESPACES = { core: 'quipu', isFolded: false };
const textOf = (permission: Permission): string =>
  [namespaceOf(permission, NAMESPACES), permission.resource, permission.action].join(':');

/** Credentials that are refused here, and may be accepted elsewhere. */
async function ownRefused(
  provider: IdentityProvider,
  { permission }: Route,
): Promise<readonly Credential[]> {
  const { namespace, resource, action } = permission;
  const others = ['get', 'post', 'patch', 'put', 'delete', 'head'].filter((one) => one !== action);
  const near = [
    ...others.map((other) => textOf({ ...permission, action: other })),
    textOf({ ...permission, resource: `${resource}s` }),
    textOf({ ...permission, namespace: 'other' }),
    `${resource}:${action}`,
  ];
  const wrongGroup = namespace === 'plugin-fees' ? 'crm' : 'fees';
  return Promise.all([
    forbidden(provider, 'near permissions', { permissions: near }),
    forbidden(provider, 'another group', { roles: [wrongGroup, 'admin-group', 'stranger'] }),
  ]);
}

const forbidden = async (
  provider: IdentityProvider,
  what: string,
  claims: object,
): Promise<Credential> => ({
  what,
  header: `Bearer ${await signed(provider, claims)}`,
  refusal: 'forbidden',
});

async function ownAdmitted(
  provider: IdentityProvider,
  { permission }: Route,
): Promise<readonly Credential[]> {
  const exact = await signed(provider, { permissions: [textOf(permission)] });
  const group = await signed(provider, { roles: ['boss'] });
  return [
    { what: 'exactly the permission', header: `Bearer ${exact}`, refusal: undefined },
    { what: 'the group of administrators', header: group, refusal: undefined },
  ];
}

/** Signing costs more than asking, and many operations need the same claims. */
function signed(provider: IdentityProvider, claims: object): Promise<string> {
  const key = JSON.stringify(claims);
  let token = tokens.get(key);
  if (token === undefined) tokens.set(key, (token = provider.sign({ ...claims })));
  return token;
}
const tokens = new Map<string, Promise<string>>();
