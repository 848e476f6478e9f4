import { expect } from 'chai';
import { readProtectionSettings } from '#src/bootstrap/protection-settings.ts';
import { readSettings } from '#src/bootstrap/settings.ts';
import { SettingReader } from '#src/kernel/setting-reader.ts';
import { SHARED_KEYS } from '#test/support/shared-keys.ts';

describe('settings of protection', () => {
  const read = (env: Record<string, string>, isShared = false) => {
    const reader = new SettingReader(env);
    const settings = readProtectionSettings(reader, { isShared });
    return { settings, mistakes: reader.mistakes };
  };
  const mistakesIn = (env: Record<string, string>, isShared = false) =>
    read(env, isShared).mistakes.join('\n');
  const KEY = 'ab'.repeat(32);
  const VAULT = {
    KMS_VENDOR: 'hashicorp-vault',
    KMS_VAULT_ADDR: 'http://127.0.0.1:8200/',
    KMS_VAULT_ROLE_ID: 'role',
    KMS_VAULT_SECRET_ID: 'secret',
  };

  it('need nothing in a data folder', () => {
    for (const env of [{}, { KMS_VENDOR: '' }, { KMS_VENDOR: 'none' }]) {
      const { settings, mistakes } = read(env);
      expect(mistakes).to.deep.equal([]);
      expect(settings.wrapping.is).to.equal('environment');
    }
  });

  it('take keys of 32 bytes in hex', () => {
    const { settings, mistakes } = read({
      CRM_ENCRYPT_SECRET_KEY: KEY.toUpperCase(),
      CRM_HASH_SECRET_KEY: ` ${KEY} `,
      CRM_ENCRYPT_PREVIOUS_KEYS: `${'cd'.repeat(32)}, ${'ef'.repeat(32)}`,
    });
    expect(mistakes).to.deep.equal([]);
    const bytes = new Uint8Array(32);
    expect(settings).to.deep.equal({
      wrapping: {
        is: 'environment',
        current: bytes.fill(0xab).slice(),
        previous: [bytes.fill(0xcd).slice(), bytes.fill(0xef).slice()],
      },
      hashKey: new Uint8Array(32).fill(0xab),
    });
  });

  it('refuse anything else as a key, without quoting it', () => {
    for (const name of [
      'CRM_ENCRYPT_SECRET_KEY',
      'CRM_HASH_SECRET_KEY',
      'CRM_ENCRYPT_PREVIOUS_KEYS',
    ]) {
      for (const value of [KEY.slice(1), `${KEY}a`, `${KEY.slice(1)}g`, 'hunter2', `${KEY},x`]) {
        const mistake = mistakesIn({ [name]: value });
        expect(mistake, value).to.include(name).and.not.include(value);
      }
    }
  });

  it('must name both keys where processes share their stores', () => {
    expect(mistakesIn(SHARED_KEYS, true)).to.equal('');
    for (const name of Object.keys(SHARED_KEYS)) {
      expect(mistakesIn({ ...SHARED_KEYS, [name]: '' }, true)).to.include(name);
    }
    const servers = { EVENT_STORE_URL: 'esdb://e.example', READ_STORE_URL: 'mongodb://r.example' };
    const start = (env: Record<string, string>) => () => readSettings(env, () => {});
    expect(start(servers)).to.throw(/CRM_ENCRYPT_SECRET_KEY[^]*CRM_HASH_SECRET_KEY/);
    expect(start({ ...servers, ROLES: 'relay' })).to.not.throw(); // It handles no personal data.
    expect(start({ ...servers, ...SHARED_KEYS })).to.not.throw();
    expect(start({ ...servers, ...VAULT })).to.not.throw(); // Which provides them.
    expect(start({ EVENT_STORE_URL: servers.EVENT_STORE_URL })).to.not.throw();
  });

  it('know only the key services that exist', () => {
    expect(mistakesIn({ KMS_VENDOR: 'aws' })).to.include('KMS_VENDOR=aws');
  });

  it('log in to Vault by a role, or locally by a token', () => {
    expect(read(VAULT).settings.wrapping).to.deep.equal({
      is: 'vault',
      url: 'http://127.0.0.1:8200',
      login: { method: 'approle', roleId: 'role', secretId: 'secret' },
    });
    const byToken = { ...VAULT, KMS_VAULT_AUTH_METHOD: 'token', KMS_VAULT_TOKEN: 'hvs.x' };
    expect(read(byToken).settings.wrapping).to.have.deep.property('login', {
      method: 'token',
      token: 'hvs.x',
    });
    for (const mode of ['saas', 'byoc']) {
      const mistake = mistakesIn({ ...byToken, DEPLOYMENT_MODE: mode });
      expect(mistake).to.include('DEPLOYMENT_MODE').and.not.include('hvs.x');
      expect(mistakesIn({ ...VAULT, DEPLOYMENT_MODE: mode })).to.equal('');
    }
  });

  it('require what the method of login needs', () => {
    for (const name of ['KMS_VAULT_ADDR', 'KMS_VAULT_ROLE_ID', 'KMS_VAULT_SECRET_ID']) {
      expect(mistakesIn({ ...VAULT, [name]: '' })).to.include(name);
    }
    const byToken = { ...VAULT, KMS_VAULT_AUTH_METHOD: 'token' };
    expect(mistakesIn(byToken)).to.include('KMS_VAULT_TOKEN');
    expect(mistakesIn({ ...VAULT, KMS_VAULT_AUTH_METHOD: 'ldap' })).to.include('AUTH_METHOD=ldap');
    expect(mistakesIn({ ...VAULT, KMS_VAULT_ADDR: 'ftp://x' })).to.include('KMS_VAULT_ADDR');
    expect(mistakesIn({ KMS_VAULT_ADDR: 'nonsense' })).to.equal('');
  });
});
