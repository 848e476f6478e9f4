import { liveException } from '#commands/ledger/account/block-exceptions.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import {
  needsTransaction,
  transactionBefore,
} from '#commands/ledger/transaction/load-transaction.ts';
import type { Decision, Facts, Needs } from '#src/kernel/decider.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import { needsPart, recordedPart } from '#commands/ledger/state/reservations.ts';

/**
 * Reads from a ledger without recording anything: a block exception that can be used, the last image of a transaction,
 * the last step of a part, or the step at a known revision.
 */
export type FindPart =
  | Readonly<{ type: 'FindBlockException'; organizationId: Uuid; exceptionId: Uuid }>
  | Readonly<{ type: 'FindMember'; organizationId: Uuid; transactionId: Uuid }>
  | Readonly<{ type: 'FindGroupPart'; organizationId: Uuid; groupId: Uuid }>
  | Readonly<{ type: 'RecallGroupPart'; organizationId: Uuid; revision: Revision }>;

export function needsFindPart(ledger: Ledger, command: FindPart, facts: Facts): Needs | undefined {
  if (command.type === 'FindBlockException') return undefined;
  if (command.type === 'FindMember') return needsTransaction(ledger, command.transactionId, facts);
  if (command.type === 'FindGroupPart') return needsPart(command.groupId, facts);
  const { revision } = command;
  return facts.event(revision) === undefined ? { events: [revision] } : undefined;
}

/** Errors: NOT_FOUND, EXCEPTION_NOT_USABLE. */
export function findPart(ledger: Ledger, command: FindPart, facts: Facts): Decision<LedgerEvent> {
  if (command.type === 'FindBlockException') {
    liveException(ledger, command.exceptionId);
    return [];
  }
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
