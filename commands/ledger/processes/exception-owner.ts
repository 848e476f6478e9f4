import { journalOfLedger } from '#commands/ledger/journals.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { GroupPart } from '#src/events/ledger/group.ts';
import type { Steps } from '#src/journal/steps.ts';

/** The block exception for one ledger of a group: only the ledger that granted it gets it. */
export type ExceptionOf = (ledgerId: Uuid) => Readonly<{ accountBlockExceptionId?: Uuid }>;

/** Asks every ledger for the exception. If none has it, the first ledger gets it, and refuses it in its turn. */
export async function findExceptionOwner(
  steps: Steps,
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
  { submit, mayPass }: Steps,
  { organizationId, ledgerId }: MemberLedger,
  exceptionId: Uuid,
): Promise<boolean> {
  const find = { type: 'FindBlockException', organizationId, exceptionId } as const;
  try {
    await submit(journalOfLedger(ledgerId), find);
    return true;
  } catch (error) {
    if (mayPass(error) || !(error instanceof Refusal)) throw error;
    return false; // The ledger repeats any other refusal when it prepares its part.
  }
}
