import type { Refusal } from '#src/kernel/errors.ts';
import { refuse, type LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { Instant } from '#src/kernel/instant.ts';

/** The two dates of a window, or none of them. Errors: BOTH_DATES_NEEDED for one alone. */
export function bothDates(
  start: Instant | undefined,
  end: Instant | undefined,
): Readonly<{ start: Instant; end: Instant }> | undefined {
  if (start === undefined && end === undefined) return undefined;
  if (start === undefined || end === undefined) {
    const name = start === undefined ? 'start_date' : 'end_date';
    throw malformed('BOTH_DATES_NEEDED', name, 'is missing: the two dates go together');
  }
  return { start, end };
}

/** A query parameter that is refused, and what is wrong with it. */
export const malformed = (
  name: LedgerRefusalName,
  parameter: string,
  message: string,
  value?: string,
): Refusal =>
  refuse(name, `${parameter} ${message}.`, {
    findings: [{ location: `query.${parameter}`, message, ...(value !== undefined && { value }) }],
  });
