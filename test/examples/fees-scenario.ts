import { fund, openAccount, openBank, payment } from './bank.ts';
import type { ExampleApi } from './example-api.ts';

/** Runs packages of fees and of billing in one of their forms; only version 2 has fee debts. */
export async function exampleFees(
  api: ExampleApi,
  form: '' | 'InOrganization' | 'V2',
): Promise<void> {
  const { call } = api;
  await openBank(api);
  for (const alias of ['@alice', '@bakery', '@fees']) await openAccount(api, alias);
  await fund(api, '@alice', '500');
  const { ledgerId } = await call<{ ledgerId: string }>('getAsset');
  const inBody = form === 'V2' ? {} : { ledgerId };
  await feePackages(api, form, inBody);
  await billing(api, inBody);
  if (form === 'V2') await feeDebts(api);
}

const payingFee = (calculationModel: object, more: object = {}) => ({
  feeLabel: 'Transfer fee',
  calculationModel,
  referenceAmount: 'originalAmount',
  priority: 1,
  isDeductibleFrom: false,
  creditAccount: '@fees',
  ...more,
});

async function feePackages(
  { call, within }: ExampleApi,
  form: string,
  inBody: object,
): Promise<void> {
  const created = await call('createFeePackage', {
    body: {
      ...inBody,
      feeGroupLabel: 'Card payments',
      description: 'Two percent of payments up to 1,000',
      minimumAmount: '10',
      maximumAmount: '1000',
      enable: true,
      fees: {
        transfer: payingFee({
          applicationRule: 'percentual',
          calculations: [{ type: 'percentage', value: '2' }],
        }),
      },
    },
  });
  within({ package_id: created.id });
  await call('getFeePackage');
  await call('updateFeePackage', { body: { maximumAmount: '2000' } });
  await call('listFeePackages', { query: { limit: 1 } });
  const transaction = payment('@alice', '@bakery', '100', { description: 'Birthday cake' });
  if (form === '') await call('calculateFees', { body: { ...inBody, transaction } });
  await call('estimateFees', { body: { ...inBody, packageId: created.id, transaction } });
  await call('updateFeePackage', { body: { enable: false } });
}

async function billing({ call, within }: ExampleApi, inBody: object): Promise<void> {
  const created = await call('createBillingPackage', {
    body: {
      ...inBody,
      label: 'Pix volume',
      type: 'volume',
      assetCode: 'BRL',
      eventFilter: { transactionRoute: 'pix', status: 'APPROVED' },
      pricingModel: 'tiered',
      tiers: [
        { minQuantity: 0, maxQuantity: 1000, unitPrice: '0.1' },
        { minQuantity: 1001, unitPrice: '0.08' },
      ],
      countMode: 'perRoute',
      debitAccountAlias: '@bakery',
      creditAccountAlias: '@fees',
    },
  });
  within({ billing_package_id: created.id });
  await call('getBillingPackage');
  await call('updateBillingPackage', { body: { description: 'Monthly, by count' } });
  await call('listBillingPackages', { query: { limit: 1 } });
  const paid = { route: 'pix', transactionDate: '2026-01-05T09:00:00Z' };
  await call('createTransactionJson', { body: payment('@alice', '@bakery', '30', paid) });
  await call('calculateBilling', { body: { ...inBody, period: '2026-01', type: 'volume' } });
}

/** The bakery pays its whole balance and owes the deferred fee; a credit of version 1 does not settle it. */
async function feeDebts(api: ExampleApi): Promise<void> {
  const { call } = api;
  await call('createFeePackage', {
    body: {
      feeGroupLabel: 'Deferred fees',
      minimumAmount: '1',
      maximumAmount: '1000',
      enable: true,
      metadataSelector: { channel: 'supplier' },
      fees: {
        transfer: payingFee(
          { applicationRule: 'flatFee', calculations: [{ type: 'flat', value: '5' }] },
          { deferrable: true },
        ),
      },
    },
  });
  const account = await call<{ organizationId: string; ledgerId: string }>('getAccountByAlias', {
    path: { alias: '@bakery' },
  });
  const { organizationId, ledgerId } = account;
  const whole = '30';
  const origin = await call('createDirectTransaction', {
    body: {
      asset: 'BRL',
      amount: whole,
      debits: [{ alias: '@bakery', organizationId, ledgerId, amount: whole }],
      credits: [{ alias: '@alice', organizationId, ledgerId, amount: whole }],
      metadata: { channel: 'supplier' },
    },
  });
  await call('listFeeDebts', { query: { limit: 1 } });
  await call('getFeeDebt', { path: { fee_debt: `${origin.id}:from:1:debit` } });
  const body = payment('@alice', '@bakery', '8', { description: 'Bread' });
  await call('createTransactionJson', { isExact: true, body });
  await call('collectFeeDebts', { body: { accountAlias: '@bakery', maxAmount: '3' } });
}
