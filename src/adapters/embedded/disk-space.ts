import { statfsSync } from 'node:fs';

/**
 * Checks if the disk of a folder has so little space left that the log accepts no more writes. The rest is reserved for
 * read models to catch up with what was acknowledged, so that reads continue.
 */
export function isNearlyFull(dir: string): boolean {
  try {
    const { bavail, bsize, blocks } = statfsSync(dir);
    return bavail * bsize < Math.min(RESERVE_BYTES, (blocks * bsize) / 10);
  } catch {
    return false; // A write will show it.
  }
}

const RESERVE_BYTES = 32 * 1024 * 1024;
