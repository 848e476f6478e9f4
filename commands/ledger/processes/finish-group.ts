import { journalOfLedger } from '#commands/ledger/journals.ts';
import { unreachable } from '#src/kernel/unreachable.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import { ownerOf } from '#src/kernel/journal-name.ts';
import type { GroupEvent, GroupPart, GroupRecord } from '#src/events/ledger/group.ts';
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
  type PartStep,
  type RecordedGroup,
} from './steps.ts';
import type { Steps } from '#src/journal/steps.ts';

/**
 * Carries the decision out in every ledger and records that it is done. Several processes may do so at once, and again
 * after a crash: each step is recorded once, and repeating it returns it. `except` are ledgers that hold nothing and
 * never will, known only to the process that asked them.
 */
export async function finishGroup(
  steps: Steps,
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

/** Returns undefined if nothing is left to do. */
async function carryOut(
  steps: Steps,
  { group, revision }: RecordedGroup,
  part: GroupPart,
): Promise<PartStep | undefined> {
  switch (group.status) {
    case 'POSTING':
    case 'POSTED':
      return submitSettle(steps, group, part, { type: 'PostGroupPart' });
    case 'CANCELING':
    case 'CANCELED':
      return orGone(() => cancelPart(steps, group, part));
    case 'RELEASING': {
      const attempt = revision - 1; // The decision about a commit is the event after the one that opened it.
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

/** A deleted ledger has nothing to release. */
const orGone = (work: () => Promise<PartStep>): Promise<PartStep | undefined> =>
  work().catch((error: unknown) => {
    if (isGone(error)) return undefined;
    throw error;
  });

/** Gives a part up. A failed creation frees its idempotency key, which was reserved with the first part. */
async function cancelPart(steps: Steps, group: GroupRecord, part: GroupPart): Promise<PartStep> {
  const cancel = { type: 'CancelGroupPart' } as const;
  if (part.order > 1 || wasCreated(group)) return submitSettle(steps, group, part, cancel);
  let prepared = await findPart(steps, group, part);
  if (prepared === undefined) {
    const last = await submitSettle(steps, group, part, { ...cancel, unlessPrepared: true });
    if (last.type !== 'TransactionHeld' && last.type !== 'GroupPrepared') return last;
    prepared = last; // After the look, by an append whose outcome was not known.
  }
  return submitSettle(steps, group, part, cancel, { release: prepared.revision });
}

/** Returns the last step of a part; undefined if it was never prepared. */
async function findPart(
  { submit }: Steps,
  group: GroupRecord,
  { organizationId, ledgerId }: GroupPart,
): Promise<Readonly<{ revision: Revision }> | undefined> {
  const find = { type: 'FindGroupPart', organizationId, groupId: group.id } as const;
  return (await submit(journalOfLedger(ledgerId), find)).events[0];
}

/** Returns true if the creation succeeded: the group was held or posted. */
export const wasCreated = ({ parts }: Pick<GroupRecord, 'parts'>): boolean =>
  parts.some(({ createdAt }) => createdAt !== undefined);

/** Finishes a group whose process died, and gives it up if it was not decided. */
export async function resumeGroup(steps: Steps, id: Uuid): Promise<GroupRecord> {
  let current = await submitGroup(steps, id, { type: 'FindGroup' });
  if (isOpen(current.group)) {
    const status = current.group.status === 'OPENED' ? 'CANCELING' : 'RELEASING';
    current = await submitGroup(steps, id, {
      type: 'DecideGroup',
      opened: current.revision,
      status,
    });
  }
  return isUnfinished(current.group) ? (await finishGroup(steps, current)).group : current.group;
}

export const crossLedgerProcess: Process<GroupEvent> = {
  open: crossLedger,
  hasJournal: true,
  abandonedAfterMs: UNDECIDED_MS,
  resume: (steps, { journal }) => resumeGroup(steps, ownerOf(journal)),
};
