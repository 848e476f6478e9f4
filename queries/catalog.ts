import type { Route } from '#src/http/route.ts';
import { accountReadRoutes } from './ledger/account.ts';
import { assetReadRoutes } from './ledger/asset.ts';
import { balanceReadRoutes } from './ledger/balance.ts';
import { ledgerReadRoutes } from './ledger/ledger.ts';
import { operationReadRoutes } from './ledger/operation.ts';
import { organizationReadRoutes } from './ledger/organization.ts';
import { transactionReadRoutes } from './ledger/transaction.ts';

/** Every operation that reads. */
export const readRoutes: readonly Route[] = [
  ...organizationReadRoutes,
  ...ledgerReadRoutes,
  ...assetReadRoutes,
  ...accountReadRoutes,
  ...balanceReadRoutes,
  ...transactionReadRoutes,
  ...operationReadRoutes,
];
