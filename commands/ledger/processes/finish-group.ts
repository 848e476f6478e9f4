import { journalOfLedger } from '#commands/ledger/journals.ts';
import { unreachable } from '#src/kernel/unreachable.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import { ownerOf } from '#src/kernel/journal-name.ts';
import type { GroupEvent, GroupPart } from '#src/events/ledger/group.ts';
import { crossLedger } from '#src/events/ledger/open-processes.ts';
import type { Process } from '#src/journal/process.ts';
import { isOpen, isUnfinished } from '#commands/ledger/cross-ledger/group.ts';
import {
  isGone,
  retry,
  submitSettle,
  submitGroup,
  UNDECIDED_MS,
  type GroupOutcome,
  type GroupSteps,
  type PartStep,
  type RecordedGroup,
} from './steps.ts';

/**
 * Does in every ledger what was decided, and records that it is done. Any number of processes may do so at once, and
 * again after a crash: every step is taken once, and what was recorded is its answer. `except`: ledgers that have nothing to give back and never will, of
 * which only the process knows that asked them.
 */
export async function finishGroup(
  steps: GroupSteps,
  { group, revision: decided }: RecordedGroup,
  except: ReadonlySet<Uuid> = new Set(),
): Promise<GroupOutcome> {
  const concerned = group.parts.filter(({ ledgerId }) => !except.has(ledgerId));
  const done = await Promise.all(
    concerned.map(async (part) => {
      const step = await retry(steps, () => carryOut(steps, { group, revision: decided }, part));
      return step && { order: part.order, step };
    }),
  );
  const found = done.filter((one) => one !== undefined);
  const isCreation = group.status === 'POSTING' && !wasCreated(group);
  const created = new Map(found.map(({ step }) => [step.data.transaction.ledgerId, step.revision]));
  const finish = { type: 'FinishGroup', decided, ...(isCreation && { created }) } as const;
  const { group: after } = await retry(steps, () => submitGroup(steps, group.id, finish));
  return { group: after, steps: found, replayed: false };
}

/** Undefined where there is nothing to do any more. */
async function carryOut(
  steps: GroupSteps,
  { group, revision }: RecordedGroup,
  part: GroupPart,
): Promise<PartStep | undefined> {
  switch (group.status) {
    case 'POSTING':
    case 'POSTED':
      return submitSettle(steps, group, part, { type: 'PostGroupPart' });
    case 'CANCELING':
    case 'CANCELED':
      return orGone(async () => {
        const key = await keyOf(steps, group, part);
        return submitSettle(steps, group, part, { type: 'CancelGroupPart' }, key);
      });
    case 'RELEASING': {
      const attempt = revision - 1; // A commit is decided by the event after the one that opened it.
      return orGone(() => submitSettle(steps, group, part, { type: 'UnbindGroupPart', attempt }));
    }
    case 'OPENED':
    case 'COMMITTING':
    case 'HELD':
      throw new Error(`Nothing was decided of a group that is ${group.status}`);
    default:
      return unreachable(group.status);
  }
}

/** A ledger that is deleted gives nothing back: nobody can have it. */
const orGone = (work: () => Promise<PartStep>): Promise<PartStep | undefined> =>
  work().catch((error: unknown) => {
    if (isGone(error)) return undefined;
    throw error;
  });

/** A creation that failed frees its key, which stands beside the first part. */
async function keyOf(
  { submit }: GroupSteps,
  group: RecordedGroup['group'],
  { order, organizationId, ledgerId }: GroupPart,
): Promise<Readonly<{ release: Revision }> | undefined> {
  if (order > 1 || wasCreated(group)) return undefined;
  const find = { type: 'FindGroupPart', organizationId, groupId: group.id } as const;
  const [event] = (await submit(journalOfLedger(ledgerId), find)).events;
  return event && { release: event.revision };
}

/** Its creation was answered: it is held, or was posted at once. */
export const wasCreated = ({ parts }: Pick<RecordedGroup['group'], 'parts'>): boolean =>
  parts.some(({ createdAt }) => createdAt !== undefined);

/**
 * What a process that died left of a group is finished; without a decision there is none but to give it up. Answers the
 * group as it is then.
 */
export async function resumeGroup(steps: GroupSteps, id: Uuid): Promise<RecordedGroup['group']> {
  let seen = await submitGroup(steps, id, { type: 'FindGroup' });
  if (isOpen(seen.group)) {
    const status = seen.group.status === 'OPENED' ? 'CANCELING' : 'RELEASING';
    seen = await submitGroup(steps, id, { type: 'DecideGroup', opened: seen.revision, status });
  }
  return isUnfinished(seen.group) ? (await finishGroup(steps, seen)).group : seen.group;
}

export const crossLedgerProcess: Process<GroupEvent> = {
  open: crossLedger,
  hasJournal: true,
  abandonedAfterMs: UNDECIDED_MS,
  resume: (steps, { journal }) => resumeGroup(steps, ownerOf(journal)),
};
