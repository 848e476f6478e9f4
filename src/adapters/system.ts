import { createHash, randomFillSync } from 'node:crypto';
import type { Uuid } from '#src/domain/ids.ts';
import type { Micros } from '#src/domain/instant.ts';
import type { Clock } from '#src/ports/clock.ts';
import type { Ids } from '#src/ports/ids.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';

/** The machine's own clock, to the millisecond. */
export const systemClock: Clock = { now: () => (Date.now() * 1000) as Micros };

export const systemScheduler: Scheduler = {
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  yield: () => new Promise((resolve) => setImmediate(resolve)),
  elapsedMs: () => performance.now(),
  random: () => Math.random(),
};

export const systemIds = (): Ids => createIds(systemClock, randomFillSync);

/**
 * UUIDv7 (RFC 9562 §5.7): 48 bits of Unix milliseconds, a 12-bit counter that makes each id greater than the
 * one before (method 1 of §6.2; when it is full, the next millisecond is used ahead of its time), 62 random
 * bits. The time never goes back, whatever the clock does. Randomness is drawn in pools: one id costs a
 * fraction of a microsecond.
 */
export function createIds(clock: Clock, fillRandom: (pool: Uint8Array) => unknown): Ids {
  const pool = Buffer.alloc(POOL_BYTES);
  let drawn = POOL_BYTES;
  let lastMs = 0;
  let counter = 0;
  let head = '';

  /** Everything before the random bits: `tttttttt-tttt-7ccc-`. */
  const tick = (): string => {
    const nowMs = Math.floor(clock.now() / 1000);
    if (nowMs > lastMs) {
      lastMs = nowMs;
      counter = 0;
    } else if (counter < COUNTER_MAX) {
      counter += 1;
      return head + (COUNTERS[counter] ?? '');
    } else {
      lastMs += 1;
      counter = 0;
    }
    const time = lastMs.toString(16).padStart(12, '0');
    head = `${time.slice(0, 8)}-${time.slice(8)}-7`;
    return head + (COUNTERS[0] ?? '');
  };

  const draw = (): string => {
    if (drawn === POOL_BYTES) {
      fillRandom(pool);
      drawn = 0;
    }
    const random = pool.toString('hex', drawn, drawn + 8);
    drawn += 8;
    return random;
  };

  return {
    next() {
      const random = draw();
      return `${tick()}${variant(random)}${random.slice(1, 4)}-${random.slice(4)}` as Uuid;
    },
    nextWhole() {
      const random = draw();
      return `${tick()}${variant(random)}${random.slice(1, 4)}-${random.slice(4, 12)}0000` as Uuid;
    },
    named(namespace, name) {
      const hash = createHash('sha1').update(namespace.replaceAll('-', ''), 'hex').update(name);
      const hex = hash.digest('hex');
      const tail = `${variant(hex.slice(16))}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${tail}` as Uuid;
    },
  };
}

/** The first digit with the two variant bits set and its lower two bits kept. */
const variant = (hex: string): string => {
  const code = hex.charCodeAt(0);
  return '89ab'.charAt((code > DIGIT_9 ? code - LETTER_A + 10 : code) & 3);
};
const DIGIT_9 = 57;
const LETTER_A = 97;

const POOL_BYTES = 16_384;
const COUNTER_MAX = 0xfff;
const COUNTERS = Array.from({ length: COUNTER_MAX + 1 }, (_, n) => {
  return n.toString(16).padStart(3, '0') + '-';
});
