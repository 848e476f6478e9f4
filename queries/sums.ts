import type { Row } from '#src/ports/read-store.ts';

/** Reads the values of a tally row. */
export type Sums = Readonly<{
  /** A count; 0 if nothing was added to it. */
  count(name: string): number;
  /** A decimal text; `0` if nothing was added to it. */
  amount(name: string): string;
  /** The counts whose names begin with a word and a blank, each with the rest of its name. */
  counts(word: string): readonly (readonly [name: string, count: number])[];
  entries(): readonly (readonly [name: string, sum: string])[];
}>;

/** Returns zeros for a row that does not exist. */
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
