/** Milliseconds before a repetition: 100 × 2ⁿ up to 30 s, of which the last half is by chance (contract events §9.3). */
export function backoffMs(failures: number, random: () => number): number {
  const full = Math.min(FIRST_MS * 2 ** Math.min(failures, DOUBLINGS_MAX), BACKOFF_MS_MAX);
  return full / 2 + (full / 2) * random();
}

const FIRST_MS = 100;
const BACKOFF_MS_MAX = 30_000;
const DOUBLINGS_MAX = 16;
