import type { Client } from '#test/support/client.ts';
import { made, posted, transfer, type Book } from './books.ts';
import { inOrganization } from './fee-books.ts';

/** A billing package as clients see it. */
export type BillingPackageBody = Readonly<{
  id: string;
  organizationId: string;
  ledgerId: string;
  label: string;
  description?: string;
  type: string;
  enable: boolean;
  createdAt: string;
  updatedAt: string;
}>;

/** A calculation as clients see it. */
export type BillingBody = Readonly<{
  results: readonly Readonly<{
    billingPackageId: string;
    totalAccounts: number;
    totalNetAmount: string;
    transactionPayload: Readonly<{
      metadata?: Readonly<Record<string, unknown>>;
      send?: Readonly<{
        value: string;
        source: Readonly<{ from: readonly Readonly<{ accountAlias: string }>[] }>;
      }>;
    }>;
  }>[];
  summary: Readonly<Record<string, number | string>>;
}>;

/** A volume package of version 2: the prices of the contract's example. */
export const volumeOf = (more: object = {}) => ({
  label: 'Pix volume',
  type: 'volume',
  eventFilter: { transactionRoute: 'pix', status: 'APPROVED' },
  pricingModel: 'tiered',
  tiers: [
    { minQuantity: 0, maxQuantity: 1000, unitPrice: '0.10' },
    { minQuantity: 1001, unitPrice: '0.08' },
  ],
  assetCode: 'BRL',
  debitAccountAlias: '@client',
  creditAccountAlias: '@billing',
  ...more,
});

/** A maintenance package of version 2. */
export const maintenanceOf = (accountTarget: object, more: object = {}) => ({
  label: 'Upkeep',
  type: 'maintenance',
  assetCode: 'BRL',
  feeAmount: '12.50',
  maintenanceCreditAccount: '@billing',
  accountTarget,
  ...more,
});

export const createBillingPackage = (client: Client, { org, ledger }: Book, body: object) =>
  made<BillingPackageBody>(
    client,
    '/v1/billing-packages',
    { ledgerId: ledger, ...body },
    inOrganization(org),
  );

/** Posts a transfer of 1, at a time of the past or now. */
export const postedAt = (
  client: Client,
  { at }: Book,
  transactionDate: string | undefined,
  more: object = {},
  [from, to]: readonly [string, string] = ['@alice', '@bob'],
) => posted(client, at, transfer(from, to, '1', 'BRL', { route: 'pix', transactionDate, ...more }));
