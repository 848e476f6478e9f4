import type { Projection } from '#src/ports/projection.ts';
import { activity } from './ledger/activity.ts';
import { accountTypeProjection } from './ledger/account-type.ts';
import { accountProjection } from './ledger/account.ts';
import { assetRateProjection } from './ledger/asset-rate.ts';
import { assetProjection } from './ledger/asset.ts';
import { balanceProjection } from './ledger/balance.ts';
import { counters } from './ledger/counters.ts';
import { ledgerProjection } from './ledger/ledger.ts';
import { operationRouteUseProjection } from './ledger/operation-route-use.ts';
import { operationRouteProjection } from './ledger/operation-route.ts';
import { organizationProjection } from './ledger/organization.ts';
import {
  organizationTransactionRouteProjection,
  transactionRouteProjection,
} from './ledger/transaction-route.ts';
import { portfolioProjection } from './ledger/portfolio.ts';
import { segmentProjection } from './ledger/segment.ts';
import { transactionProjection } from './ledger/transaction.ts';
import { metadataIndexProjection } from './settings/metadata-index.ts';

/** Every read model. */
export const projections: readonly Projection[] = [
  organizationProjection,
  ledgerProjection,
  assetProjection,
  assetRateProjection,
  segmentProjection,
  portfolioProjection,
  accountTypeProjection,
  accountProjection,
  balanceProjection,
  transactionProjection,
  operationRouteProjection,
  operationRouteUseProjection,
  transactionRouteProjection,
  organizationTransactionRouteProjection,
  counters,
  activity,
  metadataIndexProjection,
];
