import { expect } from 'chai';
import { messageText, valueOf, type NumberedMessage } from '#src/adapters/peers/messages.ts';
import { refuse, Refusal } from '#src/kernel/errors.ts';
import type { JournalName } from '#src/kernel/journal-name.ts';
import type { Envelope } from '#src/journal/batch.ts';
import { createForwardedCommands } from '#src/journal/forwarded-command.ts';
import { createForwardingJournals } from '#src/journal/forwarding-journals.ts';
import { fromErrorData, toErrorData } from '#src/journal/error-data.ts';
import { createJournalEnds } from '#src/journal/journal-ends.ts';
import type { Limits } from '#src/journal/writer-ports.ts';
import { Ambiguous, Damaged, Unavailable } from '#src/ports/errors.ts';
import { NotSent, PeerLost } from '#src/ports/peers.ts';
import type { PurseCommand, PurseEvent } from './purse.ts';
import { outcomeOf, PURSE, quiet, workbench, type Workbench } from './workbench.ts';

/** A process that owns the purse and one that asks it, over a link that a story can break. */
function twoProcesses(limits?: Limits) {
  const owner = workbench({ exclusive: false, ...(limits && { limits }) });
  const asker = workbench({ exclusive: false, over: owner, seed: 1000 });
  const answer = createForwardedCommands(
    owner.journals,
    createJournalEnds(() => undefined),
  );
  const seen: number[] = [];
  const ends = createJournalEnds((_, revision) => seen.push(revision));
  const sent: string[] = [];
  const link = {
    /** Passes a question on; stories replace it. */
    ask: async (question: string): Promise<unknown> => {
      const numbered = JSON.parse(question) as NumberedMessage;
      const answered = messageText(1, await answer(valueOf(numbered)));
      return valueOf(JSON.parse(answered) as NumberedMessage);
    },
  };
  const { ask: deliver } = link;
  const journals = createForwardingJournals(asker.journals, {
    peers: {
      ownerOf: () => ({
        ask(question) {
          const text = messageText(1, question);
          sent.push(text);
          return link.ask(text);
        },
      }),
    },
    ends,
    store: asker.ports.store,
    ids: asker.ports.ids,
  });
  const context = { actor: { type: 'anonymous', id: '' }, tenantId: 'default', requestId: 'r' };
  const ask = (command: PurseCommand, more: Partial<Envelope<PurseCommand>> = {}) => {
    const answered = journals.submit<PurseCommand, PurseEvent>(
      { name: PURSE },
      { ...{ command, context }, ...more },
    );
    answered.catch(() => undefined);
    return answered;
  };
  return { owner, asker, ask, link, deliver, sent, seen };
}

const put = (coins: number): PurseCommand => ({ type: 'Put', coins });
const take = (coins: number): PurseCommand => ({ type: 'Take', coins });
const coinsIn = ({ events }: Workbench): number[] =>
  events().map(({ data }) => (JSON.parse(data) as { coins: number }).coins);

