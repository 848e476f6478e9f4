import { expect } from 'chai';
import { RateLimits } from '#src/http/rate-limits.ts';
import { Refusal } from '#src/kernel/errors.ts';

describe('rate limits', () => {
  let nowMs: number;
  let rates: RateLimits;
  beforeEach(() => {
    nowMs = 5000;
    const settings = { limits: { general: 3, token: 1 }, serviceToken: 'of a service' };
    rates = new RateLimits(settings, () => nowMs);
  });
  const count = (address: string, name = 'general', serviceToken?: string) => {
    try {
      return rates.count(name, { address, serviceToken })['RateLimit'] ?? 'unlimited';
    } catch (error) {
      expect(error).to.be.instanceOf(Refusal);
      const { refusal, details } = error as Refusal;
      return `${refusal} ${String(details.retryAfterSeconds)}`;
    }
  };

  it('let an address send so many requests per minute', () => {
    expect([1, 2, 3, 4].map(() => count('203.0.113.7'))).to.deep.equal([
      '"general";r=2;t=60',
      '"general";r=1;t=60',
      '"general";r=0;t=60',
      'TOO_MANY_REQUESTS 60',
    ]);
    expect(count('203.0.113.8')).to.equal('"general";r=2;t=60');
    expect(count('203.0.113.7', 'token'), 'each limit counts its own').to.equal('"token";r=0;t=60');
    nowMs += 59_500;
    expect(count('203.0.113.7')).to.equal('TOO_MANY_REQUESTS 1');
    nowMs += 500;
    expect(count('203.0.113.7')).to.equal('"general";r=2;t=60');
  });

  it('count the addresses of one client together', () => {
    expect(count('2001:db8:0:7::1', 'token')).to.contain('r=0');
    expect(count('2001:db8:0:7:ffff::2', 'token')).to.contain('TOO_MANY');
    expect(count('2001:db8:0:8::1', 'token')).to.contain('r=0');
    expect(count('::ffff:203.0.113.7', 'token')).to.contain('r=0');
    expect(count('203.0.113.7', 'token')).to.contain('TOO_MANY');
    expect(count('::1', 'token')).to.contain('r=0');
    expect(count('::2', 'token')).to.contain('TOO_MANY');
  });

  it('do not hold for who has the service token', () => {
    for (let n = 0; n < 9; n += 1) {
      expect(count('203.0.113.7', 'token', 'of a service')).to.equal('unlimited');
    }
    expect(count('203.0.113.7', 'token', 'of a servicE')).to.contain('r=0');
    expect(count('203.0.113.7', 'token', '')).to.contain('TOO_MANY');
  });

  it('remember the most recent addresses only', () => {
    count('203.0.113.7', 'token');
    for (let n = 0; n < 20_000; n += 1) count(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);
    expect(count('203.0.113.7', 'token')).to.contain('r=0');
  });
});
