import { refuse } from '#src/domain/errors.ts';
import type { Uuid } from '#src/domain/ids.ts';
import type { GroupPart, GroupRecord } from '#src/events/group.ts';
import { acrossGroup } from './across.ts';
import { finishGroup } from './finish-group.ts';
import { checkHeld } from './group.ts';
import {
  asError,
  inTime,
  isGone,
  memberGone,
  persistently,
  settleIn,
  submitGroup,
  type GroupOutcome,
  type GroupSteps,
} from './steps.ts';

/**
 * Settles a group that is held, in all its ledgers or in none: each checks its part once more, then the group's journal
 * decides. Errors: what the first ledger refused, and the group is held as before; TRANSACTION_BUSY, GROUP_FINISHED,
 * GROUP_INCONSISTENT.
 */
export async function commitGroup(steps: GroupSteps, id: Uuid): Promise<GroupOutcome> {
  const found = await submitGroup(steps, id, { type: 'FindGroup' });
  checkHeld(found.group);
  const across = await acrossGroup(steps, found.group);
  const [refused] = await asked(steps, found.group, { type: 'CheckGroupCommit', across });
  if (refused !== undefined) throw refused; // What is refused now leaves no trace.

  const opened = await submitGroup(steps, id, { type: 'CommitGroup' });
  const bind = { type: 'BindGroupPart', attempt: opened.revision, across } as const;
  const errors = await asked(steps, opened.group, bind);
  const status = errors.length === 0 ? 'POSTING' : 'RELEASING';
  const decide = { type: 'DecideGroup', opened: opened.revision, status } as const;
  const decided = await persistently(steps, () => submitGroup(steps, id, decide));
  if (decided.group.status !== 'HELD') {
    const outcome = await finishGroup(steps, decided);
    if (outcome.group.status === 'POSTED') return outcome;
  }
  throw errors.find((error) => error !== undefined) ?? notInTime();
}

/** Gives back what a held group holds. Errors: TRANSACTION_BUSY, GROUP_FINISHED, GROUP_INCONSISTENT. */
export async function cancelGroup(steps: GroupSteps, id: Uuid): Promise<GroupOutcome> {
  const decided = await submitGroup(steps, id, { type: 'CancelGroup' });
  const { steps: done, ...outcome } = await finishGroup(steps, decided);
  return { ...outcome, steps: done.filter(({ step }) => step.type === 'TransactionCanceled') };
}

/** What speaks against the commit, in the order of the parts; undefined for a ledger that did not answer in time. */
async function asked(
  steps: GroupSteps,
  group: GroupRecord,
  step: Parameters<typeof settleIn>[3],
): Promise<(Error | undefined)[]> {
  const left = new Map<GroupPart, Error | undefined>(group.parts.map((part) => [part, undefined]));
  const ask = async (part: GroupPart): Promise<void> => {
    try {
      await settleIn(steps, group, part, step);
      left.delete(part);
    } catch (error) {
      left.set(part, isGone(error) ? memberGone() : asError(error));
    }
  };
  await inTime(steps, Promise.all(group.parts.map(ask)));
  return [...left.values()];
}

const notInTime = () =>
  refuse('UNAVAILABLE', 'The ledgers of the group did not answer in time; it is held as before.', {
    retryAfterSeconds: 1,
  });
