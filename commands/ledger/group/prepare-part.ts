import type { Ledger } from '#commands/ledger/ledger-state.ts';
import { needsTransaction, transactionBefore } from '#commands/ledger/transaction/before.ts';
import { amountText, bookLegs, wordsOf } from '#commands/ledger/transaction/booking.ts';
import {
  aliasesOf,
  checkHolds,
  checkLegs,
  legOf,
  refusedLeg,
  type Leg,
} from '#commands/ledger/transaction/legs.ts';
import { mirrored, reversalOf } from '#commands/ledger/transaction/revert.ts';
import { checkRoom } from '#commands/ledger/transaction/room.ts';
import { skippedBy } from '#commands/ledger/transaction/prepare.ts';
import { formatAmount } from '#src/domain/amount.ts';
import type { Decision, Facts, Needs, Stamp } from '#src/domain/decider.ts';
import { refuse } from '#src/domain/errors.ts';
import type { Uuid } from '#src/domain/ids.ts';
import type { GroupRecord } from '#src/events/group.ts';
import type { AwaitingLeg, LedgerEvent, TransactionRecord } from '#src/events/ledger.ts';
import { needsPart, recordedPart, type PartEvent } from './parts.ts';
import type { PartRequest, Reach } from './request.ts';

/**
 * Step 1 of a group in one ledger: what its part debits is held, what it credits is checked. `CheckGroupPart` decides
 * the same and records nothing. A part is prepared once: asked again, its last step is the answer.
 */
export type PreparePart = Readonly<{
  type: 'CheckGroupPart' | 'PrepareGroupPart';
  organizationId: Uuid;
  group: Readonly<{ id: Uuid; action: GroupRecord['action']; reach: Reach }>;
  transactionId: Uuid;
  part: PartRequest | PartReversal;
}>;

/** The part mirrors what the ledger recorded of this transaction. */
export type PartReversal = Readonly<{ reverts: Uuid }>;

export function needsPrepare(
  ledger: Ledger,
  { group, part }: PreparePart,
  facts: Facts,
): Needs | undefined {
  const needs = needsPart(group.id, facts);
  if (needs !== undefined || !('reverts' in part)) return needs;
  const reversal = reversalOf(part.reverts);
  const at = facts.revisionOf(reversal);
  if (at === undefined) return { names: [reversal] };
  if (at !== null && facts.event(at) === undefined) return { events: [at] };
  return needsTransaction(ledger, part.reverts, facts);
}

export function preparePart(
  ledger: Ledger,
  command: PreparePart,
  facts: Facts,
  stamp: Stamp,
): Decision<LedgerEvent> {
  const { group, part, transactionId } = command;
  const known = recordedPart(group.id, facts);
  if (known !== undefined) return { unchanged: known.event, at: known.at };
  checkTakesPart(ledger, group.reach);
  const planned =
    'reverts' in part
      ? reversal(ledger, transactionBefore(ledger, part.reverts, facts), facts)
      : asked(ledger, part);
  const event = prepared(ledger, { ...command.group, transactionId }, planned, stamp);
  return command.type === 'CheckGroupPart' ? [] : [event];
}

function checkTakesPart({ settings }: Ledger, reach: Reach): void {
  if (!settings.crossLedger.enabled) {
    const detail = 'The ledger does not take part in transactions over several ledgers.';
    throw refuse('CROSS_LEDGER_DISABLED', detail);
  }
  if (reach === 'several organizations' && settings.accounting.validateRoutes) {
    const detail = 'The ledger validates routes, and the group is of several organizations.';
    throw refuse('GROUP_ORGANIZATIONS', detail);
  }
}

/** The legs of a part, those of sources first, and what its record says beside them. */
type Planned = Readonly<{
  legs: readonly Leg[];
  record: Pick<TransactionRecord, 'amount' | 'assetCode'> & Said;
}>;
type Words =
  | 'parentTransactionId'
  | 'description'
  | 'code'
  | 'routeId'
  | 'scheme'
  | 'feesSkipped'
  | 'tracerSkipped'
  | 'metadata';
type Said = Readonly<{
  [Name in Words]?: TransactionRecord[Name] | undefined;
}>;

