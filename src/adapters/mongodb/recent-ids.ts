/** Remembers the most recently added ids: at least half of its size of them, and never more than that size. */
export class RecentIds {
  #young = new Set<string>();
  #old = new Set<string>();

  has(id: string): boolean {
    return this.#young.has(id) || this.#old.has(id);
  }

  add(id: string): void {
    this.#young.add(id);
    if (this.#young.size < SIZE / 2) return;
    this.#old = this.#young;
    this.#young = new Set();
  }
}

const SIZE = 100_000;
