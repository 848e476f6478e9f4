import { expect } from 'chai';
import { routes } from '#src/bootstrap/routes.ts';
import { AccessCheck } from '#src/http/access-check.ts';
import { TenantCheck } from '#src/http/tenant-check.ts';
import type { Micros } from '#src/kernel/instant.ts';
import { clientOf, type Client } from '#test/support/client.ts';
import { startSample, type Sample } from '#test/http/sample.ts';
import { expectProblem } from './problems.ts';

describe('while the journal of tenants cannot be read', () => {
  let sample: Sample;
  let client: Client;
  before(async () => {
    const tenants = new TenantCheck({ claim: 'tenantId', directory: () => undefined });
    const expiresAt = Number.MAX_SAFE_INTEGER as Micros;
    const access = new AccessCheck({
      verifier: { verify: async () => ({ claims: { sub: 'ana', tenantId: 'acme' }, expiresAt }) },
      authorizer: { decisionSeconds: Infinity, allows: () => true },
      clock: { now: () => 0 as Micros },
      claims: { client: 'azp', type: 'type' },
      tenants,
    });
    sample = await startSample({ routes, access, ownAccess: access });
    client = clientOf(() => sample, {
      impatient: true,
      headers: () => ({ Authorization: 'Bearer any' }),
    });
  });
  after(async () => {
    client.close();
    await sample.server.close();
  });

  for (const [path, code] of [
    ['/v1/organizations', 'LDG-0161'],
    ['/v1/users', 'IDE-0161'],
    ['/v1/userinfo', 'AUT-0161'],
  ] as const) {
    it(`${path} is 503 ${code}`, async () => {
      const answer = await client.get(path);
      expectProblem(answer, 503, code);
      expect(answer.headers['retry-after']).to.equal('1');
    });
  }
});
