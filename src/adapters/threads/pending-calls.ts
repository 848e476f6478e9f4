/** A call to a thread or a server that is still pending. */
export type PendingCall<Request, Result> = Readonly<{
  request: Request;
  sinceMs: number;
  resolve: (result: Result) => void;
  reject: (error: Error) => void;
}>;

type Deadline<Request> = Readonly<{
  withinMs: number;
  /** Returns the error of a call without a response in time. */
  late: (request: Request) => Error;
}>;

/** Holds pending calls in the order in which they were made, by the number or id that their response carries. */
export class PendingCalls<Key, Request, Result> {
  #calls = new Map<Key, PendingCall<Request, Result>>();
  #taken = 0;
  readonly #deadline: Deadline<Request> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #onDrained: (() => void) | undefined;

  /** Without a deadline, a call stays pending until its response or its loss. */
  constructor(deadline?: Deadline<Request>) {
    this.#deadline = deadline;
  }

  get size(): number {
    return this.#calls.size;
  }

  get(key: Key): PendingCall<Request, Result> | undefined {
    return this.#calls.get(key);
  }

  [Symbol.iterator](): Iterator<readonly [Key, PendingCall<Request, Result>]> {
    return this.#calls.entries();
  }

  add(key: Key, request: Request): Promise<Result> {
    if (this.#deadline !== undefined) this.#arm(this.#deadline.withinMs);
    return new Promise((resolve, reject) => {
      this.#calls.set(key, { request, sinceMs: performance.now(), resolve, reject });
    });
  }

  /** Removes a call on its response; undefined if it was rejected before. */
  take(key: Key): PendingCall<Request, Result> | undefined {
    const call = this.#calls.get(key);
    this.#calls.delete(key);
    this.#renew();
    if (this.#calls.size === 0) this.#onDrained?.();
    return call;
  }

  /**
   * Moves the calls to a new Map. The tables that a Map has outgrown refer to the later ones; once one of them is old, the
   * collector of young objects takes all later calls, and everything that waits for them, for live.
   */
  #renew(): void {
    this.#taken += 1;
    if (this.#calls.size > 0 && this.#taken % RENEWED_EVERY !== 0) return;
    this.#calls = new Map(this.#calls);
  }

  /** Rejects all pending calls because their thread or connection is lost. */
  rejectAll(errorOf: (request: Request) => Error): void {
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    this.#stopTimer();
    for (const { request, reject } of calls) reject(errorOf(request));
    this.#onDrained?.();
  }

  /** Resolves when no call is pending; for a caller that makes no more calls. */
  async drained(): Promise<void> {
    if (this.#calls.size > 0) await new Promise<void>((resolve) => (this.#onDrained = resolve));
    this.#stopTimer();
  }

  /** One timer serves all calls: it is set again only when it fires. */
  #rejectLate({ withinMs, late }: Deadline<Request>): void {
    this.#timer = undefined;
    const nowMs = performance.now();
    for (const [key, { request, sinceMs, reject }] of this.#calls) {
      const leftMs = sinceMs + withinMs - nowMs;
      if (leftMs > 0) {
        this.#arm(leftMs);
        break;
      }
      this.#calls.delete(key);
      reject(late(request));
    }
    if (this.#calls.size === 0) this.#onDrained?.();
  }

  #arm(ms: number): void {
    const deadline = this.#deadline;
    if (deadline !== undefined) this.#timer ??= setTimeout(() => this.#rejectLate(deadline), ms);
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

const RENEWED_EVERY = 64;
