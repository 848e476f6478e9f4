import { messageText, valueOf, type NumberedMessage } from '#src/adapters/peers/messages.ts';
import { ownerAmong } from '#src/kernel/rendezvous.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import { NotSent, PeerLost, type AnswerPeer, type Peer, type Peers } from '#src/ports/peers.ts';
import type { World } from './world.ts';

/** A process that answers others, for as long as it lives. */
export type Answering = Readonly<{ answer: AnswerPeer; died: Promise<unknown> }>;

type LinksOptions = Readonly<{
  world: World;
  name: string;
  /** Wakes nobody once the asking process is dead. */
  scheduler: Scheduler;
  /** Carries messages that have left the asking process, and which outlive it. */
  wire: Scheduler;
  isAlive: () => boolean;
}>;

/**
 * The other processes of the world as one of them sees them: it may be wrong about the owner of a journal, and what it
 * sends may arrive long after it has given the link up.
 */
export function createLinks({ world, name, scheduler, wire, isAlive }: LinksOptions): Peers {
  const { random, answering, simFaults } = world;

  const peer = (other: string): Peer => ({
    async ask(question) {
      const fate = simFaults.link();
      const asked = answering.get(other);
      if (asked === undefined || fate === 'unsent') throw new NotSent('It is not connected');
      const text = messageText(1, question);
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const lost = (): void => {
        if (isAlive()) reject(new PeerLost(`${name} lost ${other}`));
      };
      const deliver = async (): Promise<void> => {
        await wire.sleep(random.below(fate === 'early' && random.oneIn(3) ? 4000 : 5));
        if (fate === 'dropped') return;
        const answer = messageText(1, await asked.answer(decoded(text)));
        await wire.sleep(random.below(5));
        if (fate !== 'unanswered' && isAlive()) resolve(decoded(answer));
      };
      void deliver();
      void asked.died.then(() => wire.sleep(random.below(1000))).then(lost);
      // A link that breaks is noticed at any time, even before what was sent has arrived.
      if (fate !== 'ok') void scheduler.sleep(random.below(300)).then(lost);
      return promise;
    },
  });

  return {
    ownerOf(journal) {
      const all = [...answering.keys()];
      const owner = simFaults.link() === 'unsent' ? random.pick(all) : ownerAmong(journal, all);
      return owner === undefined || owner === name ? undefined : peer(owner);
    },
  };
}

const decoded = (text: string): unknown => valueOf(JSON.parse(text) as NumberedMessage);
