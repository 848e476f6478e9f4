import type {
  MaintenancePackageFields,
  VolumePackageFields,
} from '#src/events/fees/billing-package.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { add, formatAmount, parseAmount, ZERO } from '#src/kernel/amount.ts';
import { chargeVolume, times } from './volume-charge.ts';

type Identified<Fields> = Fields & Readonly<{ id: Uuid }>;

/** The charge of a package for a period, with the transaction that a client posts for it. */
export type BillingResult = Readonly<{
  billingPackageId: Uuid;
  billingPackageLabel: string;
  billingType: 'volume' | 'maintenance';
  period: string;
  totalAccounts: number;
  totalCharged: number;
  totalSkipped: number;
  totalNetAmount: string;
  /** Without members if there is nothing to pay. */
  transactionPayload: object;
}>;

/** Charges the transactions of a period; with `accountAlias`, only those that have it as a source. Errors: as chargeVolume. */
export function volumeResult(
  fields: Identified<VolumePackageFields>,
  period: string,
  events: number,
  accountAlias?: string,
): BillingResult {
  const { id, label, pricingModel, debitAccountAlias, creditAccountAlias } = fields;
  const { grossAmount, discount, netAmount, unitPrice, ...counts } = chargeVolume(fields, events);
  const net = formatAmount(netAmount);
  const metadata = {
    ...{ billingType: 'volume', billingPackageId: id, label, period },
    ...(accountAlias !== undefined && { accountAlias }),
    ...counts,
    pricingModel,
    ...(unitPrice !== undefined && { unitPrice }),
    grossAmount: formatAmount(grossAmount),
    netAmount: net,
    ...(discount && {
      discount: { ...discount, discountAmount: formatAmount(discount.discountAmount) },
    }),
  };
  return {
    ...heading(fields, period),
    ...{ totalAccounts: 0, totalCharged: 0, totalSkipped: 0, totalNetAmount: net },
    transactionPayload:
      netAmount === ZERO
        ? {}
        : payload(fields, period, metadata, net, [[debitAccountAlias, net]], creditAccountAlias),
  };
}

/** Charges each account the amount of the package. Errors: BILLING_FAILED for a total that no amount can hold. */
export function maintenanceResult(
  fields: Identified<MaintenancePackageFields>,
  period: string,
  aliases: readonly string[],
): BillingResult {
  const { id, label, feeAmount, maintenanceCreditAccount } = fields;
  const totalAccounts = aliases.length;
  const total = formatAmount(times(parseAmount(feeAmount), totalAccounts));
  const metadata = {
    ...{ billingType: 'maintenance', billingPackageId: id, label, period },
    ...{ totalAccounts, feeAmount },
  };
  const legs = aliases.map((alias) => [alias, feeAmount] as const);
  return {
    ...heading(fields, period),
    ...{ totalAccounts, totalCharged: totalAccounts, totalSkipped: 0, totalNetAmount: total },
    transactionPayload:
      totalAccounts === 0
        ? {}
        : payload(fields, period, metadata, total, legs, maintenanceCreditAccount),
  };
}

/** Adds up the charges, whatever their assets. */
export function billingSummary(results: readonly BillingResult[]) {
  const total = results.reduce(
    (sum, { totalNetAmount }) => add(sum, parseAmount(totalNetAmount)),
    ZERO,
  );
  const count = (type: BillingResult['billingType']) =>
    results.filter(({ billingType }) => billingType === type).length;
  return {
    totalResults: results.length,
    totalVolume: count('volume'),
    totalMaintenance: count('maintenance'),
    totalNetAmount: formatAmount(total),
  };
}

type Billed = Identified<Pick<VolumePackageFields, 'label' | 'assetCode'>> &
  Readonly<{ type: BillingResult['billingType'] }>;

const heading = ({ id, label, type }: Billed, period: string) =>
  ({
    billingPackageId: id,
    billingPackageLabel: label,
    billingType: type,
    period,
  }) as const;

/** Returns a transaction of version 1, in which each payer has a leg. */
function payload(
  { label, type, assetCode: asset }: Billed,
  period: string,
  metadata: object,
  value: string,
  payers: readonly (readonly [alias: string, value: string])[],
  receiver: string,
): object {
  const leg = (accountAlias: string, part: string) => ({
    accountAlias,
    amount: { asset, value: part },
  });
  return {
    code: `billing-${type}`,
    description: `Billing - ${label} - ${period}`,
    metadata,
    send: {
      ...{ asset, value },
      source: { from: payers.map(([alias, part]) => leg(alias, part)) },
      distribute: { to: [leg(receiver, value)] },
    },
  };
}
