import { blockExceptionWriteRoutes } from '#commands/ledger/api/block-exception.ts';
import { accountLifeRoutes } from '#commands/ledger/api/account-life.ts';
import { accountWriteRoutes } from '#commands/ledger/api/account.ts';
import { assetRateWriteRoutes } from '#commands/ledger/api/asset-rate.ts';
import { ledgerSettingsWriteRoutes } from '#commands/ledger/api/ledger-settings.ts';
import { balanceWriteRoutes } from '#commands/ledger/api/balance.ts';
import { ledgerWriteRoutes } from '#commands/ledger/api/ledger.ts';
import { organizationWriteRoutes } from '#commands/ledger/api/organization.ts';
import { operationRouteWriteRoutes } from '#commands/ledger/api/operation-route.ts';
import { transactionRouteWriteRoutes } from '#commands/ledger/api/transaction-route.ts';
import { transactionLifecycleRoutes } from '#commands/ledger/api/lifecycle.ts';
import { transactionLifecycleRoutesV2 } from '#commands/ledger/api/lifecycle-v2.ts';
import { transactionBatchRoutes } from '#commands/ledger/api/batch.ts';
import { transactionDslRoutes } from '#commands/ledger/api/dsl.ts';
import { scopedBatchRoutes } from '#commands/ledger/api/batch-v2.ts';
import { scopedTransactionRoutes } from '#commands/ledger/api/transaction-v2.ts';
import { transactionWriteRoutes } from '#commands/ledger/api/transaction.ts';
import { accountReadRoutes } from '#queries/ledger/account.ts';
import { assetRateReadRoutes } from '#queries/ledger/asset-rate.ts';
import { countRoutes } from '#queries/ledger/counts.ts';
import { dashboardRoutes } from '#queries/ledger/dashboard.ts';
import { balanceHistoryRoutes } from '#queries/ledger/balance-history.ts';
import { balanceReadRoutes } from '#queries/ledger/balance.ts';
import { journalReadRoutes } from '#queries/ledger/journal.ts';
import { ledgerSettingsReadRoutes } from '#queries/ledger/ledger-settings.ts';
import { ledgerReadRoutes } from '#queries/ledger/ledger.ts';
import { operationReadRoutes } from '#queries/ledger/operation.ts';
import { operationRouteReadRoutes } from '#queries/ledger/operation-route.ts';
import { organizationReadRoutes } from '#queries/ledger/organization.ts';
import { transactionRouteReadRoutes } from '#queries/ledger/transaction-route.ts';
import { transactionReadRoutes } from '#queries/ledger/transaction.ts';
import { recordsInLedger as recordHome } from '#commands/ledger/api/in-ledger.ts';
import { recordsInLedger as recordShelf } from '#queries/ledger/in-ledger.ts';
import { recordReadRoutes } from '#queries/record.ts';
import { recordWriteRoutes } from '#src/http/record-routes.ts';
import { ledgerRecords } from '#src/resources/ledger/records.ts';

/** The API reference describes rates after assets. */
const [assetRoutes = [], ...recordRoutes] = ledgerRecords.map((record) => [
  ...recordWriteRoutes(record, recordHome),
  ...recordReadRoutes(record, recordShelf),
]);

export const routes = [
  ...organizationWriteRoutes,
  ...organizationReadRoutes,
  ...ledgerWriteRoutes,
  ...ledgerReadRoutes,
  ...ledgerSettingsWriteRoutes,
  ...ledgerSettingsReadRoutes,
  ...assetRoutes,
  ...assetRateWriteRoutes,
  ...assetRateReadRoutes,
  ...recordRoutes.flat(),
  ...accountWriteRoutes,
  ...accountLifeRoutes,
  ...blockExceptionWriteRoutes,
  ...accountReadRoutes,
  ...balanceWriteRoutes,
  ...balanceReadRoutes,
  ...balanceHistoryRoutes,
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
  ...operationRouteWriteRoutes,
  ...operationRouteReadRoutes,
  ...transactionRouteWriteRoutes,
  ...transactionRouteReadRoutes,
  ...countRoutes,
  ...dashboardRoutes,
];
