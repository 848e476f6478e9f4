import { expect } from 'chai';
import {
  readAccessSettings,
  readIssuerSettings,
  type AccessSettings,
} from '#src/bootstrap/access-settings.ts';
import { SettingReader, type Environment } from '#src/kernel/setting-reader.ts';

describe('settings of access management', () => {
  const read = (env: Environment): AccessSettings | string | undefined => {
    const reader = new SettingReader(env);
    const settings = readAccessSettings(reader, 'quipu');
    return reader.mistakes.length === 0 ? settings : reader.mistakes.join('\n');
  };
  const on = { PLUGIN_AUTH_ENABLED: 'true' };
  const issuer = { OIDC_ISSUER: 'https://login.example/realms/bank' };

  it('leave it off by default, and mistakes in the others are named all the same', () => {
    expect(read({})).to.equal(undefined);
    expect(read({ OIDC_JWKS_URL: 'keys' })).to.contain('OIDC_JWKS_URL=keys');
    expect(read({ PLUGIN_AUTH_ENABLED: 'yes' })).to.contain('PLUGIN_AUTH_ENABLED');
  });

  it('ask an access management if one is named, whose tokens are accepted then', () => {
    for (const name of ['PLUGIN_AUTH_ADDRESS', 'PLUGIN_AUTH_HOST']) {
      expect(read({ ...on, [name]: 'http://access:4000/' })).to.deep.include({
        issuer: 'http://access:4000',
        decisions: {
          ...{ by: 'remote', address: 'http://access:4000' },
          ...{ serviceToken: undefined, decisionSeconds: 0 },
        },
      });
    }
  });

  it('decide by the own directory if nobody else is named', () => {
    expect(read(on)).to.deep.include({ decisions: { by: 'local' } });
    const settings = read({ ...on, ...issuer, AUTHZ_MODE: 'local' });
    expect(settings).to.deep.include({ issuer: issuer.OIDC_ISSUER, decisions: { by: 'local' } });
  });

  it('give the tokens of this process an issuer, lives and limits', () => {
    const own = (env: Environment) => {
      const reader = new SettingReader(env);
      const settings = readIssuerSettings(reader, 'quipu', readAccessSettings(reader, 'quipu'));
      return reader.mistakes.length === 0 ? settings : reader.mistakes.join('\n');
    };
    expect(own({})).to.deep.include({
      ...{ issuer: undefined, audience: undefined, accessSeconds: 3600, refreshSeconds: 86_400 },
      rateLimits: {
        limits: { general: 100, token: 10, permissions: 60 },
        serviceToken: undefined,
      },
    });
    expect(own(issuer), 'for ledgers elsewhere').to.deep.include({ issuer: issuer.OIDC_ISSUER });
    const claims = { ...on, ...issuer, AUTHZ_MODE: 'claims' };
    expect(own(claims), 'that of another provider').to.deep.include({ issuer: undefined });
    for (const name of ['AUTH_ACCESS_TTL_S', 'AUTH_REFRESH_TTL_S', 'AUTH_RATE_LIMIT_TOKEN']) {
      expect(own({ [name]: '0' })).to.contain(`${name}=0`);
    }
  });

  it('read permissions from claims', () => {
    const roles = { OIDC_ROLE_MAP: ' teller = quipu-editor-group,auditor=admin-group ' };
    const settings = read({ ...on, ...issuer, ...roles, AUTHZ_MODE: 'claims' }) as AccessSettings;
    expect(settings.issuer).to.equal(issuer.OIDC_ISSUER);
    expect(settings.namespaces).to.deep.equal({ core: 'quipu', isFolded: false });
    expect(settings.decisions).to.deep.equal({
      ...{ by: 'claims', permissionsClaim: 'permissions' },
      roleGroups: new Map([
        ['teller', 'quipu-editor-group'],
        ['auditor', 'admin-group'],
      ]),
    });
  });

  it('serve several tenants only where tokens name them', () => {
    const many = { MULTI_TENANT_ENABLED: 'true' };
    expect(read(many)).to.contain('MULTI_TENANT_ENABLED=true requires PLUGIN_AUTH_ENABLED=true');
    expect(read({ MULTI_TENANT_ENABLED: 'false' })).to.equal(undefined);
    const access = { ...on, ...issuer, AUTHZ_MODE: 'none' };
    const tenancyOf = (env: Environment) => (read({ ...access, ...env }) as AccessSettings).tenancy;
    expect(tenancyOf({ DEFAULT_TENANT: 'acme' })).to.equal(undefined);
    expect(tenancyOf(many)).to.deep.equal({ claim: 'tenantId', defaultTenant: undefined });
    expect(tenancyOf({ ...many, OIDC_TENANT_CLAIM: 'org', DEFAULT_TENANT: 'acme' })).to.deep.equal({
      ...{ claim: 'org', defaultTenant: 'acme' },
    });
    for (const DEFAULT_TENANT of ['default', 'a b', '-a', 'a'.repeat(129)]) {
      expect(read({ ...access, ...many, DEFAULT_TENANT })).to.contain('must be the id of a tenant');
    }
  });

  it('refuse what would let in nobody, or everybody by mistake', () => {
    expect(read({ ...on, AUTHZ_MODE: 'claims' })).to.contain('requires OIDC_ISSUER');
    expect(read({ ...on, ...issuer }), 'no mode').to.contain('requires AUTHZ_MODE');
    const keys = { OIDC_JWKS_URL: 'https://login.example/keys' };
    expect(read({ ...on, ...keys }), 'keys of nobody').to.contain('requires OIDC_ISSUER');
    for (const other of [keys, { PLUGIN_AUTH_ADDRESS: 'http://access:4000' }]) {
      expect(read({ ...on, ...other, AUTHZ_MODE: 'local' })).to.contain('AUTHZ_MODE=local accepts');
    }
    expect(read({ ...on, ...issuer, AUTHZ_MODE: 'remote' })).to.contain('PLUGIN_AUTH_ADDRESS');
    expect(read({ ...on, OIDC_ISSUER: 'bank', AUTHZ_MODE: 'none' })).to.contain('OIDC_ISSUER=bank');
    for (const OIDC_ROLE_MAP of ['teller', 'teller=cashiers', '=admin-group', 'a=admin-group=b']) {
      const said = read({ ...on, ...issuer, AUTHZ_MODE: 'claims', OIDC_ROLE_MAP });
      expect(said, OIDC_ROLE_MAP).to.contain('must be role=group');
    }
  });
});
