/** Account holders of the bank, by alias. */
export const people = {
  '@alice': 'Alice',
  '@bruno': 'Bruno',
  '@carla': 'Carla, their landlady',
  '@bakery': 'The bakery',
  '@hotel': 'The hotel',
  '@network': 'The card network',
  '@bank': "The bank's own income",
} as const;

export type Person = keyof typeof people;

/** The world outside the bank; the ledger opens this account with the asset. */
export const OUTSIDE = '@external/BRL';

export const nameOf = (alias: string): string =>
  alias === OUTSIDE ? 'The world outside' : ((people as Record<string, string>)[alias] ?? alias);

/** Those the month is about: customers who buy, shops that sell. */
export const customers = numbered('customer', 40);
export const shops = numbered('shop', 8);

function numbered(what: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, n) => `@${what}-${String(n + 1).padStart(2, '0')}`);
}
