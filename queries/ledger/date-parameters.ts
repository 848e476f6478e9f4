import type { Refusal } from '#src/kernel/errors.ts';
import { refuse, type LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { Instant } from '#src/kernel/instant.ts';

/** Returns the two dates of a window, or undefined for none. Errors: BOTH_DATES_NEEDED for only one. */
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

/** Refuses a query parameter, with the reason. */
export const malformed = (
  name: LedgerRefusalName,
  parameter: string,
  message: string,
  value?: string,
): Refusal =>
  refuse(name, `${parameter} ${message}.`, {
    findings: [{ location: `query.${parameter}`, message, ...(value !== undefined && { value }) }],
  });
