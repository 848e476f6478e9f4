/** A code as the catalog has it, from any letter case. A bare number is one of the ledger: the `legacyCode` of a document. */
export function normalizedCode(text: string): string {
  const upper = text.trim().toUpperCase();
  return /^\d+$/.test(upper) ? `LDG-${upper}` : upper;
}
