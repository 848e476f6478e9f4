import type { VaultLogin } from '#src/adapters/vault/session.ts';
import type { SettingReader } from '#src/kernel/setting-reader.ts';

/** The keys that protect personal data, as far as the settings name them. */
export type ProtectionSettings = Readonly<{
  wrapping: EnvironmentKeySettings | VaultSettings;
  /** The key of search tokens. */
  hashKey: Uint8Array | undefined;
}>;

type EnvironmentKeySettings = Readonly<{
  is: 'environment';
  current: Uint8Array | undefined;
  previous: readonly Uint8Array[];
}>;

type VaultSettings = Readonly<{ is: 'vault'; url: string; login: VaultLogin }>;

/**
 * Reads the keys of personal data. Processes that share their stores must have the same keys, so `isShared` requires
 * them; a data folder has a file for keys that are not set. The values are secrets: no mistake quotes them.
 */
export function readProtectionSettings(
  reader: SettingReader,
  { isShared }: Readonly<{ isShared: boolean }>,
): ProtectionSettings {
  const vendor = reader.choice('KMS_VENDOR', ['none', 'hashicorp-vault']);
  const current = keyIn(reader, ENCRYPT_KEY);
  const previous = keysIn(reader, PREVIOUS_KEYS);
  const hashKey = keyIn(reader, HASH_KEY);
  const vault = readVault(reader, vendor === 'hashicorp-vault');
  if (vault !== undefined) return { wrapping: vault, hashKey };
  for (const name of isShared ? [ENCRYPT_KEY, HASH_KEY] : []) {
    if (reader.text(name) === '') {
      reader.mistakes.push(
        `${name} must be set with servers for both stores: 64 hex digits, such as from openssl rand -hex 32`,
      );
    }
  }
  return { wrapping: { is: 'environment', current, previous }, hashKey };
}

export const ENCRYPT_KEY = 'CRM_ENCRYPT_SECRET_KEY';
export const HASH_KEY = 'CRM_HASH_SECRET_KEY';
const PREVIOUS_KEYS = 'CRM_ENCRYPT_PREVIOUS_KEYS';

/** Reads a key of 32 bytes in hex; undefined if the text is not one. */
export const parseKey = (text: string): Uint8Array | undefined =>
  /^[0-9a-f]{64}$/i.test(text) ? new Uint8Array(Buffer.from(text, 'hex')) : undefined;

function keyIn(reader: SettingReader, name: string): Uint8Array | undefined {
  const text = reader.text(name);
  const key = parseKey(text);
  if (text !== '' && key === undefined) reader.mistakes.push(`${name} must be 64 hex digits`);
  return key;
}

function keysIn(reader: SettingReader, name: string): readonly Uint8Array[] {
  const texts = reader.text(name).split(',').map((text) => text.trim()); // prettier-ignore
  const keys = texts.map(parseKey).filter((key) => key !== undefined);
  if (texts.join('') !== '' && keys.length < texts.length) {
    reader.mistakes.push(`${name} must be a list of keys with 64 hex digits each`);
  }
  return keys;
}

/** Reads the settings of Vault, whose names must all be read, and requires them only if it is used. */
function readVault(reader: SettingReader, isUsed: boolean): VaultSettings | undefined {
  const mode = reader.choice('DEPLOYMENT_MODE', ['local', 'saas', 'byoc']);
  const url = reader.text('KMS_VAULT_ADDR');
  const method = reader.choice('KMS_VAULT_AUTH_METHOD', ['approle', 'token']);
  const values = {
    KMS_VAULT_TOKEN: reader.text('KMS_VAULT_TOKEN'),
    KMS_VAULT_ROLE_ID: reader.text('KMS_VAULT_ROLE_ID'),
    KMS_VAULT_SECRET_ID: reader.text('KMS_VAULT_SECRET_ID'),
  };
  if (!isUsed) return undefined;

  const { mistakes } = reader;
  const parsed = URL.parse(url);
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol)) {
    mistakes.push('KMS_VAULT_ADDR must be the URL of a Vault, such as https://vault.example:8200');
  }
  if (method === 'token' && mode !== 'local') {
    mistakes.push(
      `KMS_VAULT_AUTH_METHOD=token requires DEPLOYMENT_MODE=local, not ${mode}: use approle`,
    );
  }
  const needed =
    method === 'token'
      ? (['KMS_VAULT_TOKEN'] as const)
      : (['KMS_VAULT_ROLE_ID', 'KMS_VAULT_SECRET_ID'] as const);
  for (const name of needed) {
    if (values[name] === '')
      mistakes.push(`${name} is required by KMS_VAULT_AUTH_METHOD=${method}`);
  }
  const login: VaultLogin =
    method === 'token'
      ? { method, token: values.KMS_VAULT_TOKEN }
      : { method, roleId: values.KMS_VAULT_ROLE_ID, secretId: values.KMS_VAULT_SECRET_ID };
  return { is: 'vault', url: url.replace(/\/+$/, ''), login };
}
