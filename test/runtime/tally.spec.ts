import { expect } from 'chai';
import { tally } from '#projections/projection.ts';
import {
  createReadMemory,
  memoryReadStore,
  memoryReadStoreWriter,
} from '#test/doubles/memory/read-store.ts';
import { systemScheduler } from '#src/adapters/system.ts';
import { parseAmount } from '#src/kernel/amount.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { START, type Position } from '#src/ports/event-store.ts';
import { LoggedEvent } from '#src/runtime/logged-event.ts';
import { TallyConsumer } from '#src/runtime/tally-consumer.ts';

type Paid = Readonly<{ type: 'Paid'; data: Readonly<{ to: string; amount: string }> }>;

const payments = tally<Paid>(
  { name: 'payments', version: 1, keys: { tenantId: 'text' }, indexes: [['tenantId']] },
  {
    Paid: ({ data: { to, amount }, tenantId }) => [
      {
        id: to,
        born: 0,
        keys: { tenantId },
        add: [
          ['paid', parseAmount(amount)],
          ['times', parseAmount('1')],
        ],
      },
    ],
  },
);

describe('a tally', () => {
  const { collection } = payments;
  let memory: ReturnType<typeof createReadMemory>;
  let writer: ReturnType<typeof memoryReadStoreWriter>;

  beforeEach(async () => {
    memory = createReadMemory();
    writer = memoryReadStoreWriter(memory, systemScheduler);
    await writer.open(LOG, [collection]);
  });

  const consumer = (checkpoint = START) =>
    new TallyConsumer(payments, writer, { checkpoint, shadow: false });
  const sums = async (id: string) => {
    const row = await memoryReadStore(memory, systemScheduler).get(collection, { id });
    return row && (JSON.parse(String(row.values['sums'])) as unknown);
  };
  const takeAll = (tallying: TallyConsumer, from: number, to: number) => {
    for (const event of EVENTS.slice(from, to)) tallying.take(event);
  };

  it('adds up what events say, exactly, over any number of batches', async () => {
    const tallying = consumer();
    for (const [from, to] of [
      [0, 1],
      [1, 4],
      [4, 6],
    ] as const) {
      takeAll(tallying, from, to);
      await tallying.flush(at(to));
    }
    expect(await sums('alice')).to.deep.equal({ paid: '0.3', times: '3' });
    expect(await sums('bob')).to.deep.equal({ paid: '70.000000000000000001', times: '2' });
    expect(await sums('nobody')).to.equal(undefined);
  });

  it('has no name for what comes to nothing', async () => {
    const tallying = consumer();
    takeAll(tallying, 0, EVENTS.length);
    await tallying.flush(at(EVENTS.length));
    expect(await sums('carol')).to.deep.equal({ times: '2' });
  });

  it('counts no event twice that comes again, however the log is cut then', async () => {
    for (const cut of [1, 2, 3, 4, 5, 6]) {
      memory = createReadMemory();
      writer = memoryReadStoreWriter(memory, systemScheduler);
      await writer.open(LOG, [collection]);
      const before = consumer();
      takeAll(before, 0, cut);
      await before.prepare();
      // Its rows are written, and then the process ends: the checkpoint stays where it was.
      await writer.apply([before.batch(START)]);

      const after = consumer();
      takeAll(after, 0, 4);
      await after.flush(at(4));
      takeAll(after, 4, 6);
      await after.flush(at(6));
      expect(await sums('alice')).to.deep.equal({ paid: '0.3', times: '3' });
      expect(await sums('bob')).to.deep.equal({ paid: '70.000000000000000001', times: '2' });
    }
  });

  it('writes the same when a batch is applied again, and nothing of one that is discarded', async () => {
    const tallying = consumer();
    takeAll(tallying, 0, 2);
    await tallying.prepare();
    await writer.apply([tallying.batch(at(2))]);
    await writer.apply([tallying.batch(at(2))]);
    tallying.moved(at(2));
    takeAll(tallying, 2, 6);
    tallying.discard();
    await tallying.flush(at(6));
    expect(await sums('alice')).to.deep.equal({ paid: '0.1', times: '1' });
  });
});

const LOG = '0190a000-0000-7000-8000-000000000001' as Uuid;
const at = (n: number): Position => String(n).padStart(16, '0') as Position;

const EVENTS = (
  [
    ['alice', '0.1'],
    ['bob', '70'],
    ['alice', '0.1'],
    ['bob', '0.000000000000000001'],
    ['alice', '0.1'],
    ['carol', '5'],
    ['carol', '-5'],
  ] as const
).map(
  ([to, amount], n) =>
    new LoggedEvent({
      id: LOG,
      stream: 'till',
      revision: n,
      position: at(n + 1),
      type: 'Paid',
      data: JSON.stringify({ to, amount }),
      metadata: '{"tenantId":"default"}',
    }),
);
