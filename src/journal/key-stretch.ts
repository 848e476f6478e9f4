import { detached } from '#src/kernel/detached.ts';
import { keyHash } from './key-hash.ts';

/** A use of a key. */
export type RecentUse<Known> = Readonly<{ key: string; known: Known }>;

/**
 * Uses of keys in journal order, by key. A Map would enter each key into the table of all names of the process, which costs
 * several times as much and leaves a copy of the key in old memory; here, keys are hashed and compared as they are.
 */
export class KeyStretch<Known> {
  readonly #uses: RecentUse<Known>[] = [];
  /** By hash, the number of the last use with that hash, counted from 1; 0 if there is none. */
  #last = new Uint16Array(FIRST_SIZE);
  /** By use, the number of the one before it with the same hash. */
  #before = new Uint16Array(FIRST_SIZE);
  /** The last uses, once keys turned out to share hashes, as a client could choose them to. */
  #crowded: Map<string, Known> | undefined;

  constructor(uses: readonly RecentUse<Known>[] = []) {
    for (const { key, known } of uses) this.add(key, known);
  }

  get uses(): readonly RecentUse<Known>[] {
    return this.#uses;
  }

  get isFull(): boolean {
    return this.#uses.length >= STRETCH_USES;
  }

  /** Returns the last use of a key. */
  get(key: string): Known | undefined {
    if (this.#crowded !== undefined) return this.#crowded.get(key);
    let steps = 0;
    let at = this.#last[keyHash(key).a & (this.#last.length - 1)]!;
    for (; at !== 0; at = this.#before[at - 1]!) {
      const use = this.#uses[at - 1]!;
      if (use.key === key) return use.known;
      if ((steps += 1) > STEPS_MAX) return this.#crowd().get(key);
    }
    return undefined;
  }

  add(key: string, known: Known): void {
    this.#uses.push({ key: detached(key), known });
    if (this.#crowded !== undefined) this.#crowded.set(key, known);
    else if (this.#uses.length > this.#last.length) this.#grow();
    else this.#link(this.#uses.length);
  }

  #link(use: number): void {
    const slot = keyHash(this.#uses[use - 1]!.key).a & (this.#last.length - 1);
    this.#before[use - 1] = this.#last[slot]!;
    this.#last[slot] = use;
  }

  #grow(): void {
    this.#last = new Uint16Array(GROWTH * this.#last.length);
    this.#before = new Uint16Array(this.#last.length);
    for (let use = 1; use <= this.#uses.length; use += 1) this.#link(use);
  }

  #crowd(): Map<string, Known> {
    return (this.#crowded = new Map(this.#uses.map(({ key, known }) => [key, known])));
  }
}

/** About one append of an index that follows at once; a stretch takes some 1 MB. */
const STRETCH_USES = 4096;
/** Powers of two; few at first, because most journals have few keys that the index lacks. */
const FIRST_SIZE = 16;
const GROWTH = 8;
/** Uses that share a hash by chance are a few, unless they are uses of the same key. */
const STEPS_MAX = 16;
