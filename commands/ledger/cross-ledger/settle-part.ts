import { exceptionOf, usedBy } from '#commands/ledger/account/block-exceptions.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import {
  needsTransaction,
  transactionBefore,
} from '#commands/ledger/transaction/load-transaction.ts';
import { bookLegs } from '#commands/ledger/transaction/booking.ts';
import { checkAccountsOpen, type Leg } from '#commands/ledger/transaction/legs.ts';
import {
  findTemplate,
  needsTemplate,
  templateOf,
  type RouteTemplate,
} from '#commands/ledger/transaction/route-lookup.ts';
import {
  cancelTransaction,
  commitLegs,
  commitTransaction,
} from '#commands/ledger/transaction/settle.ts';
import type { Amount } from '#src/kernel/amount.ts';
import type { Decision, Facts, Needs, Stamp } from '#src/kernel/decider.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import { NONE, type Revision, type Uuid } from '#src/kernel/ids.ts';
import { unreachable } from '#src/kernel/unreachable.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { ByException, TransactionRecord } from '#src/events/ledger/transaction.ts';
import { needsPart, recordedPart } from '#commands/ledger/state/reservations.ts';
import { routePart, wasRouted, withRoutes, type SiblingRoutes } from './participant-routing.ts';

/** The steps after a part was prepared. Each can be repeated, and then returns the step that was recorded. */
export type SettlePart = Readonly<{
  organizationId: Uuid;
  groupId: Uuid;
  transactionId: Uuid;
  /** The amount that leaves the ledger; negative if it enters. */
  bridge: Amount;
}> &
  /** Checks that a hold could be committed now, and records nothing. */
  (
    | (Readonly<{ type: 'CheckGroupCommit' }> & CommitChecks)
    /**
     * First phase of the commit of a hold: checks the part again and reserves what it needs. `attempt` is the revision
     * of the group's journal that opened the commit.
     */
    | (Readonly<{ type: 'BindGroupPart'; attempt: Revision }> & CommitChecks)
    /** Undoes the first phase. */
    | Readonly<{ type: 'UnbindGroupPart'; attempt: Revision }>
    /** Second phase: posts the part, which can no longer be refused. */
    | Readonly<{ type: 'PostGroupPart' }>
    /** Gives the part up; one that was not prepared yet never will be. `unlessPrepared` leaves one that was as it is. */
    | Readonly<{ type: 'CancelGroupPart'; unlessPrepared?: true }>
  );

/** The facts that a commit is checked against. */
type CommitChecks = Readonly<{
  siblings: SiblingRoutes;
  /** Lets one debit of the part pass a block; reserved for the part from now on. */
  accountBlockExceptionId?: Uuid | undefined;
}>;

export function needsSettlePart(
  ledger: Ledger,
  command: SettlePart,
  facts: Facts,
): Needs | undefined {
  const needs = needsPart(command.groupId, facts);
  if (needs !== undefined) return needs;
  const isHeld = ledger.pending.has(command.transactionId);
  const held = isHeld ? needsTransaction(ledger, command.transactionId, facts) : undefined;
  const part = recordedPart(command.groupId, facts);
  if (held !== undefined || part === undefined || part.event.type === 'GroupReleased') return held;
  return needsTemplate(ledger, part.event.data.transaction, facts);
}

