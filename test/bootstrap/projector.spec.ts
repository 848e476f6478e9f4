import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { balanceProjection } from '#projections/ledger/balance.ts';
import { openEmbeddedEventStore } from '#src/adapters/embedded/event-store.ts';
import { openEmbeddedJournalIndexReader } from '#src/adapters/embedded/journal-index-reader.ts';
import { startProjector, type ProjectorThread } from '#src/bootstrap/projector.ts';
import { openEmbeddedReadStore } from '#src/adapters/embedded/read-store.ts';
import { newDerivedFlags } from '#src/adapters/embedded/derived-flags.ts';
import { systemIds, systemScheduler } from '#src/adapters/system.ts';
import type { DomainEvent } from '#src/kernel/decider.ts';
import { NONE, partId } from '#src/kernel/ids.ts';
import { ledgerJournal } from '#src/kernel/journal-name.ts';
import type { EventStore, Position } from '#src/ports/event-store.ts';
import type { ProjectionFault, ProjectionReport } from '#src/runtime/projection-report.ts';
import { accountId, LEDGER, ledgerWith } from '#test/support/ledger-samples.ts';
import { storedOf } from '#test/support/stored-samples.ts';
import { funded, transactionId } from '#test/support/transaction-samples.ts';
import { READ_WORKER } from '#src/bootstrap/stores.ts';

const journal = ledgerJournal(LEDGER);

describe('projector thread', () => {
  const ids = systemIds();
  let dir: string;
  let store: EventStore;
  let projector: ProjectorThread;
  let faults: ProjectionFault[];
  let rebuilt: string[];
  let last: ProjectionReport | undefined;
  let revision: number;

  const start = () => {
    last = undefined;
    projector = startProjector(
      {
        places: { eventStoreUrl: 'embedded:', readStoreUrl: 'embedded:', dataDir: dir },
        logId: store.logId,
        flags: newDerivedFlags(),
        tracing: undefined,
      },
      (report) => (last = report),
      (fault) => faults.push(fault),
      (message) => rebuilt.push(message),
    );
  };

  const append = async (...events: readonly DomainEvent[]): Promise<Position> => {
    const stored = storedOf(events).map(({ type, data, metadata }) => {
      return { id: ids.next(), type, data, metadata };
    });
    const appended = await store.append(journal, stored, revision);
    revision = appended.revision;
    projector.wake();
    return appended.position;
  };

  const until = async (done: () => boolean): Promise<void> => {
    const deadlineMs = systemScheduler.elapsedMs() + 30_000;
    while (!done()) {
      if (systemScheduler.elapsedMs() > deadlineMs) throw new Error('It did not come to that');
      await systemScheduler.sleep(5);
    }
  };

  const available = async (): Promise<unknown> => {
    const reads = openEmbeddedReadStore(dir, READ_WORKER, { budgetMs: 30_000 });
    const id = partId(accountId('@alice'), 1);
    const row = await reads.get(balanceProjection.collection, { id });
    await reads.close();
    return row?.values['available'];
  };

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'quipu-projector-'));
    rebuilt = [];
    faults = [];
    revision = NONE;
    store = await openEmbeddedEventStore(dir, {
      ids,
      onFatal: (error) => expect.fail(String(error)),
    });
    start();
  });

  afterEach(async () => {
    await projector.stop();
    await store.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it('projects what is appended, and the index with it', async () => {
    await append(...ledgerWith('BRL', '@alice'));
    let position = await append(funded('@alice', 1));
    for (let n = 2; n <= 20; n += 1) position = await append(funded('@alice', n));
    await until(() => (last?.position ?? '') >= position);

    expect(await available()).to.equal('10000');
    const index = openEmbeddedJournalIndexReader(dir, store.logId);
    const id = transactionId('@alice 20');
    expect(await index.find(journal, 'transaction', [id])).to.deep.equal(new Map([[id, revision]]));
    await index.close();
    expect(faults).to.deep.equal([]);
  });

  it('comes to whatever was appended last, at whichever step of its own that was', async () => {
    let position = await append(...ledgerWith('BRL', '@alice'));
    for (let round = 1, n = 0; round <= 6; round += 1) {
      for (let k = 0; k < round * 5; k += 1) position = await append(funded('@alice', (n += 1)));
      if (round % 2 === 0) projector.urge(); // Without gathering first.
      await until(() => (last?.collections.get('balance')?.checkpoint ?? '') >= position);
    }
    expect(faults).to.deep.equal([]);
  });

  it('goes on where it stopped', async () => {
    await append(...ledgerWith('BRL', '@alice'), funded('@alice', 1));
    await projector.stop();
    const position = await append(funded('@alice', 2));
    start();
    await until(() => (last?.position ?? '') >= position);
    expect(await available()).to.equal('1000');
  });

  it('reports a poison event and goes on', async () => {
    await append(...ledgerWith('BRL', '@alice'), { type: 'TransactionPosted', data: {} });
    const position = await append(...ledgerWith('USD'));
    // Faults are told one by one, after those that go on have gone on.
    await until(
      () => (last?.collections.get('asset')?.checkpoint ?? '') >= position && faults.length >= 2,
    );

    const stopped = faults.map(({ projection }) => projection);
    expect(stopped).to.include.members(['balance', 'transaction']);
    expect(last?.collections.get('balance')).to.include({ stopped: true });
  });
});
