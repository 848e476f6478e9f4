import type { DomainEvent } from '#src/kernel/decider.ts';
import { NONE, type Revision } from '#src/kernel/ids.ts';
import type { WaitingCommand } from './batch.ts';

type Keyed = WaitingCommand<unknown, DomainEvent>;

/**
 * Keys of commands that were given up while an append of theirs may still land. A repeat must not be told a refusal
 * that the append would belie.
 */
export class Doubts {
  readonly #mayLandAfter = new Map<string, Revision>();

  note({ envelope: { idempotency } }: Pick<Keyed, 'envelope'>, mayLandAfter: Revision): void {
    if (idempotency === undefined) return;
    const known = this.#mayLandAfter.get(idempotency.key) ?? NONE;
    this.#mayLandAfter.set(idempotency.key, Math.max(known, mayLandAfter));
  }

  /** Gives a repeat what is known of the command before it. */
  recall(waiting: Pick<Keyed, 'envelope' | 'mayLandAfter'>): void {
    if (this.#mayLandAfter.size === 0) return;
    const mayLandAfter = this.#mayLandAfter.get(waiting.envelope.idempotency?.key ?? '');
    if (mayLandAfter !== undefined) waiting.mayLandAfter = mayLandAfter;
  }

  /** The journal went on: an append that was to follow an earlier revision cannot land any more. */
  end(durable: Revision): void {
    for (const [key, revision] of this.#mayLandAfter) {
      if (revision < durable) this.#mayLandAfter.delete(key);
    }
  }
}
