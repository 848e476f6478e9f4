import { journalOfLedger } from '#commands/ledger/journals.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { PreparePart } from '#commands/ledger/cross-ledger/prepare-part.ts';
import { asError, withinDeadline, recordedStep, type PartStep } from './steps.ts';
import type { Steps } from '#src/journal/steps.ts';

export type PartToPrepare = Readonly<{ ledgerId: Uuid; command: Omit<PreparePart, 'type'> }>;

/** The results of asking a group's ledgers to prepare their parts. */
export type Preparation = Readonly<{
  all: boolean;
  prepared: ReadonlyMap<Uuid, PartStep>;
  /** Ledgers that refused or were not toPrepare: they hold nothing and never will. */
  untouched: ReadonlySet<Uuid>;
  /** The first refusal, in the order of the parts. */
  refused?: Error | undefined;
  /** The group that another request created under the same key. */
  replayed?: Uuid | undefined;
}>;

/**
 * Asks every ledger to prepare its part. The first ledger is asked alone, because it reserves the idempotency key and
 * so decides which of several equal requests proceeds; then all others at once. A ledger that does not reply in time
 * may still prepare its part.
 */
export async function prepareAll(
  steps: Steps,
  toPrepare: readonly PartToPrepare[],
  type: PreparePart['type'],
): Promise<Preparation> {
  const found = new Map<Uuid, PartOutcome>();
  const ask = async ({ ledgerId, command }: PartToPrepare, key?: 'take'): Promise<void> => {
    found.set(ledgerId, { is: 'unknown' });
    found.set(ledgerId, await preparePartIn(steps, { ledgerId, command }, type, key));
  };
  const [first, ...others] = toPrepare;
  const work = async (): Promise<void> => {
    if (first === undefined) throw new Error('A group has parts');
    await ask(first, 'take');
    if (found.get(first.ledgerId)?.is === 'prepared' && !isOver) {
      await Promise.all(others.map((one) => ask(one)));
    }
  };
  let isOver = false; // No further ledger is asked after the deadline.
  await withinDeadline(steps, work());
  isOver = true;

  const outcomes = toPrepare.map(({ ledgerId }) => ({
    ledgerId,
    ...(found.get(ledgerId) ?? UNASKED),
  }));
  const prepared = outcomes.flatMap(({ ledgerId, is, step }) =>
    is === 'prepared' && step !== undefined ? [[ledgerId, step] as const] : [],
  );
  const untouched = outcomes.filter(({ is }) => is === 'refused' || is === 'unasked');
  return {
    all: outcomes.every(({ is }) => is === 'prepared'),
    prepared: new Map(prepared),
    untouched: new Set(untouched.map(({ ledgerId }) => ledgerId)),
    refused: outcomes.find(({ error }) => error !== undefined)?.error,
    replayed: outcomes.find(({ is }) => is === 'replayed')?.replayed,
  };
}

type PartOutcome = Readonly<{
  is: 'prepared' | 'refused' | 'replayed' | 'unknown' | 'unasked';
  step?: PartStep;
  error?: Error;
  replayed?: Uuid;
}>;
const UNASKED: PartOutcome = { is: 'unasked' };

async function preparePartIn(
  { submit, mayPass }: Steps,
  { ledgerId, command }: PartToPrepare,
  type: PreparePart['type'],
  key: 'take' | undefined,
): Promise<PartOutcome> {
  try {
    const { events, replayed } = await submit(journalOfLedger(ledgerId), { ...command, type }, key);
    if (events.length === 0) return { is: 'prepared' };
    const step = recordedStep(events);
    const { groupId } = step.data.transaction;
    if (replayed && groupId !== undefined) return { is: 'replayed', replayed: groupId };
    return { is: 'prepared', step };
  } catch (error) {
    // Only a refusal says that nothing was recorded.
    const isRefused = error instanceof Refusal && !mayPass(error);
    return { is: isRefused ? 'refused' : 'unknown', error: asError(error) };
  }
}
