import { expect } from 'chai';
import { createApplication } from '#commands/access/processes/create-application.ts';
import { SigningKeys } from '#src/adapters/oidc/signing-keys.ts';
import { createTokenIssuer } from '#src/adapters/oidc/token-issuer.ts';
import { systemClock, systemIds, systemScheduler } from '#src/adapters/system.ts';
import { AccessCheck } from '#src/http/access-check.ts';
import { TenantCheck } from '#src/http/tenant-check.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { Tenant } from '#src/kernel/tenant.ts';
import { issuedTokenVerifier } from '#src/runtime/access/issued-tokens.ts';
import { localAuthorizer } from '#src/runtime/access/policies.ts';
import { Revocations } from '#src/runtime/access/revocations.ts';
import { memorySecretStore } from '#test/doubles/memory/secret-store.ts';
import { accessWorld } from '#test/support/access-world.ts';

/** Both are active; the process has the users and applications of the first. */
const TENANTS: readonly Tenant[] = ['acme', 'beta'].map((id) => ({
  ...{ id, recordedAs: id, status: 'active', isUsed: true },
}));

describe('tokens that are issued here, of several tenants', function () {
  this.timeout(20_000);

  it('are good for the tenant that they name, whoever signed more than that', async () => {
    const process = accessWorld('acme').process();
    const product = { name: 'quipu', description: '', clientId: 'client-1' };
    await createApplication(process.steps(), process.credentials, product);
    const store = memorySecretStore(systemScheduler, new Map());
    const sources = { secrets: async () => store, clock: systemClock };
    const issuer = createTokenIssuer({
      ...{ keys: new SigningKeys(sources), issuer: () => 'http://here', clock: systemClock },
    });
    const revocations = new Revocations({ ...sources, tokenSeconds: 60 });
    const { directories } = process;
    const find = (id: string) => TENANTS.find((one) => one.id === id);
    const check = new AccessCheck({
      verifier: issuedTokenVerifier(issuer, { directories, revocations }),
      authorizer: localAuthorizer(directories, { core: 'quipu', isFolded: false }),
      clock: systemClock,
      claims: { client: 'azp', type: 'type' },
      tenants: new TenantCheck({
        claim: 'tenantId',
        directory: () => ({
          ...{ isFresh: () => true, get: find, recordedAs: find },
          ...{ refresh: async () => undefined, use: async () => undefined },
        }),
      }),
    });
    const ids = systemIds();
    const exp = Math.floor(systemClock.now() / 1e6) + 60;
    const tokenFor = (tenantId: string | undefined, sid: string = ids.next()) =>
      issuer.sign(
        { sub: 'client-1', aud: 'any', exp, jti: ids.next(), sid, type: 'application', tenantId },
        'access',
      );
    const permission = { namespace: 'core', resource: 'accounts', action: 'get' };
    const admit = async (token: string): Promise<unknown> => {
      try {
        return (await check.admit(`Bearer ${token}`, permission)).tenantId;
      } catch (error) {
        return error instanceof Refusal ? error.refusal : error;
      }
    };
    const sid = ids.next();
    const token = await tokenFor('acme', sid);
    expect(await admit(token)).to.equal('acme');
    expect(check.admit(`Bearer ${token}`, permission), 'without waiting').to.include({
      tenantId: 'acme',
    });
    const theirs = await tokenFor('beta');
    for (const _ of [1, 2]) expect(await admit(theirs)).to.equal('TOKEN_INVALID');
    expect(await admit(await tokenFor(undefined))).to.equal('TOKEN_INVALID');
    expect(await admit(await tokenFor('gamma'))).to.equal('TENANT_NOT_FOUND');
    await revocations.end(sid);
    expect(await admit(token)).to.equal('TOKEN_INVALID');
  });
});
