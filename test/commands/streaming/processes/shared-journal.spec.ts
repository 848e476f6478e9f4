import { expect } from 'chai';
import { createDeadLetters } from '#commands/streaming/processes/keep-dead-letter.ts';
import { journalOfStreaming, streamingDecider } from '#commands/streaming/streaming.ts';
import { systemClock, systemIds, systemScheduler } from '#src/adapters/system.ts';
import { audit } from '#src/bootstrap/audit.ts';
import { indexTable } from '#src/bootstrap/index-table.ts';
import { createJournals } from '#src/journal/journals.ts';
import { createJournalVerifier } from '#src/verify/journal.ts';
import { MemoryEventStore } from '#test/doubles/memory/event-store.ts';
import { MemoryIndexData, MemoryJournalIndex } from '#test/doubles/memory/journal-index.ts';
import { MemoryLog } from '#test/doubles/memory/log.ts';
import { MemorySnapshotStore } from '#test/doubles/memory/snapshot-store.ts';
import { NO_FAULTS } from '#test/doubles/memory/faults.ts';
import { idOf } from '#test/support/ledger-samples.ts';
import { NOW, nthId } from '#test/support/stamps.ts';

/** The relay appends dead letters to the journal that the API writes, and tells it nothing. */
for (const exclusive of [true, false]) {
  describe(`a streaming journal that ${exclusive ? 'one process' : 'several processes'} may write`, () => {
    it('takes subscriptions and dead letters in any order, each once', async () => {
      const log = new MemoryLog();
      const scheduler = systemScheduler;
      const faults = NO_FAULTS;
      const store = new MemoryEventStore({ scheduler, log, exclusive });
      const index = new MemoryJournalIndex({ scheduler, faults, data: new MemoryIndexData() });
      const snapshots = new MemorySnapshotStore({ scheduler, faults });
      const [clock, ids] = [systemClock, systemIds()];
      const nothing = () => undefined;
      const journals = createJournals(
        [streamingDecider],
        { store, index, indexTable, snapshots, clock, ids, scheduler },
        {
          ...{ acknowledged: nothing, doubted: nothing, contended: nothing, grown: nothing },
          fault: (_, error) => {
            throw error instanceof Error ? error : new Error('A fault');
          },
        },
      );
      const journal = journalOfStreaming('default');
      const context = {
        ...{ actor: { type: 'user', id: 'u-1' }, tenantId: 'default' },
        requestId: 'any',
      };
      const subscribe = (n: number) =>
        journals.submit(journal, {
          context,
          command: {
            type: 'CreateSubscription',
            fields: {
              ...{ id: nthId(n), name: `S${n}`, filters: {}, target: { kind: 'pull' } },
              ...{ format: 'binary', ordering: 'none', rateLimit: 1, status: 'active' },
              startAt: 'now',
            } as never,
          },
        });
      const keep = createDeadLetters(store, clock);
      const bury = (n: number) =>
        keep('default', {
          topic: 'any',
          ceId: idOf(`record ${n}`),
          event: { journal: 'ledger-1', revision: n, id: idOf(`event ${n}`) },
          errorClass: 'serialization_error',
          message: 'Too large',
          firstFailureAt: NOW,
        });

      for (let n = 0; n < 20; n += 1) {
        await Promise.all(n % 2 === 0 ? [bury(n), subscribe(n)] : [subscribe(n), bury(n)]);
      }
      await subscribe(99); // Right after an append that the writer has not seen.

      const events = log.read('streaming-default', 0, 100);
      const count = (type: string) => events.filter((event) => event.type === type).length;
      expect([count('SubscriptionCreated'), count('RecordDied')]).to.deep.equal([21, 20]);
      const verifier = createJournalVerifier(audit, 'streaming-default');
      for (const event of events) expect(verifier.take(event)).to.equal(undefined);
      expect([...verifier.summary().unknown]).to.deep.equal([]);
    });
  });
}
