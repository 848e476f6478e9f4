import type { DomainEvent } from '#src/kernel/decider.ts';
import { NONE, type Revision } from '#src/kernel/ids.ts';
import type { WaitingCommand } from './batch.ts';

type Keyed = WaitingCommand<unknown, DomainEvent>;

/**
 * Idempotency keys of commands whose append may still be written, although its caller has gone or was rejected. A repeat must
 * not be refused for a reason that this append would contradict.
 */
export class Doubts {
  readonly #mayLandAfter = new Map<string, Revision>();

  get areNone(): boolean {
    return this.#mayLandAfter.size === 0;
  }

  note({ envelope: { idempotency } }: Pick<Keyed, 'envelope'>, mayLandAfter: Revision): void {
    if (idempotency === undefined) return;
    const known = this.#mayLandAfter.get(idempotency.key) ?? NONE;
    this.#mayLandAfter.set(idempotency.key, Math.max(known, mayLandAfter));
  }

  /** Warns a repeat of the append of an earlier command with its key. */
  recall(waiting: Pick<Keyed, 'envelope' | 'mayLandAfter'>): void {
    if (this.#mayLandAfter.size === 0) return;
    const mayLandAfter = this.#mayLandAfter.get(waiting.envelope.idempotency?.key ?? '');
    if (mayLandAfter !== undefined) waiting.mayLandAfter = mayLandAfter;
  }

  /** Forgets appends after earlier revisions, which cannot be written once the journal is longer. */
  end(durable: Revision): void {
    for (const [key, revision] of this.#mayLandAfter) {
      if (revision < durable) this.#mayLandAfter.delete(key);
    }
  }
}
