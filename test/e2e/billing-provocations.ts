import type { Client } from '#test/support/client.ts';
import { createBillingPackage, maintenanceOf, volumeOf } from './billing-books.ts';
import { createLedger, made, NOBODY, type Book } from './books.ts';
import type { Changes, Stage } from './provocations.ts';

/** A disabled package of a route that another bills, and ledgers whose packages cannot be calculated. */
export async function stageBilling(client: Client, book: Book): Promise<Stage> {
  const { org, ledger } = book;
  const at = `/v2/organizations/${org}/ledgers/${ledger}/billing-packages`;
  await made(client, at, volumeOf());
  const { id } = await createBillingPackage(client, book, volumeOf({ enable: false }));
  const targeting = async (target: object): Promise<string> => {
    const other = (await createLedger(client, org)).id;
    await createBillingPackage(client, { ...book, ledger: other }, maintenanceOf(target));
    return other;
  };
  const failing = (await createLedger(client, org)).id;
  const path = `/v1/organizations/${org}/ledgers/${failing}`;
  await made(client, `${path}/assets`, { name: 'Real', type: 'currency', code: 'BRL' });
  const aliases = ['@one', '@two'];
  for (const alias of aliases) {
    await made(client, `${path}/accounts`, { alias, assetCode: 'BRL', type: 'deposit' });
  }
  const dear = maintenanceOf({ aliases }, { feeAmount: '9'.repeat(30) });
  await createBillingPackage(client, { ...book, ledger: failing }, dear);
  return {
    billing_package_id: id,
    'the ledger without an account': await targeting({ aliases: ['@nobody'] }),
    'the ledger without a segment': await targeting({ segmentId: NOBODY }),
    'the ledger with a dear package': failing,
  };
}

const target = (accountTarget: unknown) => ({
  ...{ type: 'maintenance', feeAmount: '1', maintenanceCreditAccount: '@bob', accountTarget },
  ...{ eventFilter: undefined, pricingModel: undefined, tiers: undefined },
  ...{ debitAccountAlias: undefined, creditAccountAlias: undefined },
});

const creation = {
  LEDGER_NOT_FOUND: { ledgerId: NOBODY },
  FEE_LEDGER_INVALID: { ledgerId: 'x' },
  FEE_NOT_A_DECIMAL: { tiers: [{ minQuantity: 0, unitPrice: '1,5' }] },
  NUMBER_OUT_OF_RANGE: { tiers: [{ minQuantity: 0, unitPrice: '1e30' }] },
  BILLING_TYPE_UNKNOWN: { type: 'x' },
  BILLING_VOLUME_INCOMPLETE: { tiers: undefined },
  BILLING_MAINTENANCE_INCOMPLETE: { ...target({ aliases: ['@bob'] }), feeAmount: undefined },
  BILLING_PRICING_MODEL: { pricingModel: 'x' },
  BILLING_TIERS: { tiers: [] },
  BILLING_ROUTE_TAKEN: { eventFilter: { transactionRoute: 'pix', status: 'NOTED' } },
  BILLING_FREE_QUOTA: { freeQuota: -1 },
  BILLING_DISCOUNT_TIERS: { discountTiers: [] },
  BILLING_COUNT_MODE: { countMode: 'x' },
  BILLING_ACCOUNT_TARGET: target({}),
  BILLING_FEE_AMOUNT: { ...target({ aliases: ['@bob'] }), feeAmount: '0' },
  IDEMPOTENCY_KEY_IN_USE: { headers: { 'X-Idempotency': 'used' } },
} satisfies Readonly<Record<string, Changes>>;

const change = {
  REQUIRED_FIELDS: { enable: null },
  BILLING_ROUTE_TAKEN: { enable: true },
} satisfies Readonly<Record<string, Changes>>;

const inBody = {
  LEDGER_NOT_FOUND: { ledgerId: NOBODY },
  FEE_LEDGER_INVALID: { ledgerId: 'x' },
  BILLING_TYPE_UNKNOWN: { type: 'x' },
  BILLING_PERIOD: { period: '2026-W54' },
  BILLING_ACCOUNT_NOT_FOUND: { ledgerId: 'the ledger without an account' },
  BILLING_SEGMENT_UNRESOLVED: { ledgerId: 'the ledger without a segment' },
  BILLING_FAILED: { ledgerId: 'the ledger with a dear package' },
} satisfies Readonly<Record<string, Changes>>;

const volume = volumeOf({ eventFilter: { transactionRoute: 'provoked', status: 'APPROVED' } });
const withLedger = { ledgerId: 'the ledger', ...volume };
const period = { period: '2026-01' };

/** A body that would be taken, by operation. */
export const billingRequests = {
  createBillingPackage: withLedger,
  createBillingPackageInOrganization: withLedger,
  createBillingPackageV2: volume,
  calculateBilling: { ledgerId: 'the ledger', ...period },
  calculateBillingInOrganization: { ledgerId: 'the ledger', ...period },
  calculateBillingV2: period,
};

const { FEE_LEDGER_INVALID: _, LEDGER_NOT_FOUND: __, ...creationV2 } = creation;
const at = (ledger: string) => ({ at: { ledger_id: ledger } });

/** These changes of a request provoke each refusal of the operations of billing. */
export const billingProvocations = {
  createBillingPackage: creation,
  createBillingPackageInOrganization: creation,
  createBillingPackageV2: creationV2,
  updateBillingPackage: change,
  updateBillingPackageInOrganization: change,
  updateBillingPackageV2: change,
  calculateBilling: inBody,
  calculateBillingInOrganization: inBody,
  calculateBillingV2: {
    BILLING_TYPE_UNKNOWN: { type: 'x' },
    BILLING_PERIOD: { period: '2026-W54' },
    BILLING_ACCOUNT_NOT_FOUND: at('the ledger without an account'),
    BILLING_SEGMENT_UNRESOLVED: at('the ledger without a segment'),
    BILLING_FAILED: at('the ledger with a dear package'),
  },
} satisfies Readonly<Record<string, Readonly<Record<string, Changes>>>>;
