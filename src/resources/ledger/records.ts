import type { RecordResource } from '#src/kernel/record-resource.ts';
import { accountTypeResource } from './account-type.ts';
import { assetResource } from './asset.ts';
import { portfolioResource } from './portfolio.ts';
import { segmentResource } from './segment.ts';

/** The declared records of a ledger, from which API routes, read models and views are made. */
export const ledgerRecords: readonly RecordResource[] = [
  assetResource,
  segmentResource,
  portfolioResource,
  accountTypeResource,
];
