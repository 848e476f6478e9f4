import type {
  GroupEvent,
  GroupPartEvent,
  GroupRecord,
  GroupStatus,
} from '#src/events/ledger/group.ts';
import type { TransactionEvent, TransactionRecord } from '#src/events/ledger/transaction.ts';
import {
  recordOf,
  stateOf,
  units,
  type BookedGroup,
  type BookedLedger,
  type BookedPart,
} from './booked.ts';
import { assertThat } from './log-oracle.ts';

type Groups = Map<string, BookedGroup>;
type Ledgers = ReadonlyMap<string, BookedLedger>;

/** Books one event of a group's own journal. Throws when it is not what may follow, or not what its ledgers have come to. */
export function bookGroup(
  groups: Groups,
  ledgers: Ledgers,
  { type, data: { group } }: GroupEvent,
  revision: number,
): void {
  const at = `group ${group.id} revision ${revision}, ${type}`;
  const known = groups.get(group.id);
  const before = known && recordOf(known);
  const allowed = WAYS[before?.status ?? 'none'];
  assertThat(
    allowed.includes(group.status),
    `${at}: ${group.status} after ${before?.status ?? 'none'}`,
  );
  if (before === undefined) {
    const sum = group.parts.reduce((total, { bridge }) => total + units(bridge), 0n);
    assertThat(sum === 0n, `${at}: ${sum} of ${group.assetCode} crosses borders and never arrives`);
    const places = new Set(group.parts.map(({ ledgerId }) => ledgerId));
    assertThat(places.size === group.parts.length, `${at}: two parts in one ledger`);
    groups.set(group.id, { id: group.id, images: [{ revision, record: group }] });
    return;
  }
  assertThat(fixedOf(group) === fixedOf(before), `${at}: changes what never changes`);
  known?.images.push({ revision, record: group });
  for (const { ledgerId } of group.parts) {
    const part = ledgers.get(ledgerId)?.parts.get(group.id);
    const is = part === undefined ? 'absent' : stateOf(part);
    const due = DUE[group.status];
    assertThat(
      due === undefined || due.includes(is),
      `${at}: ${group.status}, ${is} in ${ledgerId}`,
    );
  }
}

const WAYS: Readonly<Record<GroupStatus | 'none', readonly GroupStatus[]>> = {
  none: ['OPENED'],
  OPENED: ['HELD', 'POSTING', 'CANCELING'],
  HELD: ['COMMITTING', 'CANCELING'],
  COMMITTING: ['POSTING', 'RELEASING'],
  POSTING: ['POSTED'],
  CANCELING: ['CANCELED'],
  RELEASING: ['HELD'],
  POSTED: [],
  CANCELED: [],
};

/** What every part is when the group has come so far. */
const DUE: Readonly<Partial<Record<GroupStatus, readonly string[]>>> = {
  HELD: ['prepared'],
  POSTING: ['bound'],
  POSTED: ['posted'],
  CANCELED: ['released', 'absent'],
};

type Step = GroupPartEvent | TransactionEvent;

/** Books what a step makes of a ledger's part; none before the group has decided it. */
export function bookPart(groups: Groups, ledger: BookedLedger, step: Step, revision: number): void {
  const { groupId = '', id, parentTransactionId: parent } = step.data.transaction;
  const group = groups.get(groupId);
  const at = `${ledger.journal} revision ${revision}, ${step.type} of group ${groupId}`;
  if (group === undefined) throw new Error(`${at}: there is no such group`);
  const reverted = ledger.transactions.get(parent ?? '');
  if (step.type !== 'TransactionUpdated' && step.type !== 'OperationUpdated') {
    if (reverted !== undefined) reverted.reversalAt = revision;
  }
  const is = stateAfter(step);
  if (is === undefined) return;
  const known = ledger.parts.get(groupId);
  const was = known === undefined ? 'absent' : stateOf(known);
  const { status } = recordOf(group);
  assertThat(FROM[is].includes(was), `${at}: ${is} after ${was}`);
  const meanwhile: readonly GroupStatus[] = WHILE[`${is} after ${was}`] ?? WHILE[is] ?? [];
  assertThat(meanwhile.includes(status), `${at}: ${is} while the group is ${status}`);
  if (known !== undefined) {
    assertThat(known.transactionId === id, `${at}: as another transaction`);
    known.states.push({ revision, is });
    return;
  }
  const { operations = [], awaiting = [] } = step.data.transaction as Partial<TransactionRecord>;
  const accounts = new Set([...operations, ...awaiting].map(({ accountAlias }) => accountAlias));
  const part: BookedPart = { transactionId: id, accounts, states: [{ revision, is }] };
  ledger.parts.set(groupId, part);
}

function stateAfter(step: Step): 'prepared' | 'bound' | 'posted' | 'released' | undefined {
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
      return undefined; // Its words.
  }
}

const FROM: Readonly<Record<BookedPart['states'][number]['is'], readonly string[]>> = {
  prepared: ['absent', 'bound', 'prepared'],
  bound: ['absent', 'prepared', 'bound'],
  posted: ['bound'],
  released: ['absent', 'prepared', 'bound'],
};

/** A part may be prepared, or bound, late: after somebody else has given the group up. It is released then. */
const WHILE: Readonly<Record<string, readonly GroupStatus[]>> = {
  'prepared after absent': ['OPENED', 'CANCELING'],
  prepared: ['RELEASING'],
  'bound after absent': ['OPENED', 'CANCELING'],
  bound: ['COMMITTING', 'RELEASING'],
  posted: ['POSTING'],
  'released after absent': ['CANCELING', 'CANCELED'],
  released: ['CANCELING'],
};

const fixedOf = ({ status: _, parts, ...group }: GroupRecord): string =>
  JSON.stringify([group, parts.map(({ createdAt: __, ...part }) => part)]);

/** Of all groups, when nothing is under way any more: each is in all of its ledgers, or in none. */
export function checkGroupsEnded(groups: Groups, ledgers: Ledgers): void {
  for (const group of groups.values()) {
    const { id, status, parts, assetCode } = recordOf(group);
    assertThat(status === 'POSTED' || status === 'CANCELED', `Group ${id} ends ${status}`);
    for (const { ledgerId } of parts) {
      const part = ledgers.get(ledgerId)?.parts.get(id);
      const is = part === undefined ? 'absent' : stateOf(part);
      assertThat(
        DUE[status]?.includes(is) === true,
        `Group ${id} is ${status}, ${is} in ${ledgerId}`,
      );
    }
    if (status !== 'POSTED') continue;
    const moved = parts.reduce((sum, { ledgerId, transactionId }) => {
      const member = ledgers.get(ledgerId)?.transactions.get(transactionId)?.images.at(-1)?.record;
      return sum + bridged(member, assetCode);
    }, 0n);
    const asked = parts.reduce((sum, { bridge }) => sum + units(bridge), 0n);
    assertThat(asked === 0n && moved === 0n, `Group ${id}: ${moved} of ${assetCode} never arrived`);
  }
}

/** What left a ledger by a member of a group: it moves nothing else on the world outside here. */
function bridged(member: TransactionRecord | undefined, asset: string): bigint {
  if (member === undefined) throw new Error('A member of a posted group is not there');
  const bridge = member.operations.filter(
    ({ accountAlias }) => accountAlias === `@external/${asset}`,
  );
  return bridge.reduce((sum, { direction, amount }) => {
    return sum + (direction === 'credit' ? units(amount) : -units(amount));
  }, 0n);
}
