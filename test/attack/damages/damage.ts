import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Chance } from '#test/support/random.ts';
import type { Bank } from './bank.ts';

/** The files of a data folder that a server reads at its start. */
export const DAMAGED = ['log', 'index', 'read', 'snapshots'] as const;
export type DamagedFile = (typeof DAMAGED)[number];

/** What is done to one file of a copied folder; answers what was done, precisely enough to be done again by hand. */
type Damage = (path: string, chance: Chance, bank: Bank) => string;

/** Damages to a file that is whole: the server had been stopped. */
const toFiles: Readonly<Record<string, Damage>> = {
  flip: (path, chance) => flipBits(path, chance, 0, Infinity),
  flipHeader: (path, chance) => flipBits(path, chance, 0, 100),
  zero: (path, chance) =>
    changed(path, (bytes) => {
      const from = chance.int(0, bytes.length - 1);
      const length = chance.pick([1, 16, 512, 4096, 16_384, 65_536]);
      bytes.fill(0, from, Math.min(bytes.length, from + length));
      return [bytes, `${length} bytes from ${from} are zero`];
    }),
  cut: (path, chance) => cutAt(path, (size) => chance.int(1, size - 1)),
  cutLastPage: (path, chance) =>
    cutAt(path, (size) => chance.int(Math.max(1, size - PAGE + 1), size - 1)),
  cutAtPage: (path, chance) => cutAt(path, (size) => PAGE * chance.int(0, size / PAGE - 1)),
  empty: (path) => cutAt(path, () => 0),
  missing: (path) => {
    for (const suffix of SUFFIXES) rmSync(path + suffix, { force: true });
    return 'removed';
  },
  swap: (path, chance) =>
    changed(path, (bytes) => {
      const pages = Math.floor(bytes.length / PAGE);
      const [a, b] = [chance.int(0, pages - 1), chance.int(0, pages - 1)];
      const kept = Buffer.from(pageOf(bytes, a));
      pageOf(bytes, b).copy(pageOf(bytes, a));
      kept.copy(pageOf(bytes, b));
      return [bytes, `pages ${a} and ${b} of ${pages} are swapped`];
    }),
  repeatPage: (path, chance) =>
    changed(path, (bytes) => {
      const pages = Math.floor(bytes.length / PAGE);
      const [a, b] = [chance.int(0, pages - 1), chance.int(0, pages - 1)];
      pageOf(bytes, a).copy(pageOf(bytes, b));
      return [bytes, `page ${b} of ${pages} is page ${a}`];
    }),
  garbage: (path, chance) =>
    changed(path, (bytes) => {
      const more = noise(chance, chance.pick([1, 100, PAGE, 3 * PAGE + 7]));
      return [Buffer.concat([bytes, more]), `${more.length} bytes appended`];
    }),
  older: (path, _, bank) => replaced(path, bank.olderFolded, ['']),
  olderAll: (path, _, bank) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const all = readdirSync(bank.olderFolded).filter((one) => one.startsWith(name));
    return replaced(
      path,
      bank.olderFolded,
      all.map((one) => one.slice(name.length)),
    );
  },
  foreign: (path, _, bank) => replaced(path, bank.foreign, ['']),
};

/** Damages to a file with a write-ahead log beside it: the server had been killed. */
const toWals: Readonly<Record<string, Damage>> = {
  walMissing: (path) => {
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
    return 'removed -wal and -shm';
  },
  shmMissing: (path) => {
    rmSync(`${path}-shm`, { force: true });
    return 'removed -shm';
  },
  shmNoise: (path, chance) => {
    writeFileSync(`${path}-shm`, noise(chance, 32_768));
    return '-shm is noise';
  },
  walCut: (path, chance) => cutAt(`${path}-wal`, (size) => chance.int(0, Math.max(0, size - 1))),
  walFlip: (path, chance) => flipBits(`${path}-wal`, chance, 0, Infinity),
  walOlder: (path, _, bank) => replaced(path, bank.older, ['-wal', '-shm']),
  fileOlder: (path, _, bank) => replaced(path, bank.older, ['']),
  fileFlip: (path, chance) => flipBits(path, chance, 0, Infinity),
  walForeign: (path, _, bank) => replaced(path, bank.foreignRaw, ['-wal', '-shm']),
};

/** Snapshots are saved by threads that end, so that no server leaves a write-ahead log of theirs. */
export const kindsOf = (file: DamagedFile): readonly string[] =>
  file === 'snapshots' ? Object.keys(toFiles) : [...Object.keys(toFiles), ...Object.keys(toWals)];

/** Whether it begins with the folder of a server that was killed. */
export const isToWal = (kind: string): boolean => kind in toWals;

/** Leaves only the databases themselves, as whoever copies `*.db` does; a killed server leaves no more either. */
export function bare(dir: string): string {
  const others = readdirSync(dir).filter((name) => !/\.db(-wal|-shm)?$/.test(name));
  for (const name of others) rmSync(join(dir, name));
  return others.join(', ');
}

/** Does it to a copied folder; `kind` is one of its kinds. */
export function damage(
  dir: string,
  file: DamagedFile,
  kind: string,
  chance: Chance,
  bank: Bank,
): string {
  const does = toFiles[kind] ?? toWals[kind];
  if (does === undefined) throw new Error(`There is no damage ${kind}`);
  return does(join(dir, `${file}.db`), chance, bank);
}

function flipBits(path: string, chance: Chance, from: number, to: number): string {
  if (!existsSync(path)) return `no ${path}`;
  return changed(path, (bytes) => {
    const end = Math.min(to, bytes.length);
    if (end === 0) return [bytes, 'nothing to flip'];
    const at: string[] = [];
    for (let n = chance.int(1, 8); n > 0; n -= 1) {
      const [offset, bit] = [somewhere(bytes, chance, from, end), chance.int(0, 7)];
      bytes[offset] = (bytes[offset] ?? 0) ^ (1 << bit);
      at.push(`${offset}:${bit}`);
    }
    return [bytes, `flipped ${at.join(' ')}`];
  });
}

/** Anywhere, but mostly where something is: much of a small database is empty space. */
function somewhere(bytes: Buffer, chance: Chance, from: number, end: number): number {
  for (let tries = chance.pick([1, 200, 200]); ; tries -= 1) {
    const offset = chance.int(from, end - 1);
    if (tries <= 1 || bytes[offset] !== 0) return offset;
  }
}

function cutAt(path: string, where: (size: number) => number): string {
  if (!existsSync(path)) return `no ${path}`;
  return changed(path, (bytes) => {
    const at = where(bytes.length);
    return [bytes.subarray(0, at), `cut to ${at} of ${bytes.length} bytes`];
  });
}

function replaced(path: string, from: string, suffixes: readonly string[]): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  for (const suffix of suffixes) {
    rmSync(path + suffix, { force: true });
    const source = join(from, name + suffix);
    if (existsSync(source)) copyFileSync(source, path + suffix);
  }
  return `${suffixes.map((suffix) => name + suffix).join(', ')} from another folder`;
}

function changed(path: string, change: (bytes: Buffer) => [Buffer, string]): string {
  const [bytes, said] = change(readFileSync(path));
  writeFileSync(path, bytes);
  return said;
}

const pageOf = (bytes: Buffer, page: number): Buffer =>
  bytes.subarray(page * PAGE, (page + 1) * PAGE);

const noise = (chance: Chance, length: number): Buffer =>
  Buffer.from(Array.from({ length }, () => chance.int(0, 255)));

const SUFFIXES = ['', '-wal', '-shm'];
const PAGE = 16_384;
