import { usedBy } from '#commands/ledger/account/block-exceptions.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { bookLegs, detailsOf } from '#commands/ledger/transaction/booking.ts';
import { aliasesOf, type Leg } from '#commands/ledger/transaction/legs.ts';
import { checkAppendSize } from '#commands/ledger/transaction/append-size.ts';
import { formatAmount } from '#src/kernel/amount.ts';
import type { Decision, Facts, Needs, Stamp } from '#src/kernel/decider.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { GroupRecord } from '#src/events/ledger/group.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { AwaitingLeg, TransactionRecord } from '#src/events/ledger/transaction.ts';
import { needsPart, recordedPart } from '#commands/ledger/state/reservations.ts';
import { needsPlan, planPart, type PlannedPart, type PartDetails } from './plan.ts';
import type { PartRequest, PartReversal, Reach } from './request.ts';
import type { SiblingRoutes } from './participant-routing.ts';

/**
 * Step 1 of a group in one ledger: what its part debits is held, what it credits is checked. `CheckGroupPart` decides
 * the same and records nothing. A part is prepared once: asked again, its last step is the answer.
 */
export type PreparePart = Readonly<{
  type: 'CheckGroupPart' | 'PrepareGroupPart';
  organizationId: Uuid;
  group: Readonly<{
    id: Uuid;
    action: GroupRecord['action'];
    reach: Reach;
    siblings: SiblingRoutes;
  }>;
  transactionId: Uuid;
  part: PartRequest | PartReversal;
  /** Lets one debit of the part pass; it is kept for that from then on. */
  accountBlockExceptionId?: Uuid | undefined;
}>;

export function needsPrepare(
  ledger: Ledger,
  { group, part }: PreparePart,
  facts: Facts,
): Needs | undefined {
  return needsPart(group.id, facts) ?? needsPlan(ledger, part, facts);
}

export function preparePart(
  ledger: Ledger,
  command: PreparePart,
  facts: Facts,
  stamp: Stamp,
): Decision<LedgerEvent> {
  const { group, transactionId } = command;
  const known = recordedPart(group.id, facts);
  if (known !== undefined) return { unchanged: known.event, at: known.at };
  checkTakesPart(ledger, group.reach);
  const planned = planPart(ledger, command, facts, stamp);
  const { accountBlockExceptionId } = command;
  const asked = { ...group, transactionId, accountBlockExceptionId };
  const event = prepared(ledger, asked, planned, stamp);
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

function prepared(
  ledger: Ledger,
  {
    id: groupId,
    action,
    transactionId: id,
    accountBlockExceptionId,
  }: PreparePart['group'] & Pick<PreparePart, 'transactionId' | 'accountBlockExceptionId'>,
  { legs, record, relies }: PlannedPart,
  stamp: Stamp,
): LedgerEvent {
  const direct = action === 'direct';
  const sources = legs.filter(({ direction }) => direction === 'debit');
  const step = !direct && ledger.settings.accounting.validateRoutes ? 'two-step hold' : 'hold';
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
    operations: bookLegs(step, id, held, new Map()),
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
  checkAppendSize(ledger, transaction);
  const by = { ...relies, ...usedBy(accountBlockExceptionId) };
  if (held.length === 0) {
    return { type: 'GroupPrepared', data: { transaction, binding: direct, ...by } };
  }
  return { type: 'TransactionHeld', data: { transaction, ...(direct && { direct }), ...by } };
}

const awaiting = ({ direction, amount, account, balance, origin, details }: Leg): AwaitingLeg => ({
  ...(direction === 'debit' && { direction }),
  amount: formatAmount(amount),
  accountId: account.id,
  accountAlias: account.alias,
  balanceKey: balance.key,
  ...detailsOf(details),
  ...(origin !== 'request' && { origin }),
});

const given = <Name extends keyof PartDetails>(
  name: Name,
  record: PartDetails,
): Pick<TransactionRecord, Name> =>
  (record[name] === undefined ? {} : { [name]: record[name] }) as Pick<TransactionRecord, Name>;
