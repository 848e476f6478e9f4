import { refuse } from '#src/events/fees/refusals.ts';
import type { RefusalKind } from '#src/kernel/errors.ts';
import type { Uuid } from '#src/kernel/ids.ts';

/**
 * The forms in which the operations of fees are served: `header` is version 1, whose organization comes in a header;
 * `organization` is version 1 below its path; `ledger` is version 2 (contract registry-and-fees §B1).
 */
export const FEE_FORMS = ['header', 'organization', 'ledger'] as const;
export type FeeForm = (typeof FEE_FORMS)[number];

/** The header form is declared below a segment that its mount leaves out. */
export const HEADER_SEGMENTS = '/in-header/{organization_id}';

export const pathOf = {
  header: `/v1${HEADER_SEGMENTS}`,
  organization: '/v1/organizations/{organization_id}',
  ledger: '/v2/organizations/{organization_id}/ledgers/{ledger_id}',
} as const satisfies Record<FeeForm, `/${string}`>;

/** The path of an operation in any form. */
export type PathInForm = Readonly<{
  organization_id: Uuid;
  ledger_id?: Uuid;
  package_id: Uuid;
  billing_package_id: Uuid;
}>;

/** The refusals for parents that the path of a form names and that do not exist. */
export const parentRefusals = {
  header: [],
  organization: ['ORGANIZATION_NOT_FOUND'],
  ledger: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND'],
} as const satisfies Record<FeeForm, readonly string[]>;

/** Errors: PATH_INVALID for the nil UUID, which no ledger has. */
export function mustNotBeNil(ledgerId: Uuid | undefined): void {
  if (ledgerId !== NIL) return;
  const message = 'must not be the nil UUID';
  throw refuse('PATH_INVALID', `ledger_id ${message}.`, {
    findings: [{ location: 'path.ledger_id', message, value: ledgerId }],
  });
}

const NIL = '00000000-0000-0000-0000-000000000000';

/** Continues the ids of operations. */
export const suffixOf = { header: '', organization: 'InOrganization', ledger: 'V2' } as const;

/** The clients of version 1 know some refusals by another status; the path form has those of version 2. */
export const codesOf = (form: FeeForm): Readonly<Record<string, KnownOtherwise>> =>
  form === 'header' ? headerCodes : {};

type KnownOtherwise = Readonly<{ kind: RefusalKind; code?: string; legacyCode?: string }>;

const bad = { kind: 'validation' } as const;
const headerCodes = {
  FEE_CREDIT_ACCOUNT_NOT_FOUND: { ...bad, legacyCode: '0181' },
  FEE_MINIMUM_ABOVE_MAXIMUM: bad,
  FEE_MAXIMUM_BELOW_MINIMUM: bad,
  FEE_PACKAGE_DUPLICATE: bad,
  FEE_CALCULATION_COUNT: bad,
  TOTALS_DIFFER: { ...bad, code: 'FEE-0037', legacyCode: '0200' },
  FEE_TOO_FEW_CALCULATIONS: bad,
  FEE_DEDUCTIBLE_REFERENCE: bad,
  BILLING_FAILED: { kind: 'rule' },
  BILLING_SEGMENT_UNRESOLVED: { kind: 'rule' },
} as const;
