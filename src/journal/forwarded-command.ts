import type { DomainEvent } from '#src/kernel/decider.ts';
import type { Revision } from '#src/kernel/ids.ts';
import type { JournalName } from '#src/kernel/journal-name.ts';
import type { AnswerPeer } from '#src/ports/peers.ts';
import type { Envelope, Outcome } from './batch.ts';
import { toErrorData, type ErrorData } from './error-data.ts';
import type { AcknowledgedEnd, JournalEnds } from './journal-ends.ts';
import type { Journals } from './journals.ts';
import { Undecided } from './writer-refusals.ts';

/** A command on its way to the owner of its journal. */
export type ForwardedCommand = Readonly<{ journal: JournalName; envelope: Envelope<unknown> }>;

/** The answer of the owner. */
export type ForwardedAnswer = Readonly<{
  /** The end of the journal on which the answer rests, which the readers of the asking process must see too. */
  end?: AcknowledgedEnd | undefined;
}> &
  Readonly<
    | { outcome: Outcome<DomainEvent> }
    | { error: ErrorData }
    /** It was not decided, because somebody else may have decided it up to this revision. */
    | { undecidedBeyond: Revision }
  >;

/**
 * Creates the owner's side: decides what other processes forward. It never forwards further, so that two processes that
 * disagree about the owner of a journal cannot send a command in a circle.
 */
export function createForwardedCommands(
  journals: Pick<Journals, 'submit'>,
  ends: Pick<JournalEnds, 'of'>,
): AnswerPeer {
  return async (question): Promise<ForwardedAnswer> => {
    const { journal: name, envelope } = question as ForwardedCommand;
    try {
      const outcome = await journals.submit({ name }, envelope);
      return { outcome, end: ends.of(name) };
    } catch (error) {
      if (error instanceof Undecided) return { undecidedBeyond: error.read };
      return { error: toErrorData(error), end: ends.of(name) };
    }
  };
}
