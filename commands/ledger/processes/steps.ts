import { journalOfLedger } from '#commands/ledger/journals.ts';
import { parseAmount } from '#src/kernel/amount.ts';
import { Refusal } from '#src/kernel/errors.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { GroupPart, GroupRecord } from '#src/events/ledger/group.ts';
import type { Steps } from '#src/journal/steps.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import { journalOfGroup, type GroupCommand } from '#commands/ledger/cross-ledger/group.ts';
import type { PartEvent } from '#commands/ledger/state/reservations.ts';
import type { SettlePart } from '#commands/ledger/cross-ledger/settle-part.ts';

/** A group as its journal has it, and the revision of that event. */
export type RecordedGroup = Readonly<{ group: GroupRecord; revision: Revision }>;

/** A ledger's last step of its part. */
export type PartStep = PartEvent & Readonly<{ revision: Revision }>;

/** The group after an operation, with the steps of its parts that the caller sees, in their order. */
export type GroupOutcome = Readonly<{
  group: GroupRecord;
  steps: readonly Readonly<{ order: number; step: PartStep }>[];
  replayed: boolean;
}>;

export async function submitGroup(
  { submit }: Steps,
  id: Uuid,
  command: GroupCommand,
  key?: 'take',
): Promise<RecordedGroup> {
  const { events } = await submit(journalOfGroup(id), command, key);
  const [event] = events;
  if (event === undefined) throw new Error(`${command.type} leaves an image of the group`);
  return { group: event.data.group, revision: event.revision };
}

export async function submitSettle(
  { submit }: Steps,
  group: GroupRecord,
  part: GroupPart,
  step: SettleStep,
  key?: Readonly<{ release: Revision }>,
): Promise<PartStep> {
  const { organizationId, ledgerId, transactionId } = part;
  const bridge = parseAmount(part.bridge);
  const of = { organizationId, groupId: group.id, transactionId, bridge };
  const { events } = await submit(journalOfLedger(ledgerId), { ...of, ...step }, key);
  return recordedStep(events);
}

export type SettleStep = SettlePart extends infer One
  ? One extends SettlePart
    ? Omit<One, 'organizationId' | 'groupId' | 'transactionId' | 'bridge'>
    : never
  : never;

/** Errors: Error if nothing was recorded. */
export function recordedStep(
  events: readonly (LedgerEvent & Readonly<{ revision: Revision }>)[],
): PartStep {
  const [event] = events;
  if (event === undefined) throw new Error('A step of a part is one event');
  return event as PartStep;
}

/** Repeats work that can no longer be refused. Errors: UNAVAILABLE; resuming the group continues the work. */
export async function retry<T>({ sleep, mayPass }: Steps, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!mayPass(error)) throw error;
      await sleep(PAUSE_MS * 2 ** attempt);
    }
  }
  throw refuse('UNAVAILABLE', 'The group is being finished; ask again.', { retryAfterSeconds: 1 });
}

/** About ten seconds in total. */
const ATTEMPTS_MAX = 8;
const PAUSE_MS = 20;

/** Recognizes the refusal of a deleted ledger. */
export const isGone = (error: unknown): boolean =>
  error instanceof Refusal && error.refusal === 'LEDGER_NOT_FOUND';

export const ledgerGone = (): Refusal =>
  refuse('GROUP_INCONSISTENT', 'A ledger of the group has been deleted.');

export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));

/** A group that is undecided for longer is given up. */
export const UNDECIDED_MS = 30_000;

/** Waits for work until its group may be given up, in short intervals because sleeps cannot be cancelled. */
export async function withinDeadline(
  { sleep, elapsedMs }: Steps,
  work: Promise<unknown>,
): Promise<void> {
  const done = work.then(() => 'done' as const);
  for (const startedMs = elapsedMs(); elapsedMs() - startedMs < UNDECIDED_MS;) {
    if ((await Promise.race([done, sleep(WAIT_MS)])) === 'done') return;
  }
}

const WAIT_MS = 1000;
