import { journalOfLedger } from '#commands/ledger/journals.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { GroupPart } from '#src/events/ledger/group.ts';
import type { GroupSteps } from './steps.ts';

/** What a ledger of a group is told of the exception from a block: nothing, unless it is its own. */
export type ExceptionOf = (ledgerId: Uuid) => Readonly<{ accountBlockExceptionId?: Uuid }>;

/** Asks every ledger for the exception. When none has it, the first one is told of it, and will refuse it in its turn. */
export async function findExceptionOwner(
  steps: GroupSteps,
  parts: readonly MemberLedger[],
  exceptionId: Uuid | undefined,
): Promise<ExceptionOf> {
  if (exceptionId === undefined) return () => ({});
  const owning = await Promise.all(parts.map((part) => isIn(steps, part, exceptionId)));
  const { ledgerId: owner } = parts[Math.max(0, owning.indexOf(true))] ?? {};
  return (ledgerId) => (ledgerId === owner ? { accountBlockExceptionId: exceptionId } : {});
}

type MemberLedger = Pick<GroupPart, 'organizationId' | 'ledgerId'>;

async function isIn(
  { submit, mayPass }: GroupSteps,
  { organizationId, ledgerId }: MemberLedger,
  exceptionId: Uuid,
): Promise<boolean> {
  const find = { type: 'FindBlockException', organizationId, exceptionId } as const;
  try {
    await submit(journalOfLedger(ledgerId), find);
    return true;
  } catch (error) {
    if (mayPass(error) || !(error instanceof Refusal)) throw error;
    return false; // Whatever else speaks against the ledger, it says when it is asked for its part.
  }
}
