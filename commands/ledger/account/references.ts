import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { refuse, type Refusal, type RefusalName } from '#src/kernel/errors.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Side } from '#src/events/shared.ts';
import { EXTERNAL } from './account-opened.ts';

type Groups = Readonly<{
  portfolioId?: Uuid | null | undefined;
  segmentId?: Uuid | null | undefined;
}>;

/**
 * What an account is put into must be live; what it is in already need not be any more.
 * Errors: PORTFOLIO_NOT_FOUND, SEGMENT_NOT_FOUND.
 */
export function checkGroups(
  { records: { portfolios, segments } }: Ledger,
  { portfolioId, segmentId }: Groups,
  before: Groups = {},
): void {
  if (portfolioId && portfolioId !== before.portfolioId && !portfolios.get(portfolioId)) {
    throw notFound('PORTFOLIO_NOT_FOUND', 'portfolio', 'portfolioId', portfolioId);
  }
  if (segmentId && segmentId !== before.segmentId && !segments.get(segmentId)) {
    throw notFound('SEGMENT_NOT_FOUND', 'segment', 'segmentId', segmentId);
  }
}

/** Who owns a new account: whoever is named, or else the owner of its portfolio. */
export const ownerOf = (
  { records: { portfolios } }: Ledger,
  { entityId, portfolioId }: Readonly<{ entityId?: string | undefined }> & Groups,
): string | undefined =>
  entityId ?? (portfolioId ? portfolios.get(portfolioId)?.entityId : undefined);

/** Where the ledger wants it, a type must be registered. Errors: ACCOUNT_TYPE_UNKNOWN. */
export function checkType({ settings, records: { accountTypes } }: Ledger, type: string): void {
  if (!settings.accounting.validateAccountType || type === EXTERNAL) return;
  if (accountTypes.having(type) !== undefined) return;
  throw notFound('ACCOUNT_TYPE_UNKNOWN', 'account type', 'type', type);
}

/** How the default balance of a new account begins; an account of a type that is not registered is credited. */
export const directionOf = ({ records: { accountTypes } }: Ledger, type: string): Side =>
  type === EXTERNAL ? 'debit' : (accountTypes.having(type)?.direction ?? 'credit');

/** A member of an account names what is not there. */
export const notFound = (
  name: RefusalName,
  what: string,
  location: string,
  value: string,
): Refusal =>
  refuse(name, `The ledger has no ${what} ${value}.`, {
    findings: [{ location, message: `names no ${what}`, value }],
  });
