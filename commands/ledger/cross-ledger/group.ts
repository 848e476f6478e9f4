import type { Decider, Decision, JournalOf } from '#src/kernel/decider.ts';
import type { Refusal } from '#src/kernel/errors.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import { NONE, type Revision, type Uuid } from '#src/kernel/ids.ts';
import { groupJournal } from '#src/kernel/journal-name.ts';
import { unreachable } from '#src/kernel/unreachable.ts';
import type { GroupEvent, GroupRecord, GroupStatus } from '#src/events/ledger/group.ts';

/** Every command can be repeated: one that comes too late changes nothing and returns the group as it is. */
export type GroupCommand =
  | Readonly<{ type: 'OpenGroup'; group: Omit<GroupRecord, 'status'> }>
  /** Errors: TRANSACTION_BUSY, GROUP_FINISHED, unless the group is held. */
  | Readonly<{ type: 'CommitGroup' | 'CancelGroup' }>
  /** Only the first decision after revision `opened` counts. */
  | Readonly<{
      type: 'DecideGroup';
      opened: Revision;
      status: GroupDecision;
      created?: CreatedRevisions;
    }>
  /** Records that the decision at revision `decided` has been carried out. */
  | Readonly<{ type: 'FinishGroup'; decided: Revision; created?: CreatedRevisions }>
  | Readonly<{ type: 'FindGroup' }>;

/** The possible decisions about an open group. */
export type GroupDecision = 'HELD' | 'POSTING' | 'CANCELING' | 'RELEASING';

/** The revision that created each ledger's part. */
export type CreatedRevisions = ReadonlyMap<Uuid, Revision>;

export type GroupJournal = JournalOf<GroupCommand, GroupEvent>;
export const journalOfGroup = (id: Uuid): GroupJournal => ({ name: groupJournal(id) });

/** The last event and its revision. */
export type GroupState = { last: GroupEvent | undefined; revision: Revision };

/**
 * The coordinator's decisions about a transaction over several ledgers. Several processes may work on a group at once:
 * the first decision in its journal is the one that every ledger carries out.
 */
export const groupDecider: Decider<GroupState, GroupCommand, GroupEvent> = {
  category: 'group',
  snapshotVersion: 1,

  initialState: () => ({ last: undefined, revision: NONE }),

  needs: () => undefined,

  decide(state, command) {
    const { last, revision } = state;
    if (last === undefined) {
      if (command.type !== 'OpenGroup') throw missing();
      return [{ type: 'GroupOpened', data: { group: opened(command.group) } }];
    }
    const { group } = last.data;
    const unchanged: Decision<GroupEvent> = { unchanged: last, at: revision };
    switch (command.type) {
      case 'OpenGroup':
      case 'FindGroup':
        return unchanged;
      case 'CommitGroup':
        checkHeld(group);
        return [{ type: 'GroupCommitOpened', data: { group: { ...group, status: 'COMMITTING' } } }];
      case 'CancelGroup':
        checkHeld(group);
        return [{ type: 'GroupDecided', data: { group: { ...group, status: 'CANCELING' } } }];
      case 'DecideGroup': {
        if (!isOpen(group) || command.opened !== revision) return unchanged;
        const decided = { ...withCreation(group, command.created), status: command.status };
        return [{ type: 'GroupDecided', data: { group: decided } }];
      }
      case 'FinishGroup': {
        const status = AFTER[group.status];
        if (status === undefined || command.decided !== revision) return unchanged;
        const finished = { ...withCreation(group, command.created), status };
        return [{ type: 'GroupFinished', data: { group: finished } }];
      }
      default:
        return unreachable(command);
    }
  },

  evolve(state, event, revision) {
    state.last = event;
    state.revision = revision;
  },

  fact: ({ last }) => last && { live: true },

  toSnapshot: (state) => [JSON.stringify(state)],
  fromSnapshot(chunks) {
    const [chunk = ''] = chunks;
    return { last: undefined, ...(JSON.parse(chunk) as Partial<GroupState>) } as GroupState;
  },
};

/** Returns true while the group waits for a decision. */
export const isOpen = ({ status }: Pick<GroupRecord, 'status'>): boolean =>
  status === 'OPENED' || status === 'COMMITTING';

/** Returns true if the group is decided, and perhaps not carried out in every ledger. */
export const isUnfinished = ({ status }: Pick<GroupRecord, 'status'>): boolean =>
  AFTER[status] !== undefined;

/** The status after a decision has been carried out. */
const AFTER: Readonly<Partial<Record<GroupStatus, GroupStatus>>> = {
  POSTING: 'POSTED',
  CANCELING: 'CANCELED',
  RELEASING: 'HELD',
};

const opened = (group: Omit<GroupRecord, 'status'>): GroupRecord => ({
  id: group.id,
  ...(group.revertedGroupId !== undefined && { revertedGroupId: group.revertedGroupId }),
  action: group.action,
  assetCode: group.assetCode,
  status: 'OPENED',
  parts: group.parts,
});

const withCreation = (group: GroupRecord, created: CreatedRevisions | undefined): GroupRecord => ({
  ...group,
  parts: group.parts.map((part) => {
    const createdAt = created?.get(part.ledgerId);
    return createdAt === undefined ? part : { ...part, createdAt };
  }),
});

/** Errors: TRANSACTION_BUSY, GROUP_FINISHED. */
export function checkHeld({ status }: GroupRecord): void {
  if (status === 'HELD') return;
  if (status === 'POSTED' || status === 'CANCELED') throw finished(status);
  throw refuse('TRANSACTION_BUSY', `The group is ${status}.`);
}

export const finished = (status: GroupStatus): Refusal =>
  refuse('GROUP_FINISHED', `The group is ${status}.`);

const missing = (): Refusal => refuse('GROUP_INCONSISTENT', 'There is no such group.');
