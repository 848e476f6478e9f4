import { refusals, type RefusalName } from '#src/kernel/errors.ts';

/** The refusal of a code in any letter case. A bare number is one of the ledger: the `legacyCode` of a document. */
export function findCode(text: string): RefusalName | undefined {
  const upper = text.trim().toUpperCase();
  return byCode.get(/^\d+$/.test(upper) ? `LDG-${upper}` : upper);
}

const byCode: ReadonlyMap<string, RefusalName> = new Map(
  Object.entries(refusals).map(([name, { code }]) => [code, name as RefusalName]),
);

/** For links: the title of a code that the catalogue has, otherwise the code itself. */
export function titleOfCode(code: string): string {
  const name = findCode(code);
  return name === undefined ? code : refusals[name].title;
}
