import type { Account, Balance } from './book.ts';
import { add, parseAmount, ZERO, type Amount } from '#src/kernel/amount.ts';
import type { Facts, Needs } from '#src/kernel/decider.ts';
import type { Refusal } from '#src/kernel/errors.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import { detached } from '#src/kernel/detached.ts';
import type { Side } from '#src/events/shared.ts';
import type { GroupPartEvent } from '#src/events/ledger/group.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { ByException, TransactionRecord } from '#src/events/ledger/transaction.ts';

/** Parts of groups that are to be posted or given up, by their group: what they need may not be taken away. */
export type Reservations = Map<Uuid, Reservation>;
export type Reservation = Readonly<{
  transactionId: Uuid;
  /** What it will credit, and what it will debit without a hold. */
  legs: readonly BoundLeg[];
  /** The exception from a block that lets one of its debits pass: nobody else may use it. */
  exceptionId?: Uuid;
}>;
type BoundLeg = Readonly<{ accountId: Uuid; key: string; direction: Side; amount: string }>;

/** What is recorded of a part: its last step in this ledger. */
export type PartEvent = Extract<
  LedgerEvent,
  {
    type:
      | 'TransactionHeld'
      | 'TransactionPosted'
      | 'TransactionCommitted'
      | 'TransactionCanceled'
      | GroupPartEvent['type'];
  }
>;

export function evolveReservations(parts: Reservations, event: PartEvent): void {
  const { groupId } = event.data.transaction;
  if (groupId === undefined) return;
  if (isBinding(event)) parts.set(detached(groupId), boundBy(event.data));
  else parts.delete(groupId);
}

const isBinding = (
  event: PartEvent,
): event is Extract<PartEvent, { type: 'TransactionHeld' | 'GroupPrepared' }> =>
  (event.type === 'TransactionHeld' && event.data.direct === true) ||
  (event.type === 'GroupPrepared' && event.data.binding);

const boundBy = ({
  transaction: { id, awaiting = [] },
  accountBlockExceptionId: exceptionId,
}: Readonly<{ transaction: TransactionRecord }> & ByException): Reservation => ({
  transactionId: detached(id),
  ...(exceptionId !== undefined && { exceptionId: detached(exceptionId) }),
  legs: awaiting.map(({ accountId, balanceKey, direction, amount }): BoundLeg => ({
    accountId: detached(accountId),
    key: detached(balanceKey),
    direction: direction ?? 'credit',
    amount: detached(amount),
  })),
});

/** Errors: ACCOUNT_HELD while the account awaits a part of a group. */
export function checkAwaitsNothing(parts: Reservations, id: Uuid, alias: string): void {
  if (awaitsPart(parts, id)) throw held(alias);
}

export function awaitsPart(parts: Reservations, accountId: Uuid): boolean {
  for (const { legs } of parts.values()) {
    if (legs.some((leg) => leg.accountId === accountId)) return true;
  }
  return false;
}

/**
 * What parts will take of a balance that credits lower; undefined for every other one, and while there are no parts,
 * which is the rule.
 */
export function claimOn(
  parts: Reservations,
  { id, external }: Account,
  { key, direction }: Balance,
): Amount | undefined {
  if (parts.size === 0 || direction === 'credit' || external) return undefined;
  let claimed = ZERO;
  for (const { legs } of parts.values()) {
    for (const leg of legs) {
      const isOn = leg.accountId === id && leg.key === key && leg.direction === 'credit';
      if (isOn) claimed = add(claimed, parseAmount(leg.amount));
    }
  }
  return claimed;
}

/** Errors: ACCOUNT_HELD while any of its accounts does. */
export function checkAwaitsNone(parts: Reservations): void {
  if (parts.size > 0) throw held('The ledger');
}

const held = (what: string): Refusal =>
  refuse('ACCOUNT_HELD', `${what} awaits a part of a group that is being posted.`);

/** What finding the last step of a part takes. */
export function needsPart(groupId: Uuid, facts: Facts): Needs | undefined {
  const revision = facts.revisionOf(partName(groupId));
  if (revision === undefined) return { names: [partName(groupId)] };
  if (revision === null || facts.event(revision) !== undefined) return undefined;
  return { events: [revision] };
}

/** The last step of a part; undefined when the ledger never heard of the group. */
export function recordedPart(
  groupId: Uuid,
  facts: Facts,
): Readonly<{ event: PartEvent; at: Revision }> | undefined {
  const at = facts.revisionOf(partName(groupId)) ?? null;
  if (at === null) return undefined;
  const event = facts.event(at) as PartEvent | undefined;
  if (event?.data.transaction.groupId !== groupId)
    throw new Error(`No part of ${groupId} at ${at}`);
  return { event, at };
}

const partName = (key: Uuid) => ({ kind: 'group', key }) as const;