function asked(ledger: Ledger, { asset, value, postings, words }: PartRequest): Planned {
  const skipped = skippedBy(words, ledger.settings);
  if (!ledger.assets.codes.has(asset)) {
    throw refuse('ASSET_NOT_FOUND', `The ledger has no asset ${asset}.`);
  }
  const legs = postings.map((posting) => legOf(ledger, posting));
  for (const leg of legs) {
    if (leg.account.assetCode === asset) continue;
    throw refusedLeg(
      'GROUP_ASSETS',
      leg,
      `holds ${leg.account.assetCode}, the group moves ${asset}`,
    );
  }
  checkLegs(legs, asset);
  return { legs, record: { ...words, ...skipped, amount: amountText(value), assetCode: asset } };
}

/** What the transaction credited gives, what it debited receives (contract ledger §7.7). */
function reversal(ledger: Ledger, reverted: TransactionRecord, facts: Facts): Planned {
  checkRevertible(reverted, facts);
  const legs = mirrored(ledger, reverted);
  checkLegs(legs, reverted.assetCode);
  const { description, routeId, scheme, metadata, amount, assetCode } = reverted;
  const words = { parentTransactionId: reverted.id, description, routeId, scheme, metadata };
  return { legs, record: { ...words, amount, assetCode } };
}

function checkRevertible({ id, status, parentTransactionId }: TransactionRecord, facts: Facts) {
  if (status !== 'APPROVED') {
    throw refuse('STATUS_NOT_ALLOWED', `The transaction is ${status}, not APPROVED.`);
  }
  if (parentTransactionId !== undefined) {
    throw refuse('REVERSAL_OF_REVERSAL', 'The transaction is itself a reversal.');
  }
  const at = facts.revisionOf(reversalOf(id)) ?? null;
  const earlier = at === null ? undefined : (facts.event(at) as PartEvent);
  switch (earlier?.type) {
    case undefined:
    case 'TransactionCanceled':
    case 'GroupReleased':
      return; // A reversal that was given up.
    case 'TransactionHeld':
    case 'GroupPrepared':
      throw refuse('TRANSACTION_BUSY', 'The group is being reverted.');
    default:
      throw refuse('GROUP_FINISHED', 'The group has been reverted.');
  }
}

function prepared(
  ledger: Ledger,
  { id: groupId, action, transactionId: id }: PreparePart['group'] & { transactionId: Uuid },
  { legs, record }: Planned,
  stamp: Stamp,
): LedgerEvent {
  const direct = action === 'direct';
  const sources = legs.filter(({ direction }) => direction === 'debit');
  if (!direct) checkHolds(sources.filter(({ location }) => location !== undefined));
  // Nothing of the world outside can be held: it will be debited when the part is posted.
  const held = sources.filter(({ account }) => !account.external);
  const transaction: TransactionRecord = {
    id,
    organizationId: ledger.organizationId,
    ledgerId: ledger.id,
    ...given('parentTransactionId', record),
    groupId,
    ...given('description', record),
    status: 'PENDING',
    amount: record.amount,
    assetCode: record.assetCode,
    ...given('code', record),
    source: aliasesOf(legs, 'debit'),
    destination: aliasesOf(legs, 'credit'),
    ...given('routeId', record),
    ...given('scheme', record),
    ...given('feesSkipped', record),
    ...given('tracerSkipped', record),
    ...given('metadata', record),
    awaiting: legs.filter((leg) => !held.includes(leg)).map(awaiting),
    operations: bookLegs('hold', id, held, new Map()),
    createdAt: stamp.instant,
    updatedAt: stamp.instant,
  };
  // What is only booked later must have room and funds now; it is kept for the part from then on.
  bookLegs(
    'commit',
    id,
    legs.filter((leg) => !held.includes(leg)),
    new Map(),
  );
  checkRoom(ledger, transaction);
  if (held.length === 0) return { type: 'GroupPrepared', data: { transaction, binding: direct } };
  return { type: 'TransactionHeld', data: { transaction, ...(direct && { direct }) } };
}

const awaiting = ({ direction, amount, account, balance, origin, words }: Leg): AwaitingLeg => ({
  ...(direction === 'debit' && { direction }),
  amount: formatAmount(amount),
  accountId: account.id,
  accountAlias: account.alias,
  balanceKey: balance.key,
  ...wordsOf(words),
  ...(origin !== 'request' && { origin }),
});

const given = <Name extends keyof Said>(name: Name, record: Said): Pick<TransactionRecord, Name> =>
  (record[name] === undefined ? {} : { [name]: record[name] }) as Pick<TransactionRecord, Name>;
