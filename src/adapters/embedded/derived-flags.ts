/**
 * What the threads of a process tell each other of the derived files of its data folder, at once and without messages:
 * a file that is deleted under its readers still answers them.
 */
export type DerivedFlags = Int32Array<SharedArrayBuffer>;

export type DerivedFile = 'index' | 'read';

export const newDerivedFlags = (): DerivedFlags =>
  new Int32Array(new SharedArrayBuffer(4 * Object.keys(SLOTS).length));

/** The owner has checked the file, or made it: readers open it, in place of the one they have. */
export function confirm(flags: DerivedFlags, file: DerivedFile): void {
  Atomics.store(flags, SLOTS[`${file} doubted`], 0);
  const life = Atomics.add(flags, SLOTS[`${file} lives`], 1) + 1;
  Atomics.store(flags, SLOTS[`${file} life`], life);
}

/** The file is not to be read any more; `doubted` asks its owner to make it again. */
export function withdraw(flags: DerivedFlags, file: DerivedFile, doubted: boolean): void {
  Atomics.store(flags, SLOTS[`${file} life`], 0);
  if (doubted) Atomics.store(flags, SLOTS[`${file} doubted`], 1);
}

export const isDoubted = (flags: DerivedFlags, file: DerivedFile): boolean =>
  Atomics.load(flags, SLOTS[`${file} doubted`]) === 1;

/** The number of the file that may be read; 0 when none may. */
export const lifeOf = (flags: DerivedFlags, file: DerivedFile): number =>
  Atomics.load(flags, SLOTS[`${file} life`]);

const SLOTS = {
  'index life': 0,
  'index lives': 1,
  'index doubted': 2,
  'read life': 3,
  'read lives': 4,
  'read doubted': 5,
} as const;
