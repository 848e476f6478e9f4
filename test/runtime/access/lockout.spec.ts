import { expect } from 'chai';
import type { Micros } from '#src/kernel/instant.ts';
import { Lockout } from '#src/runtime/access/lockout.ts';

const MINUTE = 60 * 1e6;

describe('lockout after failed logins', () => {
  let now: number;
  let lockout: Lockout;
  let tries: number;
  beforeEach(() => {
    now = 1e15;
    tries = 0;
    lockout = new Lockout({ now: () => now as Micros });
  });
  const attempt = (
    isRight: boolean,
    username = 'ana',
    address = '203.0.113.7',
    tenantId = 'default',
  ) =>
    lockout.attempt({ tenantId, username, address }, async () => {
      tries += 1;
      await Promise.resolve();
      return isRight ? 'in' : undefined;
    });
  const fail = async (times: number) => {
    for (let n = 0; n < times; n += 1) await attempt(false);
  };

  it('locks the user at the address for 15 minutes after the fifth', async () => {
    await fail(4);
    expect(await attempt(true), 'a success forgets failures').to.equal('in');
    await fail(5);
    expect(await attempt(true)).to.equal(undefined);
    expect(await attempt(true, 'ANA'), 'in any letter case').to.equal(undefined);
    expect(await attempt(true, 'bob')).to.equal('in');
    expect(await attempt(true, 'ana', '203.0.113.8')).to.equal('in');
    expect(await attempt(true, 'ana', undefined, 'acme')).to.equal('in');
    now += 15 * MINUTE - 1;
    expect(await attempt(true)).to.equal(undefined);
    now += 1;
    expect(await attempt(true)).to.equal('in');
  });

  it('counts those that come at the same time', async () => {
    await Promise.all(Array.from({ length: 30 }, () => attempt(false)));
    expect(tries).to.equal(5);
    expect(await attempt(true)).to.equal(undefined);
  });

  it('does not lock those who are right at the same time', async () => {
    const all = await Promise.all(Array.from({ length: 30 }, () => attempt(true)));
    expect(new Set(all)).to.deep.equal(new Set(['in']));
  });

  it('counts an error as nothing', async () => {
    for (let n = 0; n < 9; n += 1) {
      const place = { tenantId: 'default', username: 'ana', address: '' };
      const failed = lockout.attempt(place, () => Promise.reject(new Error('away')));
      expect(String(await failed.catch((error: unknown) => error))).to.contain('away');
    }
    expect(await attempt(true, 'ana', '')).to.equal('in');
  });

  it('remembers the most recent failures only', async () => {
    await fail(5);
    for (let n = 0; n < 10_000; n += 1) await attempt(false, `user ${n}`);
    expect(await attempt(true)).to.equal('in');
  });
});
