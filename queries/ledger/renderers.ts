import { OPERATION, operationText } from './shown-operation.ts';
import { accountTypeProjection } from '#projections/ledger/account-type.ts';
import { accountProjection } from '#projections/ledger/account.ts';
import { assetRateProjection } from '#projections/ledger/asset-rate.ts';
import { assetProjection } from '#projections/ledger/asset.ts';
import { balanceProjection } from '#projections/ledger/balance.ts';
import { ledgerProjection } from '#projections/ledger/ledger.ts';
import { operationRouteProjection } from '#projections/ledger/operation-route.ts';
import { organizationProjection } from '#projections/ledger/organization.ts';
import { portfolioProjection } from '#projections/ledger/portfolio.ts';
import { segmentProjection } from '#projections/ledger/segment.ts';
import { transactionProjection } from '#projections/ledger/transaction.ts';
import type { AccountRecord, BalanceRecord } from '#src/events/ledger/account.ts';
import type { AssetRateRecord, AssetRecord, LedgerRecord } from '#src/events/ledger/ledger.ts';
import type { OrganizationRecord } from '#src/events/ledger/organization.ts';
import type { OperationRouteRecord } from '#src/events/ledger/routes.ts';
import type {
  AccountTypeRecord,
  PortfolioRecord,
  SegmentRecord,
} from '#src/events/ledger/records.ts';
import type { Renderer, Renderers } from '#src/ports/read-store.ts';
import { accountTypeView } from '#src/resources/ledger/account-type.ts';
import { accountView } from '#src/resources/ledger/account.ts';
import { assetRateView } from '#src/resources/ledger/asset-rate.ts';
import { assetView } from '#src/resources/ledger/asset.ts';
import { balanceView, type BalanceValues } from '#src/resources/ledger/balance.ts';
import { ledgerView } from '#src/resources/ledger/ledger.ts';
import { operationRouteView } from '#src/resources/ledger/operation-route.ts';
import { organizationView } from '#src/resources/ledger/organization.ts';
import { portfolioView } from '#src/resources/ledger/portfolio.ts';
import { segmentView } from '#src/resources/ledger/segment.ts';
import { storedTransactionText } from '#src/resources/ledger/transaction-text.ts';

export const organizationText: Renderer = ({ body }) =>
  JSON.stringify(organizationView(JSON.parse(body) as OrganizationRecord));

export const ledgerText: Renderer = ({ body }) =>
  JSON.stringify(ledgerView(JSON.parse(body) as LedgerRecord, 1));

export const ledgerTextV2: Renderer = ({ body }) =>
  JSON.stringify(ledgerView(JSON.parse(body) as LedgerRecord, 2));

export const assetText: Renderer = ({ body }) =>
  JSON.stringify(assetView(JSON.parse(body) as AssetRecord));

export const assetRateText: Renderer = ({ body }) =>
  JSON.stringify(assetRateView(JSON.parse(body) as AssetRateRecord));

export const segmentText: Renderer = ({ body }) =>
  JSON.stringify(segmentView(JSON.parse(body) as SegmentRecord));

export const portfolioText: Renderer = ({ body }) =>
  JSON.stringify(portfolioView(JSON.parse(body) as PortfolioRecord));

export const accountTypeText: Renderer = ({ body }) =>
  JSON.stringify(accountTypeView(JSON.parse(body) as AccountTypeRecord));

export const accountText: Renderer = ({ body }) =>
  JSON.stringify(accountView(JSON.parse(body) as AccountRecord));

export const balanceText: Renderer = ({ body, values }) =>
  JSON.stringify(balanceView(JSON.parse(body) as BalanceRecord, values as BalanceValues));

export const transactionText: Renderer = ({ body }) => storedTransactionText(body, 1);

export const operationRouteText: Renderer = ({ body }) =>
  JSON.stringify(operationRouteView(JSON.parse(body) as OperationRouteRecord));

export const transactionTextV2: Renderer = ({ body }) => storedTransactionText(body, 2);

/** How lists of version 2 ask for transactions, and for ledgers. */
export const TRANSACTION_V2 = 'transaction-v2';
export const LEDGER_V2 = 'ledger-v2';

/** By collection, or by the name of another way to show it. Pure: lists are written in the thread that reads them. */
export const renderers: Renderers = {
  rows: {
    [organizationProjection.collection.name]: organizationText,
    [ledgerProjection.collection.name]: ledgerText,
    [LEDGER_V2]: ledgerTextV2,
    [assetProjection.collection.name]: assetText,
    [assetRateProjection.collection.name]: assetRateText,
    [segmentProjection.collection.name]: segmentText,
    [portfolioProjection.collection.name]: portfolioText,
    [accountTypeProjection.collection.name]: accountTypeText,
    [accountProjection.collection.name]: accountText,
    [balanceProjection.collection.name]: balanceText,
    [transactionProjection.collection.name]: transactionText,
    [operationRouteProjection.collection.name]: operationRouteText,
    [TRANSACTION_V2]: transactionTextV2,
  },
  entries: { [OPERATION]: operationText },
};
