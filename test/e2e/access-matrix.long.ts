import { expect } from 'chai';
import { exportSPKI, importJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { routes } from '#src/bootstrap/routes.ts';
import { namespaceOf, type Permission } from '#src/kernel/permission.ts';
import type { Route } from '#src/http/route.ts';
import { authorized } from '#test/support/authorized.ts';
import { clientOf, type Answer, type Client } from '#test/support/client.ts';
import {
  AUDIENCE,
  startIdentityProvider,
  type IdentityProvider,
} from '#test/support/identity-provider.ts';
import {
  eventCount,
  removeFolder,
  startServer,
  stopServer,
  type Server,
} from '#test/support/server.ts';
import {
  createAccount,
  got,
  made,
  NOBODY,
  openBook,
  posted,
  transfer,
  type List,
} from './books.ts';

type Ids = Readonly<Record<string, string>>;
type Identified = Readonly<{ id: string }>;
/** What is sent as Authorization, and the status and code of the refusal; undefined if it must be let in. */
type Credential = Readonly<{
  what: string;
  header: string | undefined;
  refusal: string | undefined;
}>;

const MISSING = '401 LDG-0041';
const INVALID = '401 LDG-0042';
const WITHOUT_SUBJECT = '401 LDG-0474';
const FORBIDDEN = '403 LDG-0043';
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

describe('every operation under every credential', function () {
  this.timeout(600_000);
  let provider: IdentityProvider;
  let server: Server;
  const client = clientOf(() => server, { impatient: true });
  let places: Readonly<Record<'own' | 'deleted' | 'absent', Ids>>;
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
      },
    });
    const boss = authorized(client, await provider.sign({ roles: 'boss' }));
    const own = await records(boss);
    const deleted = await records(boss);
    await removeAll(boss, deleted);
    places = { own, deleted, absent: {} };
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
    const wrong: string[] = [];
    let refused = 0;
    await forEachCell(async (route, where, ids) => {
      for (const { what, header, refusal } of [...shared, ...(await ownRefused(provider, route))]) {
        const answer = await ask(client, route, ids, header);
        refused += 1;
        const flaw = flawIn(answer, route, refusal);
        if (flaw !== undefined) wrong.push(`${route.operationId} ${where} ${what}: ${flaw}`);
      }
    });
    expect(wrong).to.deep.equal([]);
    expect(await eventCount(server)).to.equal(events);
    const metrics = (await client.get('/metrics')).text;
    const counted = [...metrics.matchAll(/^quipu_refused_requests_total\{.*\} (\d+)$/gm)];
    expect(counted.reduce((sum, [, count]) => sum + Number(count), 0)).to.equal(refused);

    let admitted = 0;
    await forEachCell(async (route, where, ids) => {
      for (const { what, header } of await ownAdmitted(provider, route)) {
        const { status, headers } = await ask(client, route, ids, header);
        admitted += 1;
        if ([401, 403].includes(status) || headers['x-content-type-options'] !== 'nosniff') {
          wrong.push(`${route.operationId} ${where} ${what}: ${status}`);
        }
      }
    });
    expect(wrong).to.deep.equal([]);
    expect(refused + admitted).to.be.above(10_000);
  });

  /** Deletions come last, so that others find their records. */
  async function forEachCell(
    visit: (route: Route, where: string, ids: Ids) => Promise<void>,
  ): Promise<void> {
    const ordered = routes.toSorted((a, b) => Number(a.method === 'delete') - Number(b.method === 'delete')); // prettier-ignore
    const cells = Object.entries(places).flatMap(([where, ids]) =>
      ordered.map((route) => ({ route, where, ids })),
    );
    const next = cells.values();
    const work = async (): Promise<void> => {
      for (const { route, where, ids } of next) await visit(route, where, ids);
    };
    await Promise.all(Array.from({ length: 8 }, work));
  }
});

