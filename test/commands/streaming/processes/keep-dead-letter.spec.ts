import { expect } from 'chai';
import type { AppendFate } from '#test/doubles/memory/faults.ts';
import { MemoryEventStore } from '#test/doubles/memory/event-store.ts';
import { MemoryLog } from '#test/doubles/memory/log.ts';
import { systemScheduler } from '#src/adapters/system.ts';
import type { Micros } from '#src/kernel/instant.ts';
import type { RecordDied } from '#src/events/streaming/streaming.ts';
import { createDeadLetters } from '#commands/streaming/processes/keep-dead-letter.ts';
import { audit } from '#src/bootstrap/audit.ts';
import { createJournalVerifier } from '#src/verify/journal.ts';
import { idOf } from '#test/support/ledger-samples.ts';
import { NOW } from '#test/support/stamps.ts';

const letter = (n: number): RecordDied['data'] => ({
  topic: 'quipu.streaming.ledger_balance.changed',
  ceId: idOf(`record ${n}`),
  event: { journal: 'ledger-1', revision: n, id: idOf(`event ${n}`) },
  errorClass: 'serialization_error',
  message: 'Too large',
  firstFailureAt: NOW,
});

describe('dead letters', () => {
  let log: MemoryLog;
  const fates: AppendFate[] = [];
  const opened = () => {
    const faults = { append: () => fates.shift() ?? 'ok' };
    const store = new MemoryEventStore({ scheduler: systemScheduler, log, faults });
    return createDeadLetters(store, { now: () => 1_767_225_600_000_000 as Micros });
  };
  const kept = (tenant = 'default') =>
    log
      .read(`streaming-${tenant}`, 0, 100)
      .map(({ data }) => (JSON.parse(data) as RecordDied['data']).event.revision);
  beforeEach(() => (log = new MemoryLog()));

  it('are kept in the journal of their tenant, chained like every other', async () => {
    const keep = opened();
    await Promise.all([keep('default', letter(1)), keep('default', letter(2))]);
    await opened()('default', letter(3)); // After a restart; the clock stood still.
    await keep('acme', letter(4));

    expect(kept()).to.deep.equal([1, 2, 3]);
    expect(kept('acme')).to.deep.equal([4]);
    const verifier = createJournalVerifier(audit, 'streaming-default');
    for (const event of log.read('streaming-default', 0, 10)) {
      expect(verifier.take(event)).to.equal(undefined);
    }
  });

  it('are kept once, whoever comes with them again', async () => {
    await opened()('default', letter(1));
    await opened()('default', letter(2));
    await opened()('default', letter(1));
    expect(kept()).to.deep.equal([1, 2]);
  });

  it('are kept once also when the log did not say what became of them', async () => {
    fates.push('unanswered', 'ok');
    await opened()('default', letter(1));
    fates.push('lost', 'conflict');
    await opened()('default', letter(2));
    expect(kept()).to.deep.equal([1, 2]);
  });
});
