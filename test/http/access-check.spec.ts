import { expect } from 'chai';
import { oidcTokenVerifier } from '#src/adapters/oidc/token-verifier.ts';
import { AccessCheck } from '#src/http/access-check.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { Micros } from '#src/kernel/instant.ts';
import { AUDIENCE, startIdentityProvider } from '#test/support/identity-provider.ts';
import { until } from '#test/support/until.ts';

const MINUTE = 60_000_000;

describe('the check of a token that was accepted before', () => {
  it('is made again, so that a key that its issuer withdraws counts no longer', async () => {
    const provider = await startIdentityProvider();
    const from = Date.now() * 1000;
    let minutes = 0;
    const clock = { now: () => (from + minutes * MINUTE) as Micros };
    const { issuer } = provider;
    const check = new AccessCheck({
      verifier: oidcTokenVerifier({ issuer, audience: AUDIENCE, clock }),
      authorizer: { decisionSeconds: Infinity, allows: () => true },
      clock,
      claims: { client: 'azp', type: 'type' },
      tenants: undefined,
    });
    const permission = { namespace: 'core', resource: 'accounts', action: 'get' };
    const exp = Math.floor(from / 1e6) + 86_400;
    const token = await provider.sign({ exp });
    const admit = async () => check.admit(`Bearer ${token}`, permission);
    try {
      expect((await admit()).expiresAt).to.equal((exp + 30) * 1e6);
      await provider.rotate();
      minutes = 9;
      await admit();
      minutes = 11; // The keys are fetched again without letting this caller wait.
      const fetched = () => provider.requests.filter((path) => path === '/jwks').length;
      const before = fetched();
      await admit();
      await until(() => fetched() > before, 5000, 'the new keys');
      await new Promise((resolve) => setTimeout(resolve, 300));
      minutes = 22;
      const refused = await admit().catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(Refusal).and.include({ refusal: 'TOKEN_INVALID' });
    } finally {
      await provider.stop();
    }
  });
});
