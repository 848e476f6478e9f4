import { differ } from '#src/verify/difference.ts';
import type { AuditedAssetRate } from './shapes.ts';

/** The rates of one ledger: one for each pair of assets, as whole numbers with a scale (contract ledger §6.3). */
export class Rates {
  readonly #ids = new Map<string, string>();

  add(rate: AuditedAssetRate): void {
    const pair = checked(rate);
    if (this.#ids.has(pair)) differ(`there is a rate from ${pair} already`);
    this.#ids.set(pair, rate.id);
  }

  keep(rate: AuditedAssetRate): void {
    const pair = checked(rate);
    if (this.#ids.get(pair) !== rate.id) differ(`there is no rate from ${pair} with id ${rate.id}`);
  }
}

/** Checks a rate and returns its pair. */
function checked({ from, to, rate, scale }: AuditedAssetRate): string {
  const whole =
    Number.isSafeInteger(rate) && rate >= 1 && Number.isSafeInteger(scale) && scale >= 0;
  return whole ? `${from} to ${to}` : differ(`${rate} × 10^-${scale} is no rate`);
}
