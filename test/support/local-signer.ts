import { decodeJwt, SignJWT, type CryptoKey } from 'jose';
import { SigningKeys } from '#src/adapters/oidc/signing-keys.ts';
import { systemClock } from '#src/adapters/system.ts';
import { openSecretStore } from '#src/bootstrap/stores.ts';
import type { Server } from './server.ts';
import { storesOf } from './stores.ts';

/** Makes a token from the claims of another one, as the server that issued it would never do. */
export type LocalSigner = (
  token: string,
  /** A claim that is undefined is left out. */
  claims?: Readonly<Record<string, unknown>>,
  header?: Readonly<Record<string, unknown>>,
  key?: CryptoKey | Uint8Array,
) => Promise<string>;

/** Signs with the key of a server that issues its own tokens, by default in the same way. */
export async function localSigner({ dataDir }: Pick<Server, 'dataDir'>): Promise<LocalSigner> {
  const { READ_STORE_URL: readStoreUrl = 'embedded:' } = await storesOf(dataDir).settings();
  const store = await openSecretStore({ eventStoreUrl: 'embedded:', readStoreUrl, dataDir });
  const { kid, privateKey } = await new SigningKeys({
    secrets: async () => store,
    clock: systemClock,
  }).current();
  await store.close();
  return (token, claims = {}, header = {}, key = privateKey) =>
    new SignJWT({ ...decodeJwt(token), ...claims })
      .setProtectedHeader({ alg: 'RS256', kid, typ: 'at+jwt', ...header })
      .sign(key);
}
