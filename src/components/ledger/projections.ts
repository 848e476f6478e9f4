import { activity } from '#projections/ledger/activity.ts';
import { accountProjection } from '#projections/ledger/account.ts';
import { assetRateProjection } from '#projections/ledger/asset-rate.ts';
import { balanceProjection } from '#projections/ledger/balance.ts';
import { counters } from '#projections/ledger/counters.ts';
import { ledgerProjection } from '#projections/ledger/ledger.ts';
import { operationRouteUseProjection } from '#projections/ledger/operation-route-use.ts';
import { operationRouteResource } from '#src/resources/ledger/operation-route.ts';
import { organizationProjection } from '#projections/ledger/organization.ts';
import {
  organizationTransactionRouteProjection,
  transactionRouteProjection,
} from '#projections/ledger/transaction-route.ts';
import { recordProjection } from '#projections/record.ts';
import { transactionProjection } from '#projections/ledger/transaction.ts';
import { ledgerRecords } from '#src/resources/ledger/records.ts';

export const projections = [
  organizationProjection,
  ledgerProjection,
  ...ledgerRecords.map(recordProjection),
  assetRateProjection,
  accountProjection,
  balanceProjection,
  transactionProjection,
  recordProjection(operationRouteResource),
  operationRouteUseProjection,
  transactionRouteProjection,
  organizationTransactionRouteProjection,
  counters,
  activity,
];
