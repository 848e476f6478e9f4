import { exceptionOf } from '#commands/ledger/account/block-exceptions.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { transactionBefore } from '#commands/ledger/transaction/load-transaction.ts';
import { feePackageOf, withFeeMetadata } from '#commands/ledger/transaction/apply-fees.ts';
import { amountText } from '#commands/ledger/transaction/booking.ts';
import {
  checkHoldable,
  checkLegs,
  legsOf,
  refusedLeg,
  type BlockBypass,
  type Leg,
} from '#commands/ledger/transaction/legs.ts';
import type { TransactionDetails } from '#commands/ledger/transaction/new-transaction.ts';
import { skippedSteps, type SkippedSteps } from '#commands/ledger/transaction/prepare.ts';
import {
  checkRevertible,
  mirrored,
  needsRevert,
  reversalOf,
} from '#commands/ledger/transaction/revert.ts';
import { checkBidirectional } from '#commands/ledger/transaction/routing.ts';
import {
  needsTemplate,
  templateOf,
  type RouteTemplate,
} from '#commands/ledger/transaction/route-lookup.ts';
import type { Facts, Needs, Stamp } from '#src/kernel/decider.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { GroupRecord } from '#src/events/ledger/group.ts';
import type { AppliedFeePackage, TransactionRecord } from '#src/events/ledger/transaction.ts';
import type { PartEvent } from '#commands/ledger/state/reservations.ts';
import type { PartRequest, PartReversal } from './request.ts';
import { ownLegs, routePart, type SiblingRoutes } from './participant-routing.ts';

/** The legs of a part, sources first, and the other members of its record. */
export type PlannedPart = Pick<TransactionRecord, 'amount' | 'assetCode'> &
  Readonly<{
    legs: readonly Leg[];
    details: TransactionDetails;
    routeId?: Uuid | undefined;
    skipped?: SkippedSteps;
    feePackage?: AppliedFeePackage | undefined;
    relies?: RouteTemplate['relies'];
  }>;

type PartToPlan = Readonly<{
  group: Readonly<{ action: GroupRecord['action']; siblings: SiblingRoutes }>;
  part: PartRequest | PartReversal;
  /** A block exception of this ledger. */
  accountBlockExceptionId?: Uuid | undefined;
}>;

/** Checks a part against the rules and resolves its legs, before anything of it is booked. */
export function planPart(
  ledger: Ledger,
  asking: PartToPlan,
  facts: Facts,
  { instant }: Stamp,
): PlannedPart {
  const { group, part, accountBlockExceptionId } = asking;
  const exception = exceptionOf(ledger, accountBlockExceptionId, instant);
  const planned =
    'reverts' in part
      ? reversal(ledger, transactionBefore(ledger, part.reverts, facts), facts, exception)
      : newPart(ledger, part, exception);
  if (group.action === 'hold') {
    const isAsked = ({ direction, location }: Leg) =>
      direction === 'debit' && location !== undefined;
    checkHoldable(planned.legs.filter(isAsked));
  }
  return applyRoute(ledger, asking, planned, facts);
}

export function needsPlan(
  ledger: Ledger,
  part: PartToPlan['part'],
  facts: Facts,
): Needs | undefined {
  const { validateRoutes } = ledger.settings.accounting;
  if (!('reverts' in part)) {
    return validateRoutes ? needsTemplate(ledger, part.details, facts) : undefined;
  }
  const needs = needsRevert(ledger, part.reverts, facts);
  if (needs !== undefined) return needs;
  const at = facts.revisionOf(reversalOf(part.reverts)) ?? null;
  return at === null || facts.event(at) !== undefined ? undefined : { events: [at] };
}

function newPart(
  ledger: Ledger,
  { asset, value, postings, details, locations, fees }: PartRequest,
  exception?: BlockBypass,
): PlannedPart {
  const skipped = skippedSteps(details, ledger.settings, locations);
  if (ledger.assets.having('code', asset) === undefined) {
    throw refuse('ASSET_NOT_FOUND', `The ledger has no asset ${asset}.`);
  }
  const legs = legsOf(ledger, postings);
  for (const leg of legs) {
    if (leg.account.assetCode === asset) continue;
    throw refusedLeg(
      'GROUP_ASSETS',
      leg,
      `holds ${leg.account.assetCode}, the group moves ${asset}`,
    );
  }
  checkLegs(legs, asset, exception);
  const { routeId, metadata } = details;
  const plain = { legs, amount: amountText(value), assetCode: asset, details, routeId, skipped };
  if (fees === undefined) return plain;
  if ('refused' in fees) throw fees.refused;
  return {
    ...plain,
    details: { ...details, metadata: withFeeMetadata(metadata, fees.charge) },
    feePackage: feePackageOf(fees.charge, fees.revision),
  };
}

/** Mirrors the transaction: accounts that it credited are debited, and vice versa (contract ledger §7.7). */
function reversal(
  ledger: Ledger,
  reverted: TransactionRecord,
  facts: Facts,
  exception?: BlockBypass,
): PlannedPart {
  checkRevertible(reverted);
  checkNotReverted(reverted.id, facts);
  const legs = mirrored(ledger, reverted);
  checkLegs(legs, reverted.assetCode, exception);
  const { description, routeId, scheme, metadata, amount, assetCode } = reverted;
  const details = { parentTransactionId: reverted.id, description, scheme, metadata };
  return { legs, amount, assetCode, details, routeId };
}

/** Checks the legs against the group's route and copies its accounting entries, if the ledger validates routes. */
function applyRoute(
  ledger: Ledger,
  { group: { action, siblings }, part }: PartToPlan,
  planned: PlannedPart,
  facts: Facts,
): PlannedPart {
  if (!ledger.settings.accounting.validateRoutes) return planned;
  const { legs, routeId } = planned;
  const locations = 'reverts' in part ? undefined : part.locations;
  const template = templateOf(ledger, { routeId }, facts, locations);
  const crossing = { ...siblings, bridge: part.bridge };
  if ('reverts' in part) checkBidirectional(ownLegs(legs, part.bridge), template);
  const does = 'reverts' in part ? 'revert' : action;
  const routed = routePart(legs, does, template, crossing);
  return { ...planned, legs: routed, relies: template.relies };
}

/** A reversal that was given up does not count. Errors: TRANSACTION_BUSY, GROUP_FINISHED. */
function checkNotReverted(id: Uuid, facts: Facts): void {
  const at = facts.revisionOf(reversalOf(id)) ?? null;
  const earlier = at === null ? undefined : (facts.event(at) as PartEvent);
  switch (earlier?.type) {
    case undefined:
    case 'TransactionCanceled':
    case 'GroupReleased':
      return;
    case 'TransactionHeld':
    case 'GroupPrepared':
      throw refuse('TRANSACTION_BUSY', 'The group is being reverted.');
    default:
      throw refuse('GROUP_FINISHED', 'The group has been reverted.');
  }
}
