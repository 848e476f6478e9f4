import type { RefusalName } from '#src/kernel/errors.ts';
import type { RefusalCatalog } from '#src/kernel/explanation.ts';

/** The refusal of a code in any letter case. A bare number is one of the ledger: the `legacyCode` of a document. */
export function findCode(text: string, catalog: RefusalCatalog): RefusalName | undefined {
  const upper = text.trim().toUpperCase();
  const code = /^\d+$/.test(upper) ? `LDG-${upper}` : upper;
  return Object.keys(catalog).find((name) => catalog[name]?.code === code);
}