describe('journals that other processes own', () => {
  it('have their commands decided by the owner, as if that had been here', async () => {
    const { owner, asker, ask, seen } = twoProcesses();
    const { events, ...outcome } = await ask(put(5));
    expect(outcome).to.deep.equal({ revision: 0, replayed: false });
    expect(events).to.deep.equal([{ type: 'CoinsPut', data: { coins: 5 }, revision: 0 }]);
    expect([owner.appends.length, asker.appends.length]).to.deep.equal([1, 0]);
    expect(seen).to.deep.equal([0]);
  });

  it('refuse as the owner does, and replay what a key was used for', async () => {
    const { ask } = twoProcesses();
    const keyed = { idempotency: { key: 'k', requestHash: 'h', replyVersion: 1 } };
    const first = await ask(put(5), keyed);
    expect(await ask(put(5), keyed)).to.deep.equal({ ...first, replayed: true });
    expect(await outcomeOf(ask(take(6)))).to.equal('INSUFFICIENT_FUNDS');
    const other = { idempotency: { ...keyed.idempotency, requestHash: 'other' } };
    expect(await outcomeOf(ask(put(5), other))).to.equal('IDEMPOTENCY_KEY_IN_USE');
  });

  it('let a busy owner and a full link refuse', async () => {
    const { ask, link } = twoProcesses({ waiting: 0, recentKeys: 1 });
    expect(await outcomeOf(ask(put(1)))).to.equal('TOO_MANY_REQUESTS');
    link.ask = () => Promise.reject(new NotSent('full', true));
    expect(await outcomeOf(ask(put(1)))).to.equal('TOO_MANY_REQUESTS');
  });

  it('are written here while their owner cannot be asked', async () => {
    const { asker, ask, link } = twoProcesses();
    link.ask = () => Promise.reject(new NotSent('away'));
    await ask(put(5));
    expect(asker.appends).to.have.length(1);
  });

  it('look up a command whose owner was lost after it wrote', async () => {
    const { asker, ask, link, deliver, seen } = twoProcesses();
    await ask(put(1));
    link.ask = async (question) => {
      await deliver(question);
      throw new PeerLost('lost');
    };
    const { events, replayed } = await ask({ type: 'Put', coins: 5, times: 2 });
    expect(events.map(({ revision }) => revision)).to.deep.equal([1, 2]);
    expect(replayed).to.equal(false);
    expect(coinsIn(asker)).to.deep.equal([1, 5, 5]);
    expect(seen).to.deep.equal([0, 2]);
  });

  it('decide a command that its owner never got, which then does not decide it', async () => {
    const { owner, ask, link, deliver } = twoProcesses();
    await ask(put(1));
    let late = '';
    link.ask = async (question) => {
      late = question;
      throw new PeerLost('lost');
    };
    await ask(put(5));
    expect(await outcomeOf(deliver(late))).to.equal('done'); // It finds the event after its lost race.
    expect(coinsIn(owner)).to.deep.equal([1, 5]);
  });

  it('are not written by an owner that read on before the command came', async () => {
    const { owner, ask, link, deliver } = twoProcesses();
    await ask(put(1));
    let late = '';
    link.ask = async (question) => {
      late = question;
      throw new PeerLost('lost');
    };
    await ask(put(5));
    await owner.ask(put(7)); // Loses the race, and reads the 5.
    expect(await deliver(late)).to.have.property('undecidedBeyond');
    expect(coinsIn(owner)).to.deep.equal([1, 5, 7]);
  });

  it('are written once when both processes have decided a command', async () => {
    const { owner, ask, link, deliver } = twoProcesses();
    await ask(put(1));
    owner.hold();
    let decided: Promise<unknown> = Promise.resolve();
    link.ask = async (question) => {
      decided = deliver(question);
      await quiet();
      throw new PeerLost('lost');
    };
    const answer = await ask(put(5));
    owner.letGo();
    expect(await decided).to.have.deep.nested.property('outcome.revision', answer.revision);
    expect(coinsIn(owner)).to.deep.equal([1, 5]);
  });

  it('replay a key that the lost owner had used, unless it may be free again', async () => {
    const { ask, link } = twoProcesses();
    const key = { requestHash: 'h', replyVersion: 1 };
    const [kept, brief] = [
      { idempotency: { ...key, key: 'kept' } },
      { idempotency: { ...key, key: 'brief', ttlSeconds: 60 } },
    ];
    const first = await ask(put(5), kept);
    await ask(put(7), brief);
    link.ask = () => Promise.reject(new PeerLost('lost'));
    expect(await ask(put(5), kept)).to.deep.equal({ ...first, revision: 1, replayed: true });
    expect(await outcomeOf(ask(put(7), brief))).to.equal('Ambiguous');
  });

  it('send a command again that the owner did not decide', async () => {
    const { owner, asker, ask, sent } = twoProcesses();
    await ask(put(1));
    await asker.ask(put(2)); // As a process does that believes to be the owner.
    await owner.ask(put(3));
    await ask(put(4));
    expect(sent).to.have.length(3);
    expect(coinsIn(owner)).to.deep.equal([1, 2, 3, 4]);
  });

  it('refuse nothing that a lost owner may still accept', async () => {
    const { ask, link } = twoProcesses();
    await ask(put(1));
    link.ask = () => Promise.reject(new PeerLost('lost'));
    expect(await outcomeOf(ask(take(6)))).to.equal('Ambiguous');
    expect(await outcomeOf(ask({ type: 'Look' }))).to.equal('Ambiguous');
    link.ask = () => Promise.reject(new NotSent('away'));
    expect(await outcomeOf(ask(take(6)))).to.equal('INSUFFICIENT_FUNDS');
  });

  it('do not know of journals of other kinds', async () => {
    const { deliver } = twoProcesses();
    const question = { journal: 'other-1' as JournalName, envelope: { command: {}, context: {} } };
    const answer = await deliver(messageText(1, question));
    expect(answer).to.have.nested.property('error.message', 'No rules for the journal other-1');
  });
});

describe('errors of forwarded commands', () => {
  const sent = (error: unknown): Error =>
    fromErrorData(JSON.parse(JSON.stringify(toErrorData(error))) as never);

  it('keep their class, so that replies are the same', () => {
    for (const error of [new Unavailable('u'), new Ambiguous('a'), new Damaged('d')]) {
      expect(sent(error)).to.be.instanceOf(error.constructor).and.to.have.property('message');
    }
    const details = { findings: [{ location: 'a.b', message: 'm', value: 1 }] };
    const refusal = sent(refuse('MALFORMED_FIELD', 'detail', details));
    expect(refusal).to.be.instanceOf(Refusal);
    expect(refusal).to.have.property('refusal', 'MALFORMED_FIELD');
    expect(refusal).to.have.deep.property('details', { detail: 'detail', ...details });
  });

  it('keep the stack of a defect for the log', () => {
    const defect = new TypeError('no function');
    expect(sent(defect).stack).to.equal(defect.stack);
  });
});
