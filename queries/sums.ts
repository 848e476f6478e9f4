import type { Row } from '#src/ports/read-store.ts';

/** What a row of a tally says. */
export type Sums = Readonly<{
  /** How many; 0 for what nobody added to. */
  count(name: string): number;
  /** A decimal text; `0` for what nobody added to. */
  amount(name: string): string;
  /** Names that begin with a word and a blank: what follows, and how many. */
  counts(word: string): readonly (readonly [name: string, count: number])[];
  entries(): readonly (readonly [name: string, sum: string])[];
}>;

/** Of a row that is not there, nothing. */
export function sumsOf(row: Pick<Row, 'values'> | undefined): Sums {
  const text = row?.values['sums'];
  return sums(
    typeof text === 'string' ? (JSON.parse(text) as Readonly<Record<string, string>>) : {},
  );
}

export const sums = (all: Readonly<Record<string, string>>): Sums => ({
  count: (name) => Number(all[name] ?? '0'),
  amount: (name) => all[name] ?? '0',
  counts: (word) =>
    Object.entries(all)
      .filter(([name]) => name.startsWith(`${word} `))
      .map(([name, sum]) => [name.slice(word.length + 1), Number(sum)]),
  entries: () => Object.entries(all),
});