/** A record of each kind, by the names of path parameters. */
async function records(client: Client): Promise<Ids> {
  const { org, ledger, at } = await openBook(client, { funds: { '@alice': '100' } });
  const id = async (path: string, body: object): Promise<string> =>
    (await made<Identified>(client, path, body)).id;
  const first = async (path: string): Promise<string> =>
    (await got<List<Identified>>(client, path)).items[0]?.id ?? NOBODY;
  const account = await createAccount(client, at, { alias: '@bob' });
  const paid = await posted(client, at, transfer('@alice', '@bob', '1'));
  const target = { kind: 'webhook', url: 'https://hooks.example/quipu' };
  const holder = { type: 'NATURAL_PERSON', name: 'Ada', document: '1' };
  return {
    organization_id: org,
    ledger_id: ledger,
    account_id: account.id,
    alias: '@bob',
    asset_code: 'BRL',
    transaction_id: paid.id,
    operation_id: paid.operations[0]?.id ?? NOBODY,
    asset_id: await first(`${at}/assets`),
    balance_id: await first(`${at}/accounts/${account.id}/balances`),
    segment_id: await id(`${at}/segments`, { name: 'Retail' }),
    portfolio_id: await id(`${at}/portfolios`, { name: 'Main', entityId: 'e' }),
    account_type_id: await id(`${at}/account-types`, { name: 'Cash', keyValue: 'cash' }),
    holder_id: await id(`/v2/organizations/${org}/holders`, holder),
    subscription_id: await id('/v1/subscriptions', { name: 'Matrix', target, filters: {} }),
  };
}

async function removeAll(client: Client, ids: Ids): Promise<void> {
  const organization = `/v1/organizations/${ids['organization_id']!}`;
  const at = `${organization}/ledgers/${ids['ledger_id']!}`;
  for (const path of [
    `${at}/segments/${ids['segment_id']!}`,
    `${at}/portfolios/${ids['portfolio_id']!}`,
    `${at}/account-types/${ids['account_type_id']!}`,
    `/v2/organizations/${ids['organization_id']!}/holders/${ids['holder_id']!}`,
    `/v1/subscriptions/${ids['subscription_id']!}`,
    at,
    organization,
  ]) {
    const { status, text } = await client.delete(path);
    expect(status, `${path} ${text}`).to.equal(204);
  }
}

/** A parameter without a record of its kind names none that exists. */
function ask(client: Client, route: Route, ids: Ids, Authorization?: string): Promise<Answer> {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? NOBODY)); // prettier-ignore
  const organization = ids['organization_id'] ?? NOBODY;
  const headers = {
    ...(Authorization !== undefined && { Authorization }),
    ...(route.headerParameter && { [route.headerParameter.header]: organization }),
  };
  return client.send({ method: route.method.toUpperCase(), path, headers });
}

function flawIn(
  { status, headers, text }: Answer,
  { method }: Route,
  refusal = '',
): string | undefined {
  const { code = '' } = status < 400 || text === '' ? {} : (JSON.parse(text) as { code?: string });
  const said = `${status} ${code}`;
  if (method === 'head' ? said !== `${refusal.slice(0, 3)} ` : said !== refusal) return said;
  if (headers['www-authenticate'] !== (status === 401 ? 'Bearer' : undefined)) return 'challenge';
  const lacking = Object.entries(HEADERS).find(([name, value]) => headers[name] !== value);
  if (lacking !== undefined) return lacking[0];
  return headers['cache-control'] === 'no-store' ? undefined : 'cache-control';
}

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
    return { what, header: `Bearer ${await token}`, refusal: INVALID };
  });
  return [
    { what: 'nothing', header: undefined, refusal: MISSING },
    { what: 'another scheme', header: 'Basic YTpi', refusal: MISSING },
    { what: 'two tokens', header: `Bearer ${right}, Bearer ${right}`, refusal: MISSING },
    ...(await Promise.all(invalid)),
    {
      what: 'no subject',
      header: `Bearer ${await provider.sign({ ...all, sub: undefined })}`,
      refusal: WITHOUT_SUBJECT,
    },
    {
      what: 'no permission',
      header: `Bearer ${await provider.sign()}`,
      refusal: FORBIDDEN,
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
  refusal: FORBIDDEN,
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
