import { refuseAny, type Finding, type Refusal, type RefusalName } from '#src/kernel/errors.ts';
import type { SchemaFinding } from '#src/kernel/schema.ts';
import { FINDINGS_MAX } from '#src/kernel/value-reader.ts';

/**
 * Combines findings into one refusal: its code is the first by contract ledger §1.2 (wrong type, unknown, missing,
 * malformed), its findings are all of them in that order.
 */
export function refusalOf(findings: readonly SchemaFinding[]): Refusal {
  const sorted = distinct(findings)
    .toSorted((a, b) => rank(a.refusal) - rank(b.refusal))
    .slice(0, FINDINGS_MAX);
  const [first] = sorted;
  if (first === undefined) throw new Error('A refusal needs a finding');
  const more = sorted.length - 1;
  const tail =
    more > 0 ? ` There ${more === 1 ? 'is 1 more finding' : `are ${more} more findings`}.` : '';
  const detail = `${first.location || 'The body'} ${first.message}.${tail}`;
  return refuseAny(first.refusal, detail, {
    findings: sorted.map(findingOf),
    ...(first.entityType !== undefined && { entityType: first.entityType }),
  });
}

/**
 * Removes duplicates: two rules of one schema may report the same finding (`""` is too short and has the wrong form).
 */
const distinct = (findings: readonly SchemaFinding[]): SchemaFinding[] => [
  ...new Map(
    findings.map((finding) => [
      `${finding.refusal} ${finding.location} ${finding.message}`,
      finding,
    ]),
  ).values(),
];

function rank(refusal: RefusalName): number {
  const place = FIRST.indexOf(refusal);
  if (place >= 0) return place;
  if (refusal === 'NUMBER_OUT_OF_RANGE') return LAST; // The request is readable; a rule refuses it.
  return refusal === 'MALFORMED_FIELD' ? FIRST.length + 1 : FIRST.length; // Dedicated codes say more.
}

const FIRST: readonly RefusalName[] = ['BODY_UNREADABLE', 'UNEXPECTED_FIELDS', 'REQUIRED_FIELDS'];
const LAST = 10;

const findingOf = ({ location, message, value }: SchemaFinding): Finding => ({
  location: location || 'body',
  message,
  ...(value !== undefined && { value }),
});
