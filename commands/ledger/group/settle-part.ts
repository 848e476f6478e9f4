import type { Ledger } from '#commands/ledger/ledger-state.ts';
import { needsTransaction, transactionBefore } from '#commands/ledger/transaction/before.ts';
import { bookLegs } from '#commands/ledger/transaction/booking.ts';
import { checkOpen, type Leg } from '#commands/ledger/transaction/legs.ts';
import {
  cancelTransaction,
  commitLegs,
  commitTransaction,
} from '#commands/ledger/transaction/settle.ts';
import type { Decision, Facts, Needs, Stamp } from '#src/domain/decider.ts';
import { refuse } from '#src/domain/errors.ts';
import type { Revision, Uuid } from '#src/domain/ids.ts';
import { unreachable } from '#src/domain/unreachable.ts';
import type { LedgerEvent, TransactionRecord } from '#src/events/ledger.ts';
import { needsPart, recordedPart } from './parts.ts';

/** What becomes of a part that was prepared. Each can be repeated: the step that was taken is the answer. */
export type SettlePart = Readonly<{
  organizationId: Uuid;
  groupId: Uuid;
  transactionId: Uuid;
}> &
  /** Whether a hold could be committed now. Nothing is recorded. */
  (
    | Readonly<{ type: 'CheckGroupCommit' }>
    | Readonly<{
        /**
         * Step 1 of the commit of a hold, or its undoing: the part is checked once more, and nothing may take away what
         * it needs. `attempt`: where the group's journal opened the commit.
         */
        type: 'BindGroupPart' | 'UnbindGroupPart';
        attempt: Revision;
      }>
    /** Step 2: it is no longer refused. */
    | Readonly<{ type: 'PostGroupPart' }>
    /** Also before it was prepared: then it never will be. */
    | Readonly<{ type: 'CancelGroupPart' }>
  );

export function needsSettlePart(
  ledger: Ledger,
  command: SettlePart,
  facts: Facts,
): Needs | undefined {
  const needs = needsPart(command.groupId, facts);
  if (needs !== undefined || !ledger.pending.has(command.transactionId)) return needs;
  return needsTransaction(ledger, command.transactionId, facts);
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
      checkCommit(ledger, before, stamp);
      return unchanged;
    case 'BindGroupPart':
      if ((bound.attempt ?? -1) >= command.attempt) return unchanged;
      checkCommit(ledger, before, stamp);
      return [{ type: 'GroupPrepared', data: { ...promise(before, command), binding: true } }];
    case 'UnbindGroupPart':
      if (bound.attempt === command.attempt && !bound.binding) return unchanged;
      return [{ type: 'GroupPrepared', data: { ...promise(before, command), binding: false } }];
    case 'PostGroupPart': {
      const direct = event.type === 'TransactionHeld' && event.data.direct;
      if (!isHeld) return [posted(ledger, before, stamp)];
      return [
        commitTransaction(before, decidedLegs(ledger, before), stamp, {
          ...(direct && { direct }),
        }),
      ];
    }
    case 'CancelGroupPart':
      return [isHeld ? cancelTransaction(ledger, before, stamp) : released(before)];
    default:
      return unreachable(command);
  }
}

const promise = (transaction: TransactionRecord, { attempt }: Readonly<{ attempt: Revision }>) => ({
  transaction,
  attempt,
});

/** The checks of a commit: it could be booked now. */
function checkCommit(ledger: Ledger, before: TransactionRecord, stamp: Stamp): void {
  const legs = commitLegs(ledger, before);
  checkOpen(legs);
  commitTransaction(before, legs, stamp);
}

/** What was kept for the part is taken, whatever was set or has come meanwhile. */
const decidedLegs = (ledger: Ledger, before: TransactionRecord): Leg[] =>
  commitLegs(ledger, before).map((leg) => ({ ...leg, claimed: undefined, decided: true }));

/** What nothing was held for appears when it is posted. */
function posted(ledger: Ledger, before: TransactionRecord, { instant }: Stamp): LedgerEvent {
  const { awaiting: _, ...record } = before;
  const operations = bookLegs('commit', before.id, decidedLegs(ledger, before), new Map());
  const times = { createdAt: instant, updatedAt: instant };
  const transaction = { ...record, status: 'APPROVED', operations, ...times } as const;
  return { type: 'TransactionPosted', data: { transaction } };
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
  { transactionId: id, groupId }: SettlePart,
): LedgerEvent => released({ id, organizationId, ledgerId, groupId });

/** The last step of a part, or the one that is recorded somewhere; or the last image of a transaction. */
export type FindPart =
  | Readonly<{ type: 'FindMember'; organizationId: Uuid; transactionId: Uuid }>
  | Readonly<{ type: 'FindGroupPart'; organizationId: Uuid; groupId: Uuid }>
  | Readonly<{ type: 'RecallGroupPart'; organizationId: Uuid; revision: Revision }>;

export function needsFound(ledger: Ledger, command: FindPart, facts: Facts): Needs | undefined {
  if (command.type === 'FindMember') return needsTransaction(ledger, command.transactionId, facts);
  if (command.type === 'FindGroupPart') return needsPart(command.groupId, facts);
  const { revision } = command;
  return facts.event(revision) === undefined ? { events: [revision] } : undefined;
}

export function findPart(ledger: Ledger, command: FindPart, facts: Facts): Decision<LedgerEvent> {
  if (command.type === 'FindMember') {
    const transaction = transactionBefore(ledger, command.transactionId, facts);
    return { unchanged: { type: 'TransactionUpdated', data: { transaction, changed: [] } } };
  }
  if (command.type === 'FindGroupPart') {
    const found = recordedPart(command.groupId, facts);
    return found === undefined ? [] : { unchanged: found.event, at: found.at };
  }
  const { revision } = command;
  return { unchanged: facts.event(revision) as LedgerEvent, at: revision };
}
