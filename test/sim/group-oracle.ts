import type { GroupPartEvent, GroupRecord, GroupStatus } from '#src/events/ledger/group.ts';
import type { TransactionEvent, TransactionRecord } from '#src/events/ledger/transaction.ts';
import { imageOf, units, type BookedGroup, type BookedLedger, type PartState } from './booked.ts';
import { assertThat } from './log-oracle.ts';

type Ledgers = ReadonlyMap<string, BookedLedger>;

/** Throws when the group's journal records a status that the parts in its ledgers do not allow. */
export function checkGroupStatus({ id, status, parts }: GroupRecord, ledgers: Ledgers): void {
  for (const { ledgerId } of parts) {
    const is = ledgers.get(ledgerId)?.parts.get(id) ?? 'absent';
    const isDue = DUE[status]?.includes(is) ?? true;
    assertThat(isDue, `Group ${id} is ${status}, ${is} in ${ledgerId}`);
  }
}

/** The states of every part when the group has come so far. */
const DUE: Readonly<Partial<Record<GroupStatus, readonly (PartState | 'absent')[]>>> = {
  HELD: ['prepared'],
  POSTING: ['bound'],
  POSTED: ['posted'],
  CANCELED: ['released', 'absent'],
};

export function partStateAfter(step: TransactionEvent | GroupPartEvent): PartState {
  switch (step.type) {
    case 'TransactionHeld':
      return step.data.direct === true ? 'bound' : 'prepared';
    case 'GroupPrepared':
      return step.data.binding ? 'bound' : 'prepared';
    case 'TransactionPosted':
    case 'TransactionCommitted':
      return 'posted';
    case 'TransactionCanceled':
    case 'GroupReleased':
      return 'released';
    default:
      throw new Error(`${step.type} is no step of a group`);
  }
}

/** Once nothing is under way any more: each group is in all of its ledgers, or in none, and all that left them arrived. */
export function checkGroupsEnded(groups: ReadonlyMap<string, BookedGroup>, ledgers: Ledgers): void {
  for (const { id, record } of groups.values()) {
    const { status, parts, assetCode } = record;
    assertThat(status === 'POSTED' || status === 'CANCELED', `Group ${id} ends ${status}`);
    checkGroupStatus(record, ledgers);
    if (status !== 'POSTED') continue;
    const moved = parts.reduce((sum, { ledgerId, transactionId }) => {
      const member = ledgers.get(ledgerId)?.transactions.get(transactionId);
      if (member === undefined) throw new Error(`Group ${id} has no member in ${ledgerId}`);
      return sum + bridged(imageOf(member).record, assetCode);
    }, 0n);
    assertThat(moved === 0n, `Group ${id}: ${moved} of ${assetCode} never arrived`);
  }
}

/** The amount that left a ledger by a member of a group; it moves nothing else on the external account here. */
const bridged = ({ operations }: TransactionRecord, asset: string): bigint =>
  operations
    .filter(({ accountAlias }) => accountAlias === `@external/${asset}`)
    .reduce((sum, { direction, amount }) => {
      return sum + (direction === 'credit' ? units(amount) : -units(amount));
    }, 0n);
