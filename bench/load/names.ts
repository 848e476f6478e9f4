/**
 * Names of fixed width, so that every request of a kind has the same length and no name is the beginning
 * of another one: a plain text search then tells whose answer it is.
 */
export const aliasOf = (account: number): string => `@bench-${wide(account)}`;

/** The description of a transaction, its idempotency key and, behind `req-`, its request id. */
export const nameOf = (run: number, seq: number): string => `bench-${String(run)}-${wide(seq)}`;

/** The run and number a name stands for; undefined for a name that is not ours. */
export function parseName(name: string): Readonly<{ run: number; seq: number }> | undefined {
  const parts = NAME.exec(name);
  return parts === null ? undefined : { run: Number(parts[1]), seq: Number(parts[2]) };
}

/** Two-digit units and cents that never end in zero, so that the server prints what was sent. */
export function amountOf(seq: number): string {
  return `${String(10 + (seq % 90))}.${String(11 + (seq % 9) + 10 * (seq % 8))}`;
}

const NAME = /^bench-(\d+)-(\d{8})$/;
const wide = (n: number): string => String(100_000_000 + n).slice(1);
