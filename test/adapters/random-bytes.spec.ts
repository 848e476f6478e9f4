import { expect } from 'chai';
import { createRandomBytes, systemRandomBytes } from '#src/adapters/system.ts';

describe('random bytes', () => {
  it('hands out no byte twice, whatever the lengths, and keeps none of them', () => {
    let word = 0;
    let pool: Uint8Array = new Uint8Array();
    const randomBytes = createRandomBytes((bytes) => {
      pool = bytes;
      new Uint32Array(bytes.buffer).forEach((_, n, words) => (words[n] = word += 1));
    });
    const seen = new Set<number>();
    const lengths = [12, 32, 4, 4096, 8, 4092, 4, 16_384];
    for (const length of Array.from({ length: 20 }, () => lengths).flat()) {
      const bytes = randomBytes(length);
      expect(bytes).to.have.length(length);
      const words = new Uint32Array(bytes.buffer);
      expect(words.includes(0)).to.equal(false);
      for (const one of words) {
        expect(seen.has(one)).to.equal(false);
        seen.add(one);
      }
      if (pool.buffer !== bytes.buffer) {
        const kept = new Uint32Array(pool.buffer).filter((one) => seen.has(one));
        expect(kept).to.have.length(0);
      }
    }
  });

  it('comes from the system', () => {
    const drawn = Array.from({ length: 1000 }, () =>
      Buffer.from(systemRandomBytes(12)).toString('hex'),
    );
    expect(new Set(drawn).size).to.equal(1000);
  });
});
