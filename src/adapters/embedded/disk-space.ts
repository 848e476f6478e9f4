import { statfsSync } from 'node:fs';

/**
 * Checks if the disk of a folder has so little space left that the log accepts no more writes. The rest is reserved for
 * read models to catch up with what was acknowledged, so that reads continue.
 */
export function isNearlyFull(dir: string): boolean {
  const space = diskSpace(dir); // If it is unknown, a write will show it.
  return (
    space !== undefined && space.availableBytes < Math.min(RESERVE_BYTES, space.sizeBytes / 10)
  );
}

export type DiskSpace = Readonly<{ availableBytes: number; sizeBytes: number }>;

/** Returns the space of the disk of a folder; undefined if the system does not say. */
export function diskSpace(dir: string): DiskSpace | undefined {
  try {
    const { bavail, bsize, blocks } = statfsSync(dir);
    return { availableBytes: bavail * bsize, sizeBytes: blocks * bsize };
  } catch {
    return undefined;
  }
}

const RESERVE_BYTES = 32 * 1024 * 1024;
