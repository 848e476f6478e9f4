import type { Cut } from '#src/ports/page.ts';
import type { ReadWork } from './read-answer.ts';

/** A question in progress. */
export type PendingRead = Readonly<{
  id: number;
  collection: string;
  version: number;
  work: ReadWork;
}> & {
  sinceMs: number;
  /** The milliseconds of the thread it has used. */
  spentMs: number;
};

export type TurnSettings = Readonly<{
  /** The milliseconds of the thread that one read may use. */
  budgetMs: number;
  /** The milliseconds after which a read that others keep delaying ends with its results so far. */
  patienceMs: number;
}>;

/**
 * Schedules reads. A new question gets a moment at once, which is enough for most. One that needs longer is a scan:
 * scans take turns, one slice each, and while new questions wait they share a quarter of the thread. So a scan delays
 * other reads by one slice, however many scans there are; beyond some dozens they end with their results so far.
 */
export class ReadTurns {
  readonly #settings: TurnSettings;
  #fresh: PendingRead[] = [];
  #scans: PendingRead[] = [];
  /** The milliseconds that new questions may use before a scan continues. */
  #owedMs = 0;

  constructor(settings: TurnSettings) {
    this.#settings = settings;
  }

  get size(): number {
    return this.#fresh.length + this.#scans.length;
  }

  add(pending: PendingRead): void {
    this.#fresh.push(pending);
  }

  /** Drops questions that their callers have abandoned. */
  drop(ids: ReadonlySet<number>): void {
    const stays = ({ id }: PendingRead) => !ids.has(id);
    this.#fresh = this.#fresh.filter(stays);
    this.#scans = this.#scans.filter(stays);
  }

  /** Removes and returns all open questions. */
  clear(): readonly PendingRead[] {
    const all = [...this.#fresh, ...this.#scans];
    this.#fresh = [];
    this.#scans = [];
    return all;
  }

  /** `go` works on a question for `forMs` milliseconds, or ends it early; it returns true when the question is done. */
  turn(go: (pending: PendingRead, forMs: number, cut?: Cut) => boolean): void {
    const endsMs = performance.now() + TURN_MS;
    let served = 0;
    for (const pending of this.#fresh) {
      served += 1;
      if (!this.#serve(pending, FIRST_MS, go, true)) this.#scans.push(pending);
      this.#owedMs -= pending.spentMs;
      if (performance.now() > endsMs) break;
    }
    this.#fresh.splice(0, served);
    if (this.#fresh.length === 0) this.#owedMs = 0;
    if (this.#owedMs > 0) return;

    const [scan] = this.#scans;
    if (scan === undefined) return;
    const { spentMs } = scan;
    const isDone = this.#serve(scan, SLICE_MS, go);
    this.#scans.shift();
    if (!isDone) this.#scans.push(scan);
    this.#owedMs = (scan.spentMs - spentMs) * SHARE_OF_OTHERS;
  }

  #serve(
    pending: PendingRead,
    forMs: number,
    go: (pending: PendingRead, forMs: number, cut?: Cut) => boolean,
    isFresh = false,
  ): boolean {
    const beganMs = performance.now();
    const isDone = go(pending, forMs);
    pending.spentMs += performance.now() - beganMs;
    if (isDone) return true;
    const cut =
      this.#cutOf(pending) ?? (isFresh && this.#scans.length >= SCANS_MAX ? 'busy' : undefined);
    return cut !== undefined && go(pending, 0, cut);
  }

  #cutOf({ sinceMs, spentMs }: PendingRead): Cut | undefined {
    if (spentMs >= this.#settings.budgetMs) return 'time';
    const isLate = performance.now() - sinceMs >= this.#settings.patienceMs;
    return isLate ? 'busy' : undefined;
  }
}

const TURN_MS = 10;
const FIRST_MS = 2;
const SLICE_MS = 10;
/** The share of other reads, relative to one for scans. */
const SHARE_OF_OTHERS = 3;
const SCANS_MAX = 64;
