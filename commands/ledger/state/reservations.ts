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

/** Parts of groups that are to be posted or given up, by group; no other decision may take what they need. */
export type Reservations = Map<Uuid, Reservation>;
export type Reservation = Readonly<{
  transactionId: Uuid;
  /** The legs that it will credit, and those that it will debit without a hold. */
  legs: readonly BoundLeg[];
  /** The block exception that lets one of its debits pass, reserved for the part. */
  exceptionId?: Uuid;
}>;
type BoundLeg = Readonly<{ accountId: Uuid; key: string; direction: Side; amount: string }>;

/** The last step of a part in this ledger. */
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

/** Errors: ACCOUNT_HELD while a part of a group is going to move the account. */
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
 * The amount that parts will take from a balance that credits lower; undefined for any other balance, and if there are
 * no parts, which is the usual case.
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

/** Errors: ACCOUNT_HELD while a part of a group is going to move any account of the ledger. */
export function checkAwaitsNone(parts: Reservations): void {
  if (parts.size > 0) throw held('The ledger');
}

const held = (what: string): Refusal =>
  refuse('ACCOUNT_HELD', `${what} awaits a part of a group that is being posted.`);

/** Looks up the last step of a part. */
export function needsPart(groupId: Uuid, facts: Facts): Needs | undefined {
  const revision = facts.revisionOf(partName(groupId));
  if (revision === undefined) return { names: [partName(groupId)] };
  if (revision === null || facts.event(revision) !== undefined) return undefined;
  return { events: [revision] };
}

/** The last step of a part; undefined if the ledger has no part of the group. */
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
