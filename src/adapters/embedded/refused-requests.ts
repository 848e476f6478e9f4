import { appendFile, mkdir, open, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { formatInstant, type Micros } from '#src/kernel/instant.ts';
import type { Clock } from '#src/ports/clock.ts';
import type { RefusedRequest, RefusedRequests } from '#src/ports/refused-requests.ts';

type RefusedRequestsOptions = Readonly<{
  clock: Clock;
  /** Called when lines cannot be written, and not again until some were. */
  onTrouble: (error: unknown) => void;
  /** The size from which a file is followed by another one; by default 8 MiB. */
  fileBytesMax?: number;
}>;

/**
 * Keeps refused requests in `refused.ndjson` of the data folder, a line of JSON each, and in four older files. So that
 * a flood costs no more than counting, only some requests of a second are kept. Those with a verified subject have their
 * own allowance, because requests without one cost an attacker nothing. The lines are not flushed to disk.
 */
export function openRefusedRequests(
  dir: string,
  { clock, onTrouble, fileBytesMax = FILE_BYTES_MAX }: RefusedRequestsOptions,
): RefusedRequests {
  const path = refusedFile(dir);
  const anonymous = allowance(clock);
  const verified = allowance(clock);
  let lines: string[] = [];
  let dropped = 0;
  let reported = 0;
  let writing: Promise<void> | undefined;
  let isOpened = false;
  let isFailing = false;

  const write = async (): Promise<void> => {
    const taken = lines;
    lines = [];
    const unreported = dropped - reported;
    const gap = unreported === 0 ? '' : lineOf({ at: clock.now(), dropped: unreported });
    try {
      if (!isOpened) await endTornLine(path);
      isOpened = true;
      if ((await sizeOf(path)) >= fileBytesMax) await shiftFiles(dir);
      await appendFile(path, taken.join('') + gap, { mode: 0o600 });
      reported += unreported;
      isFailing = false;
    } catch (error) {
      dropped += taken.length;
      if (!isFailing) onTrouble(error);
      isFailing = true;
    }
  };

  const writeAll = async (): Promise<void> => {
    while (lines.length > 0) await write();
    writing = undefined;
  };

  return {
    record(refused) {
      const { subject } = refused;
      if (!(subject === undefined ? anonymous : verified).take()) {
        dropped += 1;
        return;
      }
      lines.push(lineOf(refused));
      writing ??= writeAll();
    },
    get dropped() {
      return dropped;
    },
    async close() {
      await writing;
      if (dropped > reported) await write();
    },
  };
}

export const refusedFile = (dir: string, age = 0): string =>
  join(dir, age === 0 ? 'refused.ndjson' : `refused.${String(age)}.ndjson`);

/** The number of requests before a time that were not kept. */
type Gap = Readonly<{ at: Micros; dropped: number }>;

/** Members that are undefined are left out. */
const lineOf = ({ at, ...members }: RefusedRequest | Gap): string =>
  JSON.stringify({ time: formatInstant(at), ...members }) + '\n';

/** Returns an allowance of PER_SECOND, of which BURST_MAX can be saved up. */
function allowance(clock: Clock): Readonly<{ take: () => boolean }> {
  let left = BURST_MAX;
  let refilledAt = clock.now();
  return {
    take() {
      const now = clock.now();
      const seconds = Math.max(0, now - refilledAt) / 1e6; // The clock may step back.
      left = Math.min(BURST_MAX, left + seconds * PER_SECOND);
      refilledAt = now;
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
}

/** Creates the folder, which only a server without embedded stores may lack, and ends a line that a crash cut off. */
async function endTornLine(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, 'a+', 0o600);
  try {
    const { size } = await file.stat();
    if (size === 0) return;
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
    if (buffer.toString() !== '\n') await file.appendFile('\n');
  } finally {
    await file.close();
  }
}

/** Makes each file one older; the oldest is overwritten. */
async function shiftFiles(dir: string): Promise<void> {
  for (let age = AGE_MAX; age > 0; age -= 1) {
    await rename(refusedFile(dir, age - 1), refusedFile(dir, age)).catch(ignoreAbsence);
  }
}

const sizeOf = async (path: string): Promise<number> =>
  (await stat(path).catch(ignoreAbsence))?.size ?? 0;

function ignoreAbsence(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

const FILE_BYTES_MAX = 8 * 1024 * 1024;
const AGE_MAX = 4;
const PER_SECOND = 20;
const BURST_MAX = 1000;
