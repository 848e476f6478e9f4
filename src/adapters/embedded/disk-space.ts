import { statfsSync } from 'node:fs';

/**
 * Whether the disk of a folder has so little space left that no more is written to the log. What is left then is for
 * read models to show what was acknowledged, so that reads go on.
 */
export function isNearlyFull(dir: string): boolean {
  try {
    const { bavail, bsize, blocks } = statfsSync(dir);
    return bavail * bsize < Math.min(RESERVE_BYTES, (blocks * bsize) / 10);
  } catch {
    return false; // A write will tell.
  }
}

const RESERVE_BYTES = 32 * 1024 * 1024;
