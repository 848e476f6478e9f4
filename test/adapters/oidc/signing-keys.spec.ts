import { expect } from 'chai';
import { decodeJwt, decodeProtectedHeader, SignJWT, type JWTPayload } from 'jose';
import { SigningKeys } from '#src/adapters/oidc/signing-keys.ts';
import { createTokenIssuer } from '#src/adapters/oidc/token-issuer.ts';
import { systemScheduler } from '#src/adapters/system.ts';
import type { Micros } from '#src/kernel/instant.ts';
import { Unavailable } from '#src/ports/errors.ts';
import { memorySecretStore, type MemorySecretData } from '#test/doubles/memory/secret-store.ts';

const DAY = 86_400 * 1e6;
const MINUTE = 60 * 1e6;

describe('tokens that are issued here', () => {
  let data: MemorySecretData;
  let now: number;
  let isAway: boolean;
  const clock = { now: () => now as Micros };
  beforeEach(() => {
    data = new Map();
    now = Date.parse('2026-11-24T00:00:00Z') * 1000;
    isAway = false;
  });

  /** A process on the same store. */
  const newProcess = (audience?: string) => {
    const store = memorySecretStore(systemScheduler, data);
    const keys = new SigningKeys({
      clock,
      secrets: async () => {
        if (isAway) throw new Unavailable('away');
        return store;
      },
    });
    return createTokenIssuer({ keys, issuer: () => 'https://bank.example', audience, clock });
  };
  const claims = (more: JWTPayload = {}): JWTPayload => {
    const iat = Math.floor(now / 1e6);
    return { sub: 'ana', aud: ['shop'], jti: '1', sid: '2', iat, exp: iat + 3600, ...more };
  };
  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => 'accepted',
      (error: unknown) => `${(error as Error).name}: ${(error as Error).message}`,
    );
  const kids = async (process: ReturnType<typeof newProcess>) =>
    (await process.publicKeys()).map(({ kid }) => kid);
  const kidOf = (token: string) => decodeProtectedHeader(token).kid;

  it('are verified by every process, with one key for all that start at the same time', async () => {
    const processes = [1, 2, 3].map(() => newProcess());
    const tokens = await Promise.all(processes.map((one) => one.sign(claims(), 'access')));
    expect(new Set(tokens.map(kidOf)).size).to.equal(1);
    for (const one of [...processes, newProcess()]) {
      for (const token of tokens)
        expect((await one.verify(token)).claims).to.include({ sub: 'ana' });
      expect(await kids(one)).to.deep.equal([kidOf(tokens[0]!)]);
    }
    expect(decodeJwt(tokens[0]!).iss).to.equal('https://bank.example');
  });

  it('are signed by a new key after 90 days, which is published a day before', async () => {
    const [one, other] = [newProcess(), newProcess()];
    const first = await one.sign(claims(), 'access');
    now += 89 * DAY - MINUTE;
    expect(await kids(one)).to.have.length(1);
    now += MINUTE;
    const [old, next] = await kids(one);
    expect(kidOf(first)).to.equal(old);
    const last = async () => one.sign(claims({ exp: Math.floor(now / 1e6) + 86_400 }), 'access');
    now += DAY - MINUTE;
    const late = await last();
    expect(kidOf(late), 'not used before').to.equal(old);
    now += 2 * MINUTE;
    expect(kidOf(await last())).to.equal(next);
    expect(kidOf(await other.sign(claims(), 'access'))).to.equal(next);
    now += DAY - 3 * MINUTE;
    expect(await outcome(other.verify(late)), 'the last of the old key').to.equal('accepted');
    expect(await kids(other)).to.deep.equal([old, next]);
    now += 2 * 3600 * 1e6;
    expect(await kids(other), 'its last token has expired').to.deep.equal([next]);
    expect(JSON.stringify([...data.values()])).to.not.contain(old);
  });

  it('are known by the private part of no published key', async () => {
    const process = newProcess();
    const [key] = await process.publicKeys();
    expect(Object.keys(key!).sort()).to.deep.equal(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  });

  it('are verified while the store is away, but not begun', async () => {
    const process = newProcess();
    const token = await process.sign(claims(), 'access');
    isAway = true;
    now += 2 * MINUTE;
    expect(await outcome(process.verify(token))).to.equal('accepted');
    expect(await outcome(newProcess().verify(token))).to.contain('Unavailable');
  });

  it('are refused where anything about them is wrong', async () => {
    const process = newProcess('https://ledger.example');
    const good = claims({ aud: ['shop', 'https://ledger.example'] });
    const access = await process.sign(good, 'access');
    expect(await outcome(process.verify(access))).to.equal('accepted');
    const [header, payload] = access.split('.');
    const kid = kidOf(access)!;
    const asHmacKey = new TextEncoder().encode(String((await process.publicKeys())[0]!['n']));
    const hmac = (typ: string) =>
      new SignJWT({ ...good, iss: 'https://bank.example' })
        .setProtectedHeader({ alg: 'HS256', kid, typ })
        .sign(asHmacKey);
    const wrong: Record<string, string> = {
      'id token': await process.sign(good, 'id'),
      'other audience': await process.sign(claims(), 'access'),
      expired: await process.sign({ ...good, exp: good.exp! - 7200 }, 'access'),
      'no session': await process.sign({ ...good, sid: undefined }, 'access'),
      'other issuer': await process.sign({ ...good, iss: 'https://other' }, 'access'),
      'other signature': `${header!}.${payload!}.AAAA`,
      'as HMAC': await hmac('at+jwt'),
      'not a JWT': 'abc',
    };
    for (const [what, token] of Object.entries(wrong)) {
      expect(await outcome(process.verify(token)), what).to.match(/^TokenInvalid: /);
    }
  });

  it('are read as hints of either kind when they have expired, but only with their signature', async () => {
    const process = newProcess('https://ledger.example');
    for (const kind of ['access', 'id'] as const) {
      const token = await process.sign(claims(), kind);
      now += DAY;
      expect((await process.readIssued(token))?.claims).to.include({ sid: '2' });
      const forged = token.replace(/[^.]*$/, 'AAAA');
      expect(await outcome(process.readIssued(forged))).to.match(/^TokenInvalid: /);
    }
    for (const text of ['', 'abc', 'a.b.c']) {
      expect(await process.readIssued(text)).to.equal(undefined);
    }
  });
});
