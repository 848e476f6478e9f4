import type { DomainEvent, JournalOf } from '#src/kernel/decider.ts';
import { NONE, type Uuid } from '#src/kernel/ids.ts';
import { Ambiguous } from '#src/ports/errors.ts';
import type { EventStore } from '#src/ports/event-store.ts';
import { NotSent, PeerLost, type Peer, type Peers } from '#src/ports/peers.ts';
import type { Envelope, Outcome } from './batch.ts';
import { fromErrorData } from './error-data.ts';
import type { ForwardedAnswer, ForwardedCommand } from './forwarded-command.ts';
import type { JournalEnds } from './journal-ends.ts';
import type { Journals } from './journals.ts';
import { settleLostCommand } from './lost-command.ts';
import { tooBusy } from './writer-refusals.ts';

type ForwardingPorts = Readonly<{
  peers: Peers;
  ends: JournalEnds;
  store: Pick<EventStore, 'read'>;
  ids: Readonly<{ next(): Uuid }>;
}>;

/**
 * Sends each command to the process that owns its journal, and returns what that process decided as if it had been decided
 * here. Who owns a journal matters for speed alone: a command that cannot be sent, or whose owner is lost, is decided here,
 * and the expected revision keeps it right.
 */
export function createForwardingJournals(local: Journals, ports: ForwardingPorts): Journals {
  return {
    ...local,
    submit(journal, envelope) {
      const owner = ports.peers.ownerOf(journal.name);
      return owner === undefined
        ? local.submit(journal, envelope)
        : forward(owner, local, ports, journal, envelope);
    },
  };
}

async function forward<Command, Event extends DomainEvent>(
  owner: Peer,
  local: Journals,
  ports: ForwardingPorts,
  journal: JournalOf<Command, Event>,
  submitted: Envelope<Command>,
): Promise<Outcome<Event>> {
  const { ends, store } = ports;
  const context = { ...submitted.context, causationId: ports.ids.next() };
  const envelope = { ...submitted, context };
  let undecidedThrough = ends.of(journal.name)?.revision ?? NONE;
  for (let round = 1; round <= ROUNDS_MAX; round += 1) {
    const forwarded = { ...envelope, forwarded: { undecidedThrough } };
    let answer: ForwardedAnswer;
    try {
      const question: ForwardedCommand = { journal: journal.name, envelope: forwarded };
      answer = (await owner.ask(question)) as ForwardedAnswer;
    } catch (error) {
      if (error instanceof PeerLost) {
        const lost = { journals: local, store, ends };
        return settleLostCommand(lost, journal, envelope, undecidedThrough);
      }
      if (!(error instanceof NotSent)) throw error;
      if (error.isBusy) throw tooBusy();
      break;
    }
    if ('undecidedBeyond' in answer) {
      undecidedThrough = answer.undecidedBeyond; // Nobody else has it: the owner said that it did not decide it.
      continue;
    }
    const { end } = answer;
    if (end !== undefined) ends.note(journal.name, end.revision, end.position);
    if ('error' in answer) throw fromErrorData(answer.error);
    if (end === undefined) await noteEnd(ports, journal.name, answer.outcome);
    return answer.outcome as Outcome<Event>;
  }
  return local.submit(journal, submitted);
}

/** Looks up the end that the owner no longer remembers, because readers of this process must see it. */
async function noteEnd(
  { ends, store }: ForwardingPorts,
  journal: string,
  { revision }: Outcome<DomainEvent>,
): Promise<void> {
  if (revision === NONE) return;
  const [last] = await store.read(journal, revision, 1).catch(() => []);
  if (last === undefined) throw new Ambiguous(`Revision ${revision} of ${journal} cannot be read`);
  ends.note(journal, revision, last.position);
}

/** More than a few mean that others write the journal without a pause, so that this process may as well. */
const ROUNDS_MAX = 4;