export function settlePart(
  ledger: Ledger,
  command: SettlePart,
  facts: Facts,
  stamp: Stamp,
): Decision<LedgerEvent> {
  const { groupId } = command;
  const known = recordedPart(groupId, facts);
  if (known === undefined) {
    if (command.type === 'CancelGroupPart') return [neverPrepared(ledger, command)];
    throw refuse('GROUP_INCONSISTENT', 'A ledger of the group does not have its part.');
  }
  const { event, at } = known;
  const unchanged = { unchanged: event, at };
  if (event.type !== 'TransactionHeld' && event.type !== 'GroupPrepared') return unchanged;

  const isHeld = ledger.pending.has(command.transactionId);
  const before = isHeld
    ? transactionBefore(ledger, command.transactionId, facts)
    : event.data.transaction;
  const bound =
    event.type === 'GroupPrepared' ? event.data : { binding: false, attempt: undefined };
  switch (command.type) {
    case 'CheckGroupCommit':
      checkCommit(ledger, before, command, facts, stamp);
      return unchanged;
    case 'BindGroupPart': {
      if ((bound.attempt ?? NONE) >= command.attempt) return unchanged;
      const relies = checkCommit(ledger, before, command, facts, stamp);
      const by = { ...relies, ...usedBy(command.accountBlockExceptionId) };
      return [
        { type: 'GroupPrepared', data: { ...promise(before, command), binding: true, ...by } },
      ];
    }
    case 'UnbindGroupPart':
      // One that comes late must not undo the first phase of a later attempt.
      if ((bound.attempt ?? NONE) > command.attempt) return unchanged;
      if (bound.attempt === command.attempt && !bound.binding) return unchanged;
      return [{ type: 'GroupPrepared', data: { ...promise(before, command), binding: false } }];
    case 'PostGroupPart': {
      const direct = event.type === 'TransactionHeld' && event.data.direct;
      // Only the commit of a hold has an attempt.
      const isHold = event.type === 'GroupPrepared' && event.data.attempt !== undefined;
      const { legs, relies } = legsToPost(ledger, before, command, isHold, facts);
      const by = { ...relies, ...usedBy(event.data.accountBlockExceptionId) };
      if (!isHeld) return [posted(before, legs, by, stamp)];
      return [commitTransaction(before, legs, stamp, { ...(direct && { direct }), ...by })];
    }
    case 'CancelGroupPart':
      if (command.unlessPrepared) return unchanged;
      return [isHeld ? cancelTransaction(ledger, before, facts, stamp) : released(before)];
    default:
      return unreachable(command);
  }
}

const promise = (transaction: TransactionRecord, { attempt }: Readonly<{ attempt: Revision }>) => ({
  transaction,
  attempt,
});

/** Checks that the hold can be booked now and follows its route, if it followed one when it was held. */
function checkCommit(
  ledger: Ledger,
  before: TransactionRecord,
  { siblings, bridge, accountBlockExceptionId }: Extract<SettlePart, CommitChecks>,
  facts: Facts,
  stamp: Stamp,
): RouteTemplate['relies'] {
  const found = commitLegs(ledger, before);
  checkAccountsOpen(found, exceptionOf(ledger, accountBlockExceptionId, stamp.instant));
  const isRouted = wasRouted(ledger, before, found, { bridge, isHold: true });
  const template = isRouted ? templateOf(ledger, before, facts) : undefined;
  const crossing = { ...siblings, bridge, sides: ['debit'] } as const;
  const legs = template ? routePart(found, 'commit', template, crossing) : found;
  commitTransaction(before, legs, stamp);
  return template?.relies ?? {};
}

/** The legs of a part that uses up its reservations, whatever happened to its accounts in the meantime. */
function legsToPost(
  ledger: Ledger,
  before: TransactionRecord,
  { bridge }: SettlePart,
  isHold: boolean,
  facts: Facts,
): Readonly<{ legs: Leg[]; relies?: RouteTemplate['relies'] }> {
  const legs = commitLegs(ledger, before).map((leg): Leg => {
    return { ...leg, claimed: undefined, decided: true };
  });
  if (!wasRouted(ledger, before, legs, { bridge, isHold })) return { legs };
  const template = findTemplate(ledger, before, facts);
  if (template === undefined) return { legs };
  const action = isHold ? 'commit' : before.parentTransactionId === undefined ? 'direct' : 'revert';
  return { legs: withRoutes(legs, action, template, bridge), relies: template.relies };
}

/** A part that held nothing gets its operations only when it is posted. */
function posted(
  before: TransactionRecord,
  legs: readonly Leg[],
  by: RouteTemplate['relies'] & ByException,
  { instant }: Stamp,
): LedgerEvent {
  const { awaiting: _, ...record } = before;
  const operations = bookLegs('commit', before.id, legs, new Map());
  const times = { createdAt: instant, updatedAt: instant };
  const transaction = { ...record, status: 'APPROVED', operations, ...times } as const;
  return { type: 'TransactionPosted', data: { transaction, ...by } };
}

function released(part: Omit<Released, 'groupId'> & { groupId?: Uuid }): LedgerEvent {
  const { id, organizationId, ledgerId, parentTransactionId, groupId } = part;
  const reverting = parentTransactionId !== undefined && { parentTransactionId };
  const transaction = { id, organizationId, ledgerId, ...reverting, ...(groupId && { groupId }) };
  return { type: 'GroupReleased', data: { transaction } };
}
type Released = Extract<LedgerEvent, { type: 'GroupReleased' }>['data']['transaction'];

const neverPrepared = (
  { id: ledgerId, organizationId }: Ledger,
  { transactionId: id, groupId }: Pick<SettlePart, 'transactionId' | 'groupId'>,
): LedgerEvent => released({ id, organizationId, ledgerId, groupId });
