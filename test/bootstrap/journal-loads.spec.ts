import { expect } from 'chai';
import { createJournalLoads } from '#src/bootstrap/journal-loads.ts';
import type { Log } from '#src/ports/log.ts';
import type { StoredEvent } from '#src/ports/event-store.ts';

describe('the load of a journal', () => {
  let nowMs = 0;
  let lines: string[] = [];
  let lookups = 0;
  const log = { info: (line: string) => lines.push(line) } as unknown as Log;
  const store = {
    last: async () => {
      lookups += 1;
      return { revision: 99_999 } as StoredEvent;
    },
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  beforeEach(() => {
    nowMs = 0;
    lines = [];
    lookups = 0;
  });

  it('is not mentioned if it ends quickly', async () => {
    const { heard, check } = createJournalLoads(store, log, () => nowMs);
    heard('ledger-1', 512, false);
    nowMs = 499;
    heard('ledger-1', 1024, false);
    heard('ledger-1', 1030, true);
    await settled();
    expect({ lines, lookups, check: check() }).to.deep.equal({ lines: [], lookups: 0, check: {} });
  });

  it('is logged every few seconds with its share, rate and time to go, and shown in /readyz', async () => {
    const { heard, check } = createJournalLoads(store, log, () => nowMs);
    for (let n = 0; n <= 50; n += 1) {
      nowMs = n * 100;
      heard('ledger-1', n * 1000, false);
      await settled();
    }
    expect(lines).to.deep.equal([
      'ledger-1 is being loaded: 5 % done, 95000 events behind, 10000 events/s, 10 s to go',
      'ledger-1 is being loaded: 35 % done, 65000 events behind, 10000 events/s, 7 s to go',
    ]);
    expect(check()).to.deep.equal({
      journals: {
        ...{ status: 'up', latency_ms: 0 },
        detail: 'loading ledger-1: 50 % done, 50000 events behind, 10000 events/s, 5 s to go',
      },
    });
    expect(lookups).to.equal(1);

    heard('ledger-1', 100_000, true);
    expect(lines.at(-1)).to.equal('ledger-1 is loaded, after 5.0 s');
    expect(check()).to.deep.equal({});
  });

  it('is forgotten once it has failed, and counted from its new beginning if it is tried again', async () => {
    const { heard, check } = createJournalLoads(store, log, () => nowMs);
    heard('ledger-1', 512, false);
    nowMs = 600;
    heard('ledger-1', 60_000, false);
    await settled();
    expect(check()).to.have.property('journals');
    nowMs = 20_000;
    expect(check()).to.deep.equal({});
    heard('ledger-1', 512, false);
    nowMs = 21_000;
    heard('ledger-1', 1512, false);
    await settled();
    expect(lines.at(-1)).to.include('1 % done, 98488 events behind, 1000 events/s');
  });
});
