import { Damaged } from '#src/ports/errors.ts';
import {
  KeyServiceUnavailable,
  type KeyScope,
  type KeyWrapping,
  type WrappingKey,
} from '#src/ports/key-wrapping.ts';
import { openVaultSession, refused, type VaultOptions, type VaultResponse } from './session.ts';

/**
 * Wraps data keys in the transit engine of a HashiCorp Vault, with one key for each organization, which is created on
 * first use. The engine must be mounted at `transit-st`, and at `transit-mt` where there are several tenants. A wrapped
 * key is Vault's own `vault:v1:…`.
 */
export function vaultKeyWrapping(options: VaultOptions): KeyWrapping {
  const session = openVaultSession(options);
  const provisioned = new Map<string, Promise<WrappingKey>>();

  const currentKey = async (scope: KeyScope): Promise<WrappingKey> => {
    const { mount, name } = placeOf(scope);
    const path = `${mount}/keys/${name}`;
    let found = await session.call('GET', path);
    if (found.status === 404) {
      // A key that another process creates at the same time is the same key.
      mustSucceed(await session.call('POST', path, { type: 'aes256-gcm96', exportable: false }));
      found = await session.call('GET', path);
    }
    const { latest_version: latest } = mustSucceed(found).data;
    if (!Number.isInteger(latest)) {
      throw new KeyServiceUnavailable('The key service sent no version of a key');
    }
    return { path, keyId: `${name}:v${String(latest)}` };
  };
  const ensureKey = (scope: KeyScope): Promise<WrappingKey> => {
    const { mount, name } = placeOf(scope);
    const known = provisioned.get(`${mount}/${name}`);
    if (known !== undefined) return known;
    const creating = currentKey(scope);
    provisioned.set(`${mount}/${name}`, creating);
    creating.catch(() => provisioned.delete(`${mount}/${name}`));
    return creating;
  };
  const transit = async (work: string, scope: KeyScope, body: object): Promise<VaultResponse> => {
    const { mount, name } = placeOf(scope);
    return session.call('POST', `${mount}/${work}/${name}`, body);
  };

  return {
    provision: (scope) => currentKey(scope),

    async wrap(scope, key) {
      await ensureKey(scope);
      const plaintext = Buffer.from(key).toString('base64');
      const { ciphertext } = mustSucceed(await transit('encrypt', scope, { plaintext })).data;
      if (typeof ciphertext === 'string' && WRAPPED.test(ciphertext)) return ciphertext;
      throw new KeyServiceUnavailable('The key service sent no wrapped key');
    },

    async unwrap(scope, wrapped) {
      mustBeWrapped(wrapped);
      const response = await transit('decrypt', scope, { ciphertext: wrapped });
      if (isUnreadable(response)) throw unreadable(response);
      const { plaintext } = mustSucceed(response).data;
      if (typeof plaintext === 'string') return new Uint8Array(Buffer.from(plaintext, 'base64'));
      throw new KeyServiceUnavailable('The key service sent no key');
    },

    async rewrap(scope, wrapped) {
      mustBeWrapped(wrapped);
      const response = await transit('rewrap', scope, { ciphertext: wrapped });
      if (isUnreadable(response)) throw unreadable(response);
      const { ciphertext } = mustSucceed(response).data;
      if (typeof ciphertext !== 'string' || !WRAPPED.test(ciphertext)) {
        throw new KeyServiceUnavailable('The key service sent no wrapped key');
      }
      return versionIn(ciphertext) === versionIn(wrapped) ? undefined : ciphertext;
    },

    close: async () => {},
  };
}

/** Returns the mount and the name of an organization's key; without several tenants, the tenant is not named. */
const placeOf = ({
  tenantId,
  organizationId,
}: KeyScope): Readonly<{ mount: string; name: string }> =>
  tenantId === 'default'
    ? { mount: 'transit-st', name: `org-${organizationId}` }
    : { mount: 'transit-mt', name: `${tenantId}_org-${organizationId}` };

const versionIn = (wrapped: string): string | undefined => wrapped.split(':')[1];

const WRAPPED = /^vault:v[1-9]\d{0,8}:[A-Za-z0-9+/]+={0,2}$/;

function mustBeWrapped(wrapped: string): void {
  const text = wrapped.split(':')[2] ?? '';
  // Base64 has spellings that decode alike; only the one that Vault wrote is accepted.
  const isCanonical = Buffer.from(text, 'base64').toString('base64') === text;
  if (!WRAPPED.test(wrapped) || !isCanonical) {
    throw new Damaged('A wrapped data key was altered or not wrapped by Vault');
  }
}

/** Returns true if Vault has the key but cannot open the value with it, or has no such key. */
const isUnreadable = ({ status }: VaultResponse): boolean => status === 400 || status === 404;

const unreadable = ({ errors }: VaultResponse): Damaged =>
  new Damaged(`Vault cannot unwrap a data key: ${errors.join('; ')}`);

function mustSucceed(response: VaultResponse): VaultResponse {
  if (response.status >= 400) throw refused(response);
  return response;
}
