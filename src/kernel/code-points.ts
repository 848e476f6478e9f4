/** Returns whether a text has at most this many Unicode code points, the unit of all lengths (contract ledger §1.2). */
export function fits(text: string, codePointsMax: number): boolean {
  if (text.length <= codePointsMax) return true;
  if (text.length > 2 * codePointsMax) return false; // A code point takes two units at most.
  let points = 0;
  for (const _ of text) points += 1;
  return points <= codePointsMax;
}
