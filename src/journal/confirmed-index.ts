import { NONE } from '#src/kernel/ids.ts';
import { anchorFlaw } from '#src/ports/anchor.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { EventStore } from '#src/ports/event-store.ts';
import type { JournalIndex } from '#src/ports/journal-index.ts';

/**
 * Wraps the journal index of a process that decides: look-ups wait until the log has confirmed the last event that the
 * index holds. An index that the log contradicts is unavailable until the projector has rebuilt it.
 */
export function confirmedIndex(
  index: JournalIndex,
  log: Pick<EventStore, 'at' | 'end'>,
): JournalIndex {
  let confirmed = false;
  const flaw = async (): Promise<string | undefined> => {
    if (confirmed) return undefined;
    const reason = await anchorFlaw(log, await index.anchor());
    confirmed = reason === undefined;
    return reason;
  };
  const ifConfirmed = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const reason = await flaw();
    if (reason === undefined) return work();
    throw new Unavailable(`The journal index cannot be used: ${reason}`);
  };
  return {
    find: (...args) => (confirmed ? index.find(...args) : ifConfirmed(() => index.find(...args))),
    list: (kind) => ifConfirmed(() => index.list(kind)),
    indexed: async (journal) => ((await flaw()) === undefined ? index.indexed(journal) : NONE),
    checkpoint: () => index.checkpoint(),
    anchor: () => index.anchor(),
    doubt: (reason) => index.doubt(reason),
    flaw: () => index.flaw(),
    forget: () => index.forget(),
    apply: (batch) => index.apply(batch),
    close: () => index.close(),
  };
}
