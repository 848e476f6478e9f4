import type { Distribution } from './job.ts';
import { seeded } from './random.ts';

/** Who pays whom in the nth transfer, so that a request is a pure function of its number. */
export type Pairs = Readonly<{ source: (seq: number) => number; target: (seq: number) => number }>;

/**
 * Draws a table of pairs once and walks it in a circle: drawing from a power law per request would cost
 * the generator more than sending it.
 */
export function pairsOf(distribution: Distribution, accounts: number, seed: number): Pairs {
  if (accounts < 2) throw new Error('A transfer needs two accounts.');
  const sources = new Uint32Array(PAIRS);
  const targets = new Uint32Array(PAIRS);
  const draw = drawer(distribution, accounts, seeded(seed));
  for (let n = 0; n < PAIRS; n += 1) {
    const source = distribution === 'hot' ? HOT : draw();
    const target = another(source, accounts, draw);
    // The hot account pays and receives in turns; otherwise it would run dry.
    const turned = distribution === 'hot' && n % 2 === 1;
    sources[n] = turned ? target : source;
    targets[n] = turned ? source : target;
  }
  return {
    source: (seq) => sources[seq % PAIRS] ?? 0,
    target: (seq) => targets[seq % PAIRS] ?? 0,
  };
}

/** A power of two, large enough that one lap is longer than most runs. */
const PAIRS = 1 << 20;
const HOT = 0;
const ZIPF_EXPONENT = 1.05;
const REDRAWS_MAX = 16;

function another(taken: number, accounts: number, draw: () => number): number {
  for (let tries = 0; tries < REDRAWS_MAX; tries += 1) {
    const drawn = draw();
    if (drawn !== taken) return drawn;
  }
  return (taken + 1) % accounts;
}

function drawer(distribution: Distribution, accounts: number, random: () => number): () => number {
  if (distribution !== 'zipf') return () => Math.floor(random() * accounts);

  const upTo = cumulative(accounts);
  // The popular accounts must not be neighbours in the stores, or they would share pages by accident.
  const ranked = shuffled(accounts, random);
  return () => ranked[firstAtLeast(upTo, random())] ?? 0;
}

function cumulative(accounts: number): Float64Array {
  const upTo = new Float64Array(accounts);
  let sum = 0;
  for (let rank = 0; rank < accounts; rank += 1) {
    sum += 1 / (rank + 1) ** ZIPF_EXPONENT;
    upTo[rank] = sum;
  }
  return upTo.map((part) => part / sum);
}

function shuffled(size: number, random: () => number): Uint32Array {
  const order = Uint32Array.from({ length: size }, (_, n) => n);
  for (let last = size - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    const moved = order[last] ?? 0;
    order[last] = order[other] ?? 0;
    order[other] = moved;
  }
  return order;
}

function firstAtLeast(sorted: Float64Array, wanted: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 1) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
