import { expect } from 'chai';
import type { CryptoKey } from 'jose';
import { oidcTokenVerifier } from '#src/adapters/oidc/token-verifier.ts';
import type { Micros } from '#src/kernel/instant.ts';
import type { TokenVerifier } from '#src/ports/token-verifier.ts';
import {
  AUDIENCE,
  CLIENT,
  startIdentityProvider,
  type IdentityProvider,
} from '#test/support/identity-provider.ts';

const MINUTE = 60_000_000;

describe('tokens of an OpenID Connect provider', () => {
  let provider: IdentityProvider;
  let verifier: TokenVerifier;
  let laterBy = 0;
  const clock = { now: () => (Date.now() * 1000 + laterBy) as Micros };
  beforeEach(async () => {
    laterBy = 0;
    provider = await startIdentityProvider();
    verifier = oidcTokenVerifier({ issuer: provider.issuer, audience: AUDIENCE, clock });
  });
  afterEach(() => provider.stop());

  const refusal = (token: string) =>
    verifier.verify(token).then(
      () => 'accepted',
      (error: unknown) => `${(error as Error).name}: ${(error as Error).message}`,
    );
  const keyRequests = () => provider.requests.filter((path) => path === '/jwks').length;

  it('are accepted as it issues them, with their claims', async () => {
    const token = await provider.tokenFor(['quipu:accounts:get']);
    const { claims, expiresAt } = await verifier.verify(token);
    expect(claims).to.include({ sub: CLIENT, iss: provider.issuer, aud: AUDIENCE });
    expect(claims['permissions']).to.deep.equal(['quipu:accounts:get']);
    expect(expiresAt).to.equal((Number(claims['exp']) + 30) * 1e6);
  });

  it('are accepted in every algorithm of the allow list', async () => {
    for (const alg of ['RS256', 'PS256', 'ES256', 'EdDSA']) {
      expect(await refusal(await provider.sign({}, { alg })), alg).to.equal('accepted');
    }
    expect(await refusal(await provider.tokenFor([], 'auditor')), 'ES256').to.equal('accepted');
  });

  it('are refused where anything about them is wrong', async () => {
    const now = Math.floor(Date.now() / 1000);
    const good = await provider.sign();
    const [header, payload, signature] = good.split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const strange = await startIdentityProvider();
    const rs = provider.keys()['RS256']!;
    const publicKey = new TextEncoder().encode(JSON.stringify({ n: rs.jwk.n, e: rs.jwk.e }));
    const tokens: Record<string, string> = {
      'no JWT': 'abc',
      'no JWT, with dots': 'a.b.c',
      empty: '..',
      'algorithm none': `${none}.${payload!}.`,
      'algorithm none, signed': `${none}.${payload!}.${signature!}`,
      'HS256 with the public key': await provider.sign(
        {},
        { alg: 'HS256', kid: rs.kid, key: publicKey as unknown as CryptoKey },
      ),
      'HS256 with any key': await provider.sign(
        {},
        { alg: 'HS256', key: new Uint8Array(32) as unknown as CryptoKey },
      ),
      'an altered payload': `${header!}.${payload!.slice(0, -2)}AA.${signature!}`,
      'an altered signature': `${header!}.${payload!}.${'A'.repeat(signature!.length)}`,
      'no signature': `${header!}.${payload!}.`,
      'a key of another provider': await provider.sign(
        {},
        { key: strange.keys()['RS256']!.privateKey },
      ),
      'an unknown key': await provider.sign({}, { kid: 'no such key' }),
      'another issuer': await provider.sign({ iss: strange.issuer }),
      'the issuer with a slash': await provider.sign({ iss: `${provider.issuer}/` }),
      'another audience': await provider.sign({ aud: 'https://other.example' }),
      'no audience': await provider.sign({ aud: [] }),
      'expired 31 seconds ago': await provider.sign({ exp: now - 31 }),
      'not valid before 60 seconds': await provider.sign({ nbf: now + 60 }),
      'no expiry': await provider.sign({ exp: undefined as unknown as number }),
      'an expiry that is a text': await provider.sign({ exp: 'tomorrow' as unknown as number }),
    };
    await strange.stop();
    for (const [what, token] of Object.entries(tokens)) {
      expect(await refusal(token), what).to.match(/^TokenInvalid: The .*\.$/);
    }
    expect(await refusal(await provider.sign({ exp: now - 20 })), 'within the leeway').to.equal(
      'accepted',
    );
    expect(await refusal(await provider.sign({ nbf: now + 20 })), 'within the leeway').to.equal(
      'accepted',
    );
  });

  it('need no audience where none is set', async () => {
    verifier = oidcTokenVerifier({ issuer: provider.issuer, clock });
    expect(await refusal(await provider.sign({ aud: 'anyone' }))).to.equal('accepted');
  });

  it('are accepted under keys that the provider changed to', async () => {
    const before = await provider.sign();
    expect(await refusal(before)).to.equal('accepted');
    await provider.rotate();
    const after = await provider.sign();
    expect(await refusal(after), 'at once: the cache is younger than 30 s').to.contain(
      'a key that',
    );
    const later = await verifierAfterSeconds(31);
    expect(await later(after)).to.equal('accepted');
    expect(await later(before), 'the old key is gone').to.contain('a key that');
  });

  /** The age of fetched keys is measured by the system's clock, which this moves. */
  async function verifierAfterSeconds(seconds: number) {
    const real = Date.now;
    const move = <Result>(work: () => Promise<Result>): Promise<Result> => {
      Date.now = () => real() + seconds * 1000;
      return work().finally(() => {
        Date.now = real;
      });
    };
    return (token: string) => move(() => refusal(token));
  }

  it('cost one fetch of keys for many tokens, and at most one for many with unknown keys', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, () => provider.sign()));
    await Promise.all(tokens.map((token) => verifier.verify(token)));
    expect(keyRequests()).to.equal(1);
    for (let n = 0; n < 20; n += 1) await refusal(await provider.sign({}, { kid: `unknown ${n}` }));
    expect(keyRequests()).to.equal(1);
  });

  it('are accepted while the provider is away, by keys of the last 24 hours; then its keys are unavailable', async () => {
    const token = await provider.sign({ exp: Math.floor(Date.now() / 1000) + 100_000 });
    await verifier.verify(token);
    provider.away(true);
    laterBy = 11 * MINUTE;
    expect(await refusal(token)).to.equal('accepted');
    expect(await refusal(await provider.sign({}, { kid: 'unknown' }))).to.match(/^TokenInvalid/);
    const nextDay = await verifierAfterSeconds(25 * 3600);
    laterBy = 0;
    expect(await nextDay(token)).to.match(/^KeysUnavailable/);
  });

  it('cannot be verified before the provider was ever there, and can as soon as it is', async () => {
    const token = await provider.sign();
    provider.away(true);
    expect(await refusal(token)).to.match(/^KeysUnavailable/);
    provider.away(false);
    expect(await refusal(token), 'within a second').to.match(/^KeysUnavailable/);
    laterBy = 2_000_000;
    expect(await refusal(token)).to.equal('accepted');
  });

  it('of a discovery document with another issuer are not trusted', async () => {
    const alias = provider.issuer.replace('127.0.0.1', 'localhost');
    verifier = oidcTokenVerifier({ issuer: alias, clock });
    expect(await refusal(await provider.sign({ iss: alias }))).to.match(/^KeysUnavailable/);
  });
});
