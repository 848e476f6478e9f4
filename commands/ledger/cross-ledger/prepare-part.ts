import { usedBy } from '#commands/ledger/account/block-exceptions.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { bookLegs } from '#commands/ledger/transaction/booking.ts';
import type { Leg } from '#commands/ledger/transaction/legs.ts';
import { newTransaction } from '#commands/ledger/transaction/new-transaction.ts';
import { checkAppendSize } from '#commands/ledger/transaction/append-size.ts';
import type { Decision, Facts, Needs, Stamp } from '#src/kernel/decider.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { GroupRecord } from '#src/events/ledger/group.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import { needsPart, recordedPart } from '#commands/ledger/state/reservations.ts';
import { needsPlan, planPart, type PlannedPart } from './plan.ts';
import type { PartRequest, PartReversal, Reach } from './request.ts';
import type { SiblingRoutes } from './participant-routing.ts';

/**
 * First phase in one ledger: holds what the part debits and checks what it credits. `CheckGroupPart` runs the checks
 * only. A part is prepared once: repeating the command returns its last step.
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
  /** Lets one debit of the part pass a block; reserved for the part from now on. */
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
  const { group } = command;
  const known = recordedPart(group.id, facts);
  if (known !== undefined) return { unchanged: known.event, at: known.at };
  checkTakesPart(ledger, group.reach);
  const planned = planPart(ledger, command, facts, stamp);
  const event = prepared(ledger, command, planned, stamp);
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
  { group, transactionId: id, accountBlockExceptionId }: PreparePart,
  { legs, details, relies, ...planned }: PlannedPart,
  stamp: Stamp,
): LedgerEvent {
  const direct = group.action === 'direct';
  const step = !direct && ledger.settings.accounting.validateRoutes ? 'two-step hold' : 'hold';
  const held = legs.filter(isHeld);
  const awaiting = legs.filter((leg) => !isHeld(leg));
  const transaction = newTransaction(ledger, stamp, {
    ...planned,
    id,
    status: 'PENDING',
    details: { ...details, groupId: group.id },
    legs,
    awaiting,
    operations: bookLegs(step, id, held, new Map()),
  });
  // The legs that are booked later must have room and funds now; both are reserved for the part from then on.
  bookLegs('commit', id, awaiting, new Map());
  checkAppendSize(ledger, transaction);
  const by = { ...relies, ...usedBy(accountBlockExceptionId) };
  if (held.length === 0) {
    return { type: 'GroupPrepared', data: { transaction, binding: direct, ...by } };
  }
  return { type: 'TransactionHeld', data: { transaction, ...(direct && { direct }), ...by } };
}

/** Nothing can be held on an external account: it is debited when the part is posted. */
const isHeld = ({ direction, account }: Leg): boolean => direction === 'debit' && !account.external;
