import { blockExceptionWriteRoutes } from '#commands/ledger/account/block-exception-routes.ts';
import { accountLifeRoutes } from '#commands/ledger/account/life-routes.ts';
import { accountWriteRoutes } from '#commands/ledger/account/routes.ts';
import { assetRateWriteRoutes } from '#commands/ledger/asset-rate-routes.ts';
import { accountTypeWriteRoutes } from '#commands/ledger/account-type-routes.ts';
import { assetWriteRoutes } from '#commands/ledger/asset-routes.ts';
import { ledgerSettingsWriteRoutes } from '#commands/ledger/ledger-settings-routes.ts';
import { balanceWriteRoutes } from '#commands/ledger/balance/routes.ts';
import { ledgerWriteRoutes } from '#commands/ledger/ledger-routes.ts';
import { organizationWriteRoutes } from '#commands/ledger/organization-routes.ts';
import { portfolioWriteRoutes } from '#commands/ledger/portfolio-routes.ts';
import { segmentWriteRoutes } from '#commands/ledger/segment-routes.ts';
import { transactionLifecycleRoutes } from '#commands/ledger/transaction/lifecycle-routes.ts';
import { transactionLifecycleRoutesV2 } from '#commands/ledger/transaction/lifecycle-v2-routes.ts';
import { transactionBatchRoutes } from '#commands/ledger/transaction/batch-routes.ts';
import { transactionDslRoutes } from '#commands/ledger/transaction/dsl-routes.ts';
import { scopedBatchRoutes } from '#commands/ledger/transaction/scoped-batch-routes.ts';
import { scopedTransactionRoutes } from '#commands/ledger/transaction/scoped-routes.ts';
import { transactionWriteRoutes } from '#commands/ledger/transaction/routes.ts';
import { metadataIndexWriteRoutes } from '#commands/settings/metadata-index-routes.ts';
import { accountReadRoutes } from '#queries/ledger/account.ts';
import { assetRateReadRoutes } from '#queries/ledger/asset-rate.ts';
import { accountTypeReadRoutes } from '#queries/ledger/account-type.ts';
import { assetReadRoutes } from '#queries/ledger/asset.ts';
import { countRoutes } from '#queries/ledger/counts.ts';
import { dashboardRoutes } from '#queries/ledger/dashboard.ts';
import { balanceReadRoutes } from '#queries/ledger/balance.ts';
import { journalReadRoutes } from '#queries/ledger/journal.ts';
import { ledgerSettingsReadRoutes } from '#queries/ledger/ledger-settings.ts';
import { ledgerReadRoutes } from '#queries/ledger/ledger.ts';
import { operationReadRoutes } from '#queries/ledger/operation.ts';
import { organizationReadRoutes } from '#queries/ledger/organization.ts';
import { portfolioReadRoutes } from '#queries/ledger/portfolio.ts';
import { segmentReadRoutes } from '#queries/ledger/segment.ts';
import { transactionReadRoutes } from '#queries/ledger/transaction.ts';
import { metadataIndexReadRoutes } from '#queries/settings/metadata-index.ts';
import { inItsVersions, type Route } from '#src/http/route.ts';

/** Every operation as it is declared; see below for what is served. */
export const declaredRoutes: readonly Route[] = [
  ...organizationWriteRoutes,
  ...organizationReadRoutes,
  ...ledgerWriteRoutes,
  ...ledgerReadRoutes,
  ...ledgerSettingsWriteRoutes,
  ...ledgerSettingsReadRoutes,
  ...assetWriteRoutes,
  ...assetReadRoutes,
  ...assetRateWriteRoutes,
  ...assetRateReadRoutes,
  ...segmentWriteRoutes,
  ...segmentReadRoutes,
  ...portfolioWriteRoutes,
  ...portfolioReadRoutes,
  ...accountTypeWriteRoutes,
  ...accountTypeReadRoutes,
  ...accountWriteRoutes,
  ...accountLifeRoutes,
  ...blockExceptionWriteRoutes,
  ...accountReadRoutes,
  ...balanceWriteRoutes,
  ...balanceReadRoutes,
  ...transactionWriteRoutes,
  ...transactionDslRoutes,
  ...scopedTransactionRoutes,
  ...scopedBatchRoutes,
  ...transactionBatchRoutes,
  ...transactionLifecycleRoutes,
  ...transactionLifecycleRoutesV2,
  ...transactionReadRoutes,
  ...operationReadRoutes,
  ...journalReadRoutes,
  ...countRoutes,
  ...dashboardRoutes,
  ...metadataIndexWriteRoutes,
  ...metadataIndexReadRoutes,
];

/** Every operation of the API. Router, validators, authorization and OpenAPI follow from this table. */
export const routes: readonly Route[] = declaredRoutes.flatMap(inItsVersions);
