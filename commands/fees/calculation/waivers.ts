import { WAIVED_SEGMENT } from '#src/events/fees/fee-package.ts';
import { EXTERNAL_PREFIX } from '#src/kernel/external-alias.ts';
import type { FeeAccount } from '#src/kernel/fee-charge.ts';

/** The accounts that pay no fees of one transaction. */
export class Waivers {
  readonly #waived: ReadonlySet<string>;
  /** The accounts that fees were credited to. */
  readonly #credited: string[] = [];

  /** `waived` has the aliases of accounts, and segments after their prefix. */
  constructor(waived: ReadonlySet<string>) {
    this.#waived = waived;
  }

  /** Waives an account for all later fees: that of a fee does not pay fees of the same transaction. */
  add(alias: string): void {
    this.#credited.push(alias);
  }

  /** External accounts belong to no segment. */
  has({ alias, segmentId }: FeeAccount): boolean {
    if (this.#waived.has(alias) || this.#credited.includes(alias)) return true;
    if (segmentId === undefined || alias.startsWith(EXTERNAL_PREFIX)) return false;
    return this.#waived.has(WAIVED_SEGMENT + segmentId);
  }
}
