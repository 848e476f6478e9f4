import type { Facts, Needs } from '#src/kernel/decider.ts';
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

/** Asks for the last events of records: these are their before-images. */
export function needsBeforeImages(
  facts: Facts,
  ...revisions: readonly Revision[]
): Needs | undefined {
  const missing = revisions.filter((revision) => facts.event(revision) === undefined);
  return missing.length === 0 ? undefined : { events: missing };
}

/** A record as the event at the revision left it. */
export function beforeImage<Of extends keyof Images>(
  of: Of,
  revision: Revision,
  facts: Facts,
): Images[Of] {
  const data = facts.event(revision)?.data as Partial<Images> | undefined;
  const image = data?.[of];
  if (image === undefined) throw new Error(`No image of the ${of} at revision ${revision}`);
  return image;
}
