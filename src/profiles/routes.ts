import { accountWriteRoutes } from '#commands/ledger/account/routes.ts';
import { assetRateWriteRoutes } from '#commands/ledger/asset-rate-routes.ts';
import { assetWriteRoutes } from '#commands/ledger/asset-routes.ts';
import { balanceWriteRoutes } from '#commands/ledger/balance-routes.ts';
import { ledgerSettingsWriteRoutes } from '#commands/ledger/ledger-settings-routes.ts';
import { ledgerWriteRoutes } from '#commands/ledger/ledger-routes.ts';
import { organizationWriteRoutes } from '#commands/ledger/organization-routes.ts';
import { transactionLifecycleRoutes } from '#commands/ledger/transaction/lifecycle-routes.ts';
import { transactionBatchRoutes } from '#commands/ledger/transaction/batch-routes.ts';
import { transactionWriteRoutes } from '#commands/ledger/transaction/routes.ts';
import { metadataIndexWriteRoutes } from '#commands/settings/metadata-index-routes.ts';
import { accountReadRoutes } from '#queries/ledger/account.ts';
import { assetRateReadRoutes } from '#queries/ledger/asset-rate.ts';
import { assetReadRoutes } from '#queries/ledger/asset.ts';
import { countRoutes } from '#queries/ledger/counts.ts';
import { dashboardRoutes } from '#queries/ledger/dashboard.ts';
import { balanceReadRoutes } from '#queries/ledger/balance.ts';
import { journalReadRoutes } from '#queries/ledger/journal.ts';
import { ledgerSettingsReadRoutes } from '#queries/ledger/ledger-settings.ts';
import { ledgerReadRoutes } from '#queries/ledger/ledger.ts';
import { operationReadRoutes } from '#queries/ledger/operation.ts';
import { organizationReadRoutes } from '#queries/ledger/organization.ts';
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
  ...accountWriteRoutes,
  ...accountReadRoutes,
  ...balanceWriteRoutes,
  ...balanceReadRoutes,
  ...transactionWriteRoutes,
  ...transactionBatchRoutes,
  ...transactionLifecycleRoutes,
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
