/**
 * An exact amount as a whole number of 10^-8. The bench's own reader, on purpose not the product's: what
 * checks the books must not share a mistake with what keeps them.
 */
export function unitsOf(text: string): bigint {
  const parts = PLAIN.exec(text);
  if (parts === null) throw new Error(`Not a plain amount: ${text.slice(0, 60)}`);
  const size = BigInt((parts[2] ?? '') + (parts[3] ?? '').padEnd(DIGITS, '0'));
  return parts[1] === '-' ? -size : size;
}

const DIGITS = 8;
const PLAIN = /^(-?)(\d+)(?:\.(\d{1,8}))?$/;
