import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import type { Refusal } from '#src/kernel/errors.ts';
import { refuse, type LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Side } from '#src/events/shared.ts';
import { EXTERNAL } from './account-opened.ts';

type PortfolioAndSegment = Readonly<{
  portfolioId?: Uuid | null | undefined;
  segmentId?: Uuid | null | undefined;
}>;

/**
 * A portfolio or segment that an account newly names must be live; one that it had before may have been deleted.
 * Errors: PORTFOLIO_NOT_FOUND, SEGMENT_NOT_FOUND.
 */
export function checkPortfolioAndSegment(
  { records: { portfolios, segments } }: Ledger,
  { portfolioId, segmentId }: PortfolioAndSegment,
  before: PortfolioAndSegment = {},
): void {
  if (portfolioId && portfolioId !== before.portfolioId && !portfolios.get(portfolioId)) {
    throw notFound('PORTFOLIO_NOT_FOUND', 'portfolio', 'portfolioId', portfolioId);
  }
  if (segmentId && segmentId !== before.segmentId && !segments.get(segmentId)) {
    throw notFound('SEGMENT_NOT_FOUND', 'segment', 'segmentId', segmentId);
  }
}

/** Returns the owner that a new account names, or else the owner of its portfolio. */
export const entityIdOf = (
  { records: { portfolios } }: Ledger,
  { entityId, portfolioId }: Readonly<{ entityId?: string | undefined }> & PortfolioAndSegment,
): string | undefined =>
  entityId ?? (portfolioId ? portfolios.get(portfolioId)?.entityId : undefined);

/** Refuses a type that is not registered, if the ledger validates account types. Errors: ACCOUNT_TYPE_UNKNOWN. */
export function checkType({ settings, records: { accountTypes } }: Ledger, type: string): void {
  if (!settings.accounting.validateAccountType || type === EXTERNAL) return;
  if (accountTypes.having('keyValue', type) !== undefined) return;
  throw notFound('ACCOUNT_TYPE_UNKNOWN', 'account type', 'type', type);
}

/** The direction of the default balance of a new account; credit for a type that is not registered. */
export const directionOf = ({ records: { accountTypes } }: Ledger, type: string): Side =>
  type === EXTERNAL ? 'debit' : (accountTypes.having('keyValue', type)?.direction ?? 'credit');

/** Refuses a member of an account that names a record the ledger does not have. */
export const notFound = (
  name: LedgerRefusalName,
  what: string,
  location: string,
  value: string,
): Refusal =>
  refuse(name, `The ledger has no ${what} ${value}.`, {
    findings: [{ location, message: `names no ${what}`, value }],
  });
