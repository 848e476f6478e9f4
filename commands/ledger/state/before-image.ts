import type { Facts, Needs } from '#src/kernel/decider.ts';
import { refuse } from '#src/kernel/errors.ts';
import type { Revision } from '#src/kernel/ids.ts';
import type { AccountRecord, BalanceRecord } from '#src/events/ledger/account.ts';
import type { AssetRateRecord, AssetRecord, LedgerRecord } from '#src/events/ledger/ledger.ts';
import type { OrganizationRecord } from '#src/events/ledger/organization.ts';
import type { OperationRouteRecord, TransactionRouteRecord } from '#src/events/ledger/routes.ts';
import type {
  AccountTypeRecord,
  PortfolioRecord,
  SegmentRecord,
} from '#src/events/ledger/records.ts';

/** Members of event data that are the whole of a record. */
type Images = {
  organization: OrganizationRecord;
  ledger: LedgerRecord;
  asset: AssetRecord;
  assetRate: AssetRateRecord;
  segment: SegmentRecord;
  portfolio: PortfolioRecord;
  accountType: AccountTypeRecord;
  account: AccountRecord;
  balance: BalanceRecord;
  operationRoute: OperationRouteRecord;
  transactionRoute: TransactionRouteRecord;
};

/** The last events of these records are their before-images. */
export function needsImages(facts: Facts, ...revisions: readonly Revision[]): Needs | undefined {
  const missing = revisions.filter((revision) => facts.event(revision) === undefined);
  return missing.length === 0 ? undefined : { events: missing };
}

/** A record as the event of that revision left it. */
export function imageAt<Of extends keyof Images>(
  of: Of,
  revision: Revision,
  facts: Facts,
): Images[Of] {
  const data = facts.event(revision)?.data as Partial<Images> | undefined;
  const image = data?.[of];
  if (image === undefined) throw new Error(`No image of the ${of} at revision ${revision}`);
  return image;
}

/**
 * A record must still fit one append when its deletion is recorded, or its name, or the like, would be taken for
 * ever: only metadata and account rules can grow so much, and an account's further balances be so many.
 * Errors: TOO_LARGE.
 */
export function checkRoom(
  record: Readonly<{ metadata?: object; account?: object }>,
  balances = 0,
): void {
  if (record.metadata === undefined && record.account === undefined && balances === 0) return;
  const bytes = Buffer.byteLength(JSON.stringify(record)) + balances * BALANCE_BYTES;
  if (bytes <= RECORD_BYTES) return;
  throw refuse('TOO_LARGE', 'The record would have more than 800 KB.', { entityType: 'request' });
}

const RECORD_BYTES = 800 * 1024;
/** More than the record of a balance can have. */
const BALANCE_BYTES = 2048;
