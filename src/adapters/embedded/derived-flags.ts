/**
 * Shared memory by which the threads of a process signal the state of the derived files of its data folder, immediately
 * and without messages: a file deleted under its readers would still answer them.
 */
export type DerivedFlags = Int32Array<SharedArrayBuffer>;

export type DerivedFile = 'index' | 'read';

export const newDerivedFlags = (): DerivedFlags =>
  new Int32Array(new SharedArrayBuffer(4 * Object.keys(SLOTS).length));

/** Marks the file as checked or newly created: readers open it in place of the one they have. */
export function confirm(flags: DerivedFlags, file: DerivedFile): void {
  Atomics.store(flags, SLOTS[`${file} doubted`], 0);
  const life = Atomics.add(flags, SLOTS[`${file} lives`], 1) + 1;
  Atomics.store(flags, SLOTS[`${file} life`], life);
}

/** Tells readers to stop reading the file; `doubted` asks its owner to rebuild it. */
export function withdraw(flags: DerivedFlags, file: DerivedFile, doubted: boolean): void {
  Atomics.store(flags, SLOTS[`${file} life`], 0);
  if (doubted) Atomics.store(flags, SLOTS[`${file} doubted`], 1);
}

export const isDoubted = (flags: DerivedFlags, file: DerivedFile): boolean =>
  Atomics.load(flags, SLOTS[`${file} doubted`]) === 1;

/** Returns the number of the file that may be read; 0 when none may. */
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
