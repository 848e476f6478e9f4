import { parseInstant } from '#src/kernel/instant.ts';
import { differ } from './difference.ts';
import { digestOf, KeyTable, SLOTS_FIRST } from './key-table.ts';
import type { KeyedEvent } from './metadata.ts';

/**
 * Checks the idempotency keys of one journal (contract ledger §7.9): a key that was used is used again only
 * after it has expired, in event time, or was released. A key made from the request body follows the same rule.
 *
 * Memory is bounded: two tables of up to `keysMax` keys. When both are full, the older one is dropped. A repeated use
 * is therefore found if fewer than `keysMax` other keys were used in between.
 */
export class UsedKeys {
  readonly #keysMax: number;
  #recent = new KeyTable(SLOTS_FIRST);
  #older: KeyTable | undefined;
  #forgotten = 0;

  constructor(keysMax = KEYS_MAX) {
    this.#keysMax = keysMax;
  }

  /** The number of keys that were dropped before they expired. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** Errors: Differs for a key in use, and for the release of a key that is not. */
  take({ key, expiresAt, recordedAt }: KeyedEvent, type: string, revision: number): void {
    const now = parseInstant(recordedAt);
    const until = expiresAt === undefined ? Infinity : parseInstant(expiresAt);
    if (until < now) differ(`its idempotency key expired at ${expiresAt}, before it was recorded`);
    const digest = digestOf(key);
    const before = this.#recent.get(digest) ?? this.#older?.get(digest);
    const isRelease = until === now; // A key is valid for at least a second, so one that expires at once is a release.
    if (isRelease && !RELEASING.has(type)) {
      differ(`it releases idempotency key ${JSON.stringify(key)}, which a ${type} cannot do`);
    }
    if (isRelease && before === undefined && this.#forgotten === 0) {
      differ(`it releases idempotency key ${JSON.stringify(key)}, which was not used`);
    }
    if (!isRelease && before !== undefined && before.expiresAt > now) {
      differ(
        `its idempotency key ${JSON.stringify(key)} was used at revision ${before.revision} and has not expired`,
      );
    }
    this.#makeRoom(now);
    this.#recent.set(digest, { revision, expiresAt: until });
  }

  #makeRoom(now: number): void {
    if (!this.#recent.isFull && this.#recent.count < this.#keysMax) return;
    if (this.#recent.live(now) <= this.#keysMax / 2) {
      this.#recent = this.#recent.compacted(now);
      return;
    }
    this.#forgotten += this.#older?.live(now) ?? 0;
    this.#older = this.#recent;
    this.#recent = new KeyTable(SLOTS_FIRST);
  }
}

/** The events that end an attempt to create a transaction over several ledgers; only they release a key. */
const RELEASING = new Set(['GroupReleased', 'TransactionCanceled']);

/** A full table of this size takes 192 MiB, and twice as much while it grows. */
const KEYS_MAX = 6 * 1024 * 1024;
