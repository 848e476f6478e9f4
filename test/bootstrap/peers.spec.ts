import { expect } from 'chai';
import { systemScheduler } from '#src/adapters/system.ts';
import { joinPeers, type PeerGroup } from '#src/bootstrap/peers.ts';
import type { AnswerPeer } from '#src/ports/peers.ts';
import {
  memoryClusterMessages,
  type MemoryNoticeData,
} from '#test/doubles/memory/cluster-messages.ts';
import { memorySecretStore, type MemorySecretData } from '#test/doubles/memory/secret-store.ts';
import { until } from '#test/support/until.ts';

describe('the processes of a log', () => {
  const notices: MemoryNoticeData = new Map();
  const secrets: MemorySecretData = new Map();
  const joined: PeerGroup[] = [];
  afterEach(async () => {
    for (const one of joined.splice(0)) await one.stop();
  });

  const join = async (answer: AnswerPeer): Promise<PeerGroup> => {
    const group = await joinPeers({
      settings: { host: '127.0.0.1', port: 0, address: undefined },
      messages: memoryClusterMessages(systemScheduler, notices),
      secrets: memorySecretStore(systemScheduler, secrets),
      logId: 'log',
      answer,
      log: { info: () => undefined },
    });
    joined.push(group);
    return group;
  };

  it('take over from one that leaves, and still get its last answers', async function () {
    this.timeout(15_000);
    const { promise, resolve } = Promise.withResolvers<object>();
    const [near, far] = [await join(async () => ({})), await join(() => promise)];
    await until(() => near.report().peers === 1, 10_000, 'they share');
    const journal = Array.from({ length: 100 }, (_, n) => `ledger-${n}`).find(
      (name) => near.ownerOf(name) !== undefined,
    )!;
    const asked = near.ownerOf(journal)!.ask({});
    await far.withdraw();
    await until(() => near.ownerOf(journal) === undefined, 5000, 'it is taken over');
    await systemScheduler.sleep(SEVERAL_LOOKS_MS);
    resolve({ at: 'last' });
    expect(await asked).to.deep.equal({ at: 'last' });
  });
});

/** Processes look every half second for those that are there. */
const SEVERAL_LOOKS_MS = 1500;
