import { postingsBySide, type Posting } from '#commands/ledger/transaction/postings.ts';
import type { RequestedLeg, TransactionRequest } from '#commands/ledger/transaction/commands.ts';
import type { RequestLocations } from '#commands/ledger/transaction/locations.ts';
import { formatAmount, type Amount } from '#src/kernel/amount.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { TransactionMetadata } from '#src/events/shared.ts';
import type { ChargeableLeg, ChargeableTransaction, FeeLeg } from '#src/kernel/fee-charge.ts';
import type { ChargedTransaction, ExemptionReason } from './charge-fees.ts';

/** The segment of an account; undefined if it has none, or if there is no such account. */
type SegmentOf = (alias: string) => Uuid | undefined;

/**
 * Resolves the legs of a request to amounts. Errors: LEG_QUANTITY, TOTALS_DIFFER, VALUE_NOT_POSITIVE, ASSET_NOT_FOUND.
 */
export function chargeableOf(
  request: TransactionRequest,
  segmentOf: SegmentOf,
  locations: RequestLocations,
): ChargeableTransaction {
  const { value, sources, destinations } = postingsBySide(request, locations);
  const legOf = ({ alias, amount }: Posting): ChargeableLeg => ({
    alias,
    amount,
    segmentId: segmentOf(alias),
  });
  return { value, from: sources.map(legOf), to: destinations.map(legOf) };
}

/** The metadata that a calculation writes; an estimate never says that fees were applied. */
export function feeMetadata(
  packageId: Uuid,
  { isCharged, exemption }: Pick<ChargedTransaction, 'isCharged' | 'exemption'>,
  isEstimate: boolean,
): TransactionMetadata {
  if (!isCharged && exemption === undefined) return {};
  return {
    packageAppliedID: packageId,
    ...(isCharged && !isEstimate && { feeApplied: 'true' }),
    ...(exemption !== undefined && {
      feeExemption: { exempt: true, reason: exemption, message: MESSAGES[exemption] },
    }),
  };
}

const MESSAGES: Readonly<Record<ExemptionReason, string>> = {
  all_source_accounts_exempt: 'All source accounts are exempt from the fee.',
  all_destination_accounts_exempt: 'All destination accounts are exempt from the fee.',
  all_accounts_exempt: 'All accounts are exempt from the fee.',
};

/** Returns the request with the amounts and legs that fees make of it, its other members as they are. */
export function withFees(
  request: TransactionRequest,
  transaction: ChargeableTransaction,
  charged: Pick<ChargedTransaction, 'value' | 'to' | 'feesFrom' | 'feesTo'>,
  metadata: TransactionMetadata,
): TransactionRequest {
  const { send } = request;
  const { asset } = send;
  const { from } = send.source;
  const { to } = send.distribute;
  const amounts = transaction.from.map(({ amount }) => amount);
  const hasMetadata = request.metadata !== undefined || Object.keys(metadata).length > 0;
  return {
    ...request,
    ...(hasMetadata && { metadata: { ...request.metadata, ...metadata } }),
    send: {
      ...send,
      value: formatAmount(charged.value),
      source: {
        ...send.source,
        from: [
          ...from.map((leg, n) => resolved(leg, asset, amounts[n]!)),
          ...charged.feesFrom.map((leg) => paid(leg, asset, from)),
        ],
      },
      distribute: {
        ...send.distribute,
        to: [
          ...to.map((leg, n) => resolved(leg, asset, charged.to[n]!)),
          ...charged.feesTo.map((leg) => earned(leg, asset)),
        ],
      },
    },
  };
}

/** The amount takes the place of the share, of what remains, or of the amount as sent. */
function resolved(leg: RequestedLeg, asset: string, amount: Amount): RequestedLeg {
  const { accountAlias, amount: _, share: __, remaining: ___, ...others } = leg;
  return { accountAlias, amount: { asset, value: formatAmount(amount) }, ...others };
}

/** A fee is paid from the balance that the payer's own leg names. */
function paid(leg: FeeLeg, asset: string, from: readonly RequestedLeg[]): RequestedLeg {
  const { balanceKey } = from[leg.payer]!;
  return {
    accountAlias: leg.alias,
    ...(balanceKey !== undefined && { balanceKey }),
    ...amountAndRoute(leg, asset),
  };
}

const earned = (leg: FeeLeg, asset: string): RequestedLeg => ({
  accountAlias: leg.alias,
  ...amountAndRoute(leg, asset),
  ...(leg.source !== undefined && { metadata: { source: leg.source } }),
});

const amountAndRoute = ({ amount, route }: FeeLeg, asset: string) => ({
  amount: { asset, value: formatAmount(amount) },
  ...(route !== undefined && { route, routeId: route }),
});
