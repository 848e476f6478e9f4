import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { Provider } from 'oidc-provider';

export type IdentityProvider = Readonly<{
  issuer: string;
  /** The keys that it signs with, by algorithm; `sign` makes tokens that it would never issue. */
  keys: () => Readonly<Record<string, SigningKey>>;
  /** Fetches an access token as an application does. Its claim `permissions` is what was asked for. */
  tokenFor: (permissions: readonly string[], client?: string) => Promise<string>;
  sign: (
    /** A claim that is undefined is left out. */
    claims?: Readonly<Record<string, unknown>>,
    header?: Readonly<{ alg?: string; kid?: string; key?: CryptoKey }>,
  ) => Promise<string>;
  /** Replaces the keys, as a provider does from time to time. */
  rotate: () => Promise<void>;
  /** While it is away, it answers nothing. */
  away: (isAway: boolean) => void;
  /** The requests that it got, by path. */
  requests: readonly string[];
  stop: () => Promise<void>;
}>;

type SigningKey = Readonly<{ privateKey: CryptoKey; jwk: JWK; kid: string }>;

export const AUDIENCE = 'https://ledger.example';
export const CLIENT = 'shop';

/** A real OpenID Connect provider (oidc-provider), as an operator would put in front. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  let generation = 1;
  let keys = await newKeys(generation);
  let isAway = false;
  const requests: string[] = [];
  const listener: Server = createServer((request, response) => {
    requests.push(request.url ?? '');
    if (isAway) request.socket.destroy();
    else void serve(request, response);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const issuer = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  let serve = quietly(() => providerOf(issuer, keys)).callback();

  return {
    issuer,
    keys: () => keys,
    requests,
    async tokenFor(permissions, client = CLIENT) {
      const response = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: {
          Authorization: `Basic ${Buffer.from(`${client}:${SECRET}`).toString('base64')}`,
          'Content-Type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          resource: AUDIENCE,
          permissions: permissions.join(' '),
        }),
      });
      const { access_token: token } = (await response.json()) as { access_token?: string };
      if (token === undefined) throw new Error(`No token: ${String(response.status)}`);
      return token;
    },
    async sign(claims = {}, { alg = 'RS256', ...other } = {}) {
      const own = keys[alg];
      const now = Math.floor(Date.now() / 1000);
      const payload = {
        iss: issuer,
        aud: AUDIENCE,
        sub: 'ana',
        azp: CLIENT,
        exp: now + 600,
        ...claims,
      };
      return new SignJWT(payload)
        .setProtectedHeader({ alg, kid: other.kid ?? own?.kid ?? '' })
        .sign(other.key ?? own!.privateKey);
    },
    async rotate() {
      generation += 1;
      keys = await newKeys(generation);
      serve = quietly(() => providerOf(issuer, keys)).callback();
    },
    away(is) {
      isAway = is;
      if (is) listener.closeAllConnections();
    },
    async stop() {
      listener.close();
      listener.closeAllConnections();
      await once(listener, 'close');
    },
  };
}

async function newKeys(generation: number): Promise<Readonly<Record<string, SigningKey>>> {
  const made = await Promise.all(
    ['RS256', 'PS256', 'ES256', 'EdDSA'].map(async (alg): Promise<[string, SigningKey]> => {
      const { privateKey } = await generateKeyPair(alg, { extractable: true });
      const kid = `${alg}-${generation}`;
      return [
        alg,
        { privateKey, kid, jwk: { ...(await exportJWK(privateKey)), kid, alg, use: 'sig' } },
      ];
    }),
  );
  return Object.fromEntries(made);
}

function providerOf(issuer: string, keys: Readonly<Record<string, SigningKey>>): Provider {
  return new Provider(issuer, {
    jwks: { keys: Object.values(keys).map(({ jwk }) => jwk as never) },
    clients: [CLIENT, 'auditor'].map((id) => ({
      client_id: id,
      client_secret: SECRET,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    })),
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, audience, client) => ({
          audience,
          scope: '*:*:*',
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: client.clientId === 'auditor' ? 'ES256' : 'RS256' } },
        }),
      },
    },
    extraTokenClaims: (context) => ({
      permissions: (context.oidc.body as { permissions: string }).permissions.split(' '),
    }),
    ttl: { ClientCredentials: 600 },
  });
}

const SECRET = 'a secret of tests';

/** Its warnings tell operators not to use it as it is used here. */
function quietly<Result>(work: () => Result): Result {
  const { warn, info } = console;
  Object.assign(console, { warn() {}, info() {} });
  try {
    return work();
  } finally {
    Object.assign(console, { warn, info });
  }
}
