import { refuse } from '#src/events/ledger/refusals.ts';
import type { Amount } from '#src/kernel/amount.ts';
import type { LedgerSettings } from '#src/events/ledger/ledger-settings.ts';
import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import type { LocatedRequest, TransactionRequest } from './commands.ts';
import type { RequestLocations } from './locations.ts';
import { toPostings, type Posting } from './postings.ts';

/** A request as the rules of the ledger interpret it, before any account or balance is looked at. */
export type PreparedRequest = Readonly<{
  value: Amount;
  postings: readonly Posting[];
  /** The steps that the request skips, as far as the ledger permits it. */
  skipped: SkippedSteps;
}>;

export type SkippedSteps = Pick<TransactionRecord, 'feesSkipped' | 'tracerSkipped'>;

/** The members of a ledger that prepare a request. */
export type PrepareFacts = Readonly<{ settings: Pick<LedgerSettings, 'overrides'> }>;

/**
 * Calculates what a request moves, leg by leg, and which steps it skips. The fingerprint of the request is taken
 * earlier, so it does not cover what a ledger adds here. Errors: SKIP_NOT_PERMITTED, and those of toPostings.
 */
export function prepare(
  { request, locations }: LocatedRequest,
  { settings }: PrepareFacts,
): PreparedRequest {
  const skipped = skippedSteps(request, settings, locations);
  const { value, postings } = toPostings(request, locations);
  return { value, postings, skipped };
}

/** Errors: SKIP_NOT_PERMITTED, unless the settings of the ledger allow it. */
export function skippedSteps(
  { skip }: Pick<TransactionRequest, 'skip'>,
  { overrides }: PrepareFacts['settings'],
  locations: RequestLocations,
): SkippedSteps {
  if (skip?.fees !== true && skip?.tracer !== true) return NOTHING;
  if (skip.fees === true && !overrides.allowFeeSkip) throw notPermitted('fees', locations);
  if (skip.tracer === true && !overrides.allowTracerSkip) throw notPermitted('tracer', locations);
  return {
    ...(skip.fees === true && { feesSkipped: true }),
    ...(skip.tracer === true && { tracerSkipped: true }),
  };
}

const NOTHING: SkippedSteps = {};

const notPermitted = (what: 'fees' | 'tracer', { skip }: RequestLocations) =>
  refuse('SKIP_NOT_PERMITTED', `The ledger does not allow ${what} to be skipped.`, {
    findings: [{ location: skip[what], message: 'is not permitted', value: true }],
  });
