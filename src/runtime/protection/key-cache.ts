/** Keeps the most recent values for a limited time; equal loads at the same time are one. */
export class KeyCache<Value> {
  readonly #entries = new Map<string, CacheEntry<Value>>();
  readonly #options: CacheOptions;

  constructor(options: CacheOptions) {
    this.#options = options;
  }

  set(name: string, value: Promise<Value>): void {
    this.#entries.delete(name);
    this.#entries.set(name, { value, untilMs: this.#options.elapsedMs() + this.#options.lifeMs });
    if (this.#entries.size > this.#options.sizeMax) this.#evict();
  }

  /** Returns the value, or loads it. A load that fails, or whose result is undefined, is not kept. */
  async get(name: string, load: () => Promise<Value>): Promise<Value> {
    const found = this.#entries.get(name);
    if (found !== undefined && this.#options.elapsedMs() < found.untilMs) return found.value;
    const loading = load();
    this.set(name, loading);
    try {
      const value = await loading;
      if (value === undefined) this.#forget(name, loading);
      return value;
    } catch (error) {
      this.#forget(name, loading);
      throw error;
    }
  }

  delete(name: string): void {
    this.#entries.delete(name);
  }

  /** Evicts a tenth at once: a map searches for its first entry among all that were deleted before it. */
  #evict(): void {
    const kept = Math.floor(this.#options.sizeMax * 0.9);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= kept) break;
      this.#entries.delete(oldest);
    }
  }

  #forget(name: string, value: Promise<Value>): void {
    if (this.#entries.get(name)?.value === value) this.#entries.delete(name);
  }
}

type CacheEntry<Value> = Readonly<{ value: Promise<Value>; untilMs: number }>;

type CacheOptions = Readonly<{ sizeMax: number; lifeMs: number; elapsedMs: () => number }>;
