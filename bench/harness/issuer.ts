import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

export type Issuer = Readonly<{
  /** Makes the product require its tokens. */
  settings: Readonly<Record<string, string>>;
  /** May do everything for an hour. */
  token: string;
  close: () => void;
}>;

/** An issuer of tokens that serves its public key. */
export async function openIssuer(): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: KEY_ID }] });
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(keys);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const token = await new SignJWT({ permissions: ['*:*:*'], azp: 'bench' })
    .setProtectedHeader({ alg: 'RS256', kid: KEY_ID })
    .setIssuer(issuer)
    .setSubject('bench')
    .setExpirationTime('1h')
    .sign(privateKey);
  return {
    settings: {
      ...{ PLUGIN_AUTH_ENABLED: 'true', OIDC_ISSUER: issuer },
      ...{ OIDC_JWKS_URL: `${issuer}/keys`, AUTHZ_MODE: 'claims' },
    },
    token,
    close: () => server.close(),
  };
}

const KEY_ID = 'bench';
