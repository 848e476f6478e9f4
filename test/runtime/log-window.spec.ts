import { expect } from 'chai';
import { MemoryEventStore } from '#test/doubles/memory/event-store.ts';
import { simulate } from '#test/doubles/memory/simulated.ts';
import { START, type Position } from '#src/ports/event-store.ts';
import { createRetry } from '#src/ports/retry.ts';
import { createLogWindow } from '#src/runtime/log-window.ts';
import { logged } from '#test/support/relayed.ts';
import { transactionPosted, transactionRecord } from '#test/support/transaction-samples.ts';

const TYPES = new Set(['TransactionPosted']);
const LONG = 'x'.repeat(1_500_000);

describe('pages of the log', () => {
  it('are read once, however long they are, while one reader could run ahead of another', async () => {
    const { scheduler, run } = simulate(1);
    const store = new MemoryEventStore({ scheduler });
    const read: Position[] = [];
    const { signal: stop } = new AbortController();
    const window = createLogWindow({
      log: {
        readAll(after, limit) {
          read.push(after);
          return store.readAll(after, limit);
        },
        subscribe: (after, take) => store.subscribe(after, take),
      },
      ...{ scheduler, stop, pageEvents: 1, measure: { at: Number, perEvent: 1 } },
      retry: createRetry({ scheduler, backoff: { firstMs: 1, maxMs: 1 }, stop }),
      onTrouble: (error) => expect.fail(String(error)),
    });
    const [ahead, behind] = [window.join(), window.join()];
    await run(
      (async () => {
        const events = Array.from({ length: 12 }, (_, n) => {
          const record = transactionRecord(`long ${n}`, [], { description: LONG });
          return logged(`long ${n}`, transactionPosted(record));
        });
        await store.append('ledger-1', events, -1);
        const end = await store.end();
        const first = await behind.next(START, TYPES);
        const arriving = through(ahead, START, end);
        await scheduler.sleep(500);
        await through(behind, first.end, end);
        await arriving;
        await window.close();
      })(),
    );
    expect(read).to.have.length(12);
    expect(new Set(read)).to.have.length(12);
  });
});

type Reader = ReturnType<ReturnType<typeof createLogWindow>['join']>;

async function through(reader: Reader, from: Position, end: Position): Promise<void> {
  for (let at = from; at < end;) at = (await reader.next(at, TYPES)).end;
}
