import { formatAmount, readAmount, ZERO } from '#src/kernel/amount.ts';
import type { RefusalName } from '#src/kernel/errors.ts';
import type { PublishedSchema, SchemaFinding, ValueReader } from '#src/kernel/schema.ts';
import { addFinding } from '#src/kernel/value-reader.ts';

/** Reads a decimal of at least zero in its shortest form; undefined, with a finding, if it is none. */
export function readDecimal(
  sent: string,
  location: string,
  findings: SchemaFinding[],
  outOfBounds: RefusalName = 'MALFORMED_FIELD',
): string | undefined {
  const amount = readAmount(sent);
  if (amount === 'malformed') {
    const message = 'must be a decimal number with a period';
    addFinding(findings, 'FEE_NOT_A_DECIMAL', location, message, sent);
    return undefined;
  }
  if (amount === 'out-of-range') {
    const message = 'must have at most 30 integer and 30 fractional digits';
    addFinding(findings, 'NUMBER_OUT_OF_RANGE', location, message, sent);
    return undefined;
  }
  if (amount >= ZERO) return formatAmount(amount);
  addFinding(findings, outOfBounds, location, 'must not be negative', sent);
  return undefined;
}

/** The schema of a decimal text of at least zero; exponents are accepted, too. */
const DECIMAL_TEXT = {
  title: 'DecimalFromZero',
  type: 'string',
  format: 'decimal',
  pattern: '^[+]?([0-9]{1,30}([.][0-9]{0,30})?|[.][0-9]{1,30})$',
} as const satisfies PublishedSchema;

/** Reads an amount of a package, which is a text and no number. */
const amountReader: ValueReader = {
  read: (sent, findings) => {
    if (typeof sent === 'string' && sent !== '') return readDecimal(sent, '', findings);
    if (sent === '' || sent === null) {
      addFinding(findings, 'REQUIRED_FIELDS', '', 'must not be empty', sent);
      return undefined;
    }
    addFinding(findings, 'BODY_UNREADABLE', '', 'must be a string', sent);
    return undefined;
  },
  sent: DECIMAL_TEXT,
  refusals: ['FEE_NOT_A_DECIMAL', 'NUMBER_OUT_OF_RANGE', 'MALFORMED_FIELD'],
};

export const packageAmount = { type: 'string', neverNull: true, reads: amountReader } as const;
