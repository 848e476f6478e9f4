import { refuse } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { GroupPart, GroupRecord } from '#src/events/ledger/group.ts';
import { routesInGroup } from './sibling-routes.ts';
import { findExceptionOwner } from './exception-owner.ts';
import { finishGroup } from './finish-group.ts';
import { checkHeld } from '#commands/ledger/cross-ledger/group.ts';
import {
  asError,
  withinDeadline,
  isGone,
  ledgerGone,
  retry,
  submitSettle,
  submitGroup,
  type GroupOutcome,
  type SettleStep,
} from './steps.ts';
import type { Steps } from '#src/journal/steps.ts';

/**
 * Commits a held group, in all its ledgers or in none: each ledger checks its part again, then the group's journal
 * decides. Errors: the refusal of the first ledger that refused, which leaves the group held; TRANSACTION_BUSY,
 * GROUP_FINISHED, GROUP_INCONSISTENT.
 */
export async function commitGroup(
  steps: Steps,
  id: Uuid,
  accountBlockExceptionId?: Uuid,
): Promise<GroupOutcome> {
  const found = await submitGroup(steps, id, { type: 'FindGroup' });
  checkHeld(found.group);
  const siblings = await routesInGroup(steps, found.group);
  const exceptionOf = await findExceptionOwner(steps, found.group.parts, accountBlockExceptionId);
  const [refused] = await refusalsOf(steps, found.group, ({ ledgerId }) => {
    return { type: 'CheckGroupCommit', siblings, ...exceptionOf(ledgerId) };
  });
  if (refused !== undefined) throw refused; // A refusal by this first check leaves no event.

  const opened = await submitGroup(steps, id, { type: 'CommitGroup' });
  const errors = await refusalsOf(steps, opened.group, ({ ledgerId }) => {
    return { type: 'BindGroupPart', attempt: opened.revision, siblings, ...exceptionOf(ledgerId) };
  });
  const status = errors.length === 0 ? 'POSTING' : 'RELEASING';
  const decide = { type: 'DecideGroup', opened: opened.revision, status } as const;
  const decided = await retry(steps, () => submitGroup(steps, id, decide));
  if (decided.group.status !== 'HELD') {
    const outcome = await finishGroup(steps, decided);
    if (outcome.group.status === 'POSTED') return outcome;
  }
  throw errors.find((error) => error !== undefined) ?? notInTime();
}

/** Releases what a held group holds. Errors: TRANSACTION_BUSY, GROUP_FINISHED, GROUP_INCONSISTENT. */
export async function cancelGroup(steps: Steps, id: Uuid): Promise<GroupOutcome> {
  const decided = await submitGroup(steps, id, { type: 'CancelGroup' });
  const { steps: done, ...outcome } = await finishGroup(steps, decided);
  return { ...outcome, steps: done.filter(({ step }) => step.type === 'TransactionCanceled') };
}

/** Returns the refusals of a commit, in the order of the parts; undefined for a ledger that did not reply in time. */
async function refusalsOf(
  steps: Steps,
  group: GroupRecord,
  stepOf: (part: GroupPart) => SettleStep,
): Promise<(Error | undefined)[]> {
  const left = new Map<GroupPart, Error | undefined>(group.parts.map((part) => [part, undefined]));
  const ask = async (part: GroupPart): Promise<void> => {
    try {
      await submitSettle(steps, group, part, stepOf(part));
      left.delete(part);
    } catch (error) {
      left.set(part, isGone(error) ? ledgerGone() : asError(error));
    }
  };
  await withinDeadline(steps, Promise.all(group.parts.map(ask)));
  return [...left.values()];
}

const notInTime = () =>
  refuse('UNAVAILABLE', 'The ledgers of the group did not answer in time; it is held as before.', {
    retryAfterSeconds: 1,
  });
