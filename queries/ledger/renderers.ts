import { recordRenderers } from '#queries/record.ts';
import { rendererOf } from '#queries/renderer.ts';
import { OPERATION, operationText } from './operation-text.ts';
import { accountProjection } from '#projections/ledger/account.ts';
import { assetRateProjection } from '#projections/ledger/asset-rate.ts';
import { balanceProjection } from '#projections/ledger/balance.ts';
import { ledgerProjection } from '#projections/ledger/ledger.ts';
import { organizationProjection } from '#projections/ledger/organization.ts';
import { transactionProjection } from '#projections/ledger/transaction.ts';
import type { BalanceRecord } from '#src/events/ledger/account.ts';
import type { LedgerRecord } from '#src/events/ledger/ledger.ts';
import type { Version } from '#src/kernel/schema-fragments.ts';
import type { Renderer, Renderers } from '#src/ports/read-store.ts';
import { accountView } from '#src/resources/ledger/account.ts';
import { assetRateView } from '#src/resources/ledger/asset-rate.ts';
import { balanceView, type BalanceValues } from '#src/resources/ledger/balance.ts';
import { ledgerView } from '#src/resources/ledger/ledger.ts';
import { operationRouteResource } from '#src/resources/ledger/operation-route.ts';
import { organizationView } from '#src/resources/ledger/organization.ts';
import { ledgerRecords } from '#src/resources/ledger/records.ts';
import { loggedTransactionText } from '#src/resources/ledger/posting-view-text.ts';
import { storedTransactionText } from '#src/resources/ledger/transaction-text.ts';

export const organizationText = rendererOf(organizationView);
export const ledgerText = rendererOf((record: LedgerRecord) => ledgerView(record, 1));
export const ledgerTextV2 = rendererOf((record: LedgerRecord) => ledgerView(record, 2));
export const assetRateText = rendererOf(assetRateView);
export const accountText = rendererOf(accountView);
export const balanceText: Renderer = ({ body, values }) =>
  JSON.stringify(balanceView(JSON.parse(body) as BalanceRecord, values as BalanceValues));
const transactionTextOf =
  (version: Version): Renderer =>
  (row) =>
    row.data === undefined
      ? storedTransactionText(row.body, version)
      : loggedTransactionText(row.data, version);
export const transactionText = transactionTextOf(1);
export const transactionTextV2 = transactionTextOf(2);

/** The names by which lists of version 2 select the renderers of transactions and ledgers. */
export const TRANSACTION_V2 = 'transaction-v2';
export const LEDGER_V2 = 'ledger-v2';

/**
 * Renderers by collection, or by the name of an alternative. They are pure: lists are rendered in the reader thread.
 */
export const renderers: Renderers = {
  rows: {
    [organizationProjection.collection.name]: organizationText,
    [ledgerProjection.collection.name]: ledgerText,
    [LEDGER_V2]: ledgerTextV2,
    [assetRateProjection.collection.name]: assetRateText,
    ...recordRenderers([...ledgerRecords, operationRouteResource]),
    [accountProjection.collection.name]: accountText,
    [balanceProjection.collection.name]: balanceText,
    [transactionProjection.collection.name]: transactionText,
    [TRANSACTION_V2]: transactionTextV2,
  },
  entries: { [OPERATION]: operationText },
};
