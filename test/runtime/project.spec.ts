import { expect } from 'chai';
import { projections } from '#src/bootstrap/projections.ts';
import { balanceProjection } from '#projections/ledger/balance.ts';
import { transactionProjection } from '#projections/ledger/transaction.ts';
import { MemoryJournalIndex } from '#test/doubles/memory/journal-index.ts';
import { memoryReadStore, memoryReadStoreWriter } from '#test/doubles/memory/read-store.ts';
import { systemScheduler } from '#src/adapters/system.ts';
import { partId } from '#src/kernel/ids.ts';
import { ledgerJournal, organizationJournal } from '#src/kernel/journal-name.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { Rows } from '#src/ports/projection.ts';
import type { ReadStoreWriter } from '#src/ports/read-store.ts';
import {
  accountId,
  LEDGER,
  ledgerOpened,
  ledgerNameReserved,
  ledgerNameSettled,
  ledgerWith,
  ORGANIZATION,
  organizationCreated,
} from '#test/support/ledger-samples.ts';
import { ReadingWorld } from '#test/support/reading-world.ts';
import type { DomainEvent } from '#src/kernel/decider.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import {
  funded,
  state,
  transactionId,
  transactionRecord,
  type Moved,
} from '#test/support/transaction-samples.ts';

const journal = ledgerJournal(LEDGER);
const BALANCE = partId(accountId('@alice'), 1);

/** The rows a world ends with, by collection. */
const rowsOf = (world: ReadingWorld) =>
  new Map([...world.memory.collections].map(([name, { live }]) => [name, [...live.rows.values()]]));

const balanceOf = async (world: ReadingWorld, id = BALANCE) =>
  (await memoryReadStore(world.memory, systemScheduler).get(balanceProjection.collection, { id }))
    ?.values;

const index = (world: ReadingWorld) =>
  new MemoryJournalIndex({ scheduler: systemScheduler, data: world.index });

/** A ledger with 1,200 transactions to one account: more than two batches. */
function busy(world: ReadingWorld) {
  world.append(journal, ...ledgerWith('BRL', '@alice'));
  let position = world.append(journal, funded('@alice', 1));
  for (let n = 2; n <= 1200; n += 1) position = world.append(journal, funded('@alice', n));
  return position;
}

/** Records and a transaction that change several times, and an account that goes. */
function changing(): DomainEvent[] {
  const events: DomainEvent[] = ledgerWith('BRL', '@alice', '@bob', '@carol');
  const [, asset, , alice, bob] = events as [
    LedgerEvent,
    LedgerEvent & { type: 'AssetCreated' },
    LedgerEvent,
    ...(LedgerEvent & { type: 'AccountOpened' })[],
  ];
  const { account, balance } = alice!.data;
  const data = { balance: { ...balance, allowSending: false }, state: state('500', 1) };
  return [
    ...events,
    { type: 'AssetUpdated', data: { asset: { ...asset.data.asset, name: 'Real' }, changed: [] } },
    { type: 'AccountUpdated', data: { account: { ...account, name: 'A' }, changed: [] } },
    funded('@alice', 1),
    { type: 'BalanceUpdated', data: { ...data, changed: ['allowSending'] } },
    funded('@alice', 2),
    { type: 'AccountUpdated', data: { account: { ...account, name: 'B' }, changed: [] } },
    { type: 'AccountDeleted', data: { ...bob!.data, balances: [bob!.data.balance] } },
    {
      type: 'TransactionUpdated',
      data: { transaction: transactionRecord('twice', [operationOf('@alice', 1)]), changed: [] },
    },
    {
      type: 'TransactionUpdated',
      data: {
        transaction: transactionRecord('twice', [
          operationOf('@alice', 1),
          operationOf('@carol', 1),
        ]),
        changed: [],
      },
    },
  ];
}

const operationOf = (alias: string, version: number): Moved => ({
  alias,
  type: 'CREDIT',
  balance: state('0', version - 1),
  balanceAfter: state('500', version),
});

describe('projector', () => {
  let world: ReadingWorld;
  afterEach(() => world.projector.stop());

  it('shows what was appended while it slept, and while it worked', async () => {
    world = new ReadingWorld();
    await world.shows(world.append(journal, ...ledgerWith('BRL', '@alice')));
    await world.shows(world.append(journal, funded('@alice', 1)));
    expect(await balanceOf(world)).to.include({ available: '500', version: 1 });

    world.append(journal, funded('@alice', 2));
    await world.shows(world.append(journal, funded('@alice', 3)));
    expect(await balanceOf(world)).to.include({ available: '1500', version: 3 });
  });

  it('says that the end of the log was reached, and then sleeps', async () => {
    world = new ReadingWorld();
    await world.shows(busy(world));
    await settled();
    const reports = world.reports.length;
    expect(world.reports.at(-1)).to.include({ caughtUp: true });
    expect(world.reports[0]).to.include({ caughtUp: false });

    world.projector.wake();
    await settled();
    expect(world.reports).to.have.length(reports);
  });

  it('gathers for as long as the last round took, within its bounds', async () => {
    const waitedMs: number[] = [];
    let workMs = 0;
    let spentMs = 0;
    world = new ReadingWorld({
      gatherMs: 30,
      scheduler: {
        ...systemScheduler,
        elapsedMs: () => spentMs,
        sleep: (ms) => {
          waitedMs.push(ms);
          return systemScheduler.yield();
        },
      },
      during: async (_events, work) => {
        await work();
        spentMs += workMs;
      },
    });
    await world.shows(world.append(journal, ...ledgerWith('BRL', '@alice')));
    for (const [n, ms] of [5, 60, 500, 0].entries()) {
      workMs = ms;
      await world.shows(world.append(journal, funded('@alice', n + 1)));
      await settled();
    }
    world.append(journal, funded('@alice', 5));
    await settled();
    const gathered = waitedMs.filter((ms) => ms !== INDEX_IDLE_MS);
    expect(gathered.filter((ms, n) => ms !== gathered[n - 1])).to.deep.equal([30, 60, 100, 30]);
  });

  it('gives the same rows whatever batches the log came in', async () => {
    world = new ReadingWorld();
    await world.shows(busy(world));
    const other = new ReadingWorld();
    other.append(journal, ...ledgerWith('BRL', '@alice'));
    for (let n = 1; n <= 1200; n += 1) {
      const position = other.append(journal, funded('@alice', n));
      if (n % 37 === 0) await other.shows(position);
    }
    await other.shows(other.append(journal, funded('@alice', 1201)));
    await world.shows(world.append(journal, funded('@alice', 1201)));
    expect(rowsOf(other)).to.deep.equal(rowsOf(world));
    await other.projector.stop();
  });

  it('keeps a row where it entered its list when it is put again in the same batch', async () => {
    world = new ReadingWorld();
    const again = funded('@alice', 1, { description: 'again' }).data;
    const updated = { type: 'TransactionUpdated', data: { ...again, changed: ['description'] } };
    const events = [...ledgerWith('BRL', '@alice'), funded('@alice', 1), funded('@alice', 2)];
    await world.shows(world.append(journal, ...events, updated));
    const other = new ReadingWorld();
    await other.shows(other.append(journal, ...events));
    await other.shows(other.append(journal, updated));
    expect(rowsOf(world)).to.deep.equal(rowsOf(other));
    await other.projector.stop();
  });

  it('gives the same rows for changes and deletions, each alone or all in one batch', async () => {
    const events = changing();
    world = new ReadingWorld();
    await world.shows(world.append(journal, ...events));
    const other = new ReadingWorld();
    for (const event of events) await other.shows(other.append(journal, event));
    await other.projector.stop();

    expect(rowsOf(other)).to.deep.equal(rowsOf(world));
    expect(await balanceOf(world)).to.include({ available: '1000', version: 2 });
    const bob = partId(accountId('@bob'), 1);
    expect(await balanceOf(world, bob)).to.equal(undefined);
  });

  it('loses nothing and repeats harmlessly when it dies between any two steps', async () => {
    const whole = new ReadingWorld();
    await whole.shows(busy(whole));
    await whole.projector.stop();

    for (let step = 1; step <= 8; step += 1) {
      world = new ReadingWorld();
      await world.projector.stop();
      const last = busy(world);
      // Dies at the step-th write, if there are so many.
      await Promise.race([dying(world, step), world.shows(last)]);
      world.start();
      await world.shows(last);
      expect(rowsOf(world), `step ${step}`).to.deep.equal(rowsOf(whole));
      expect([...world.index.reached], `step ${step}`).to.deep.equal([...whole.index.reached]);
      await world.projector.stop();
    }
  });

  it('stops a projection at the event that is poison to it, and no other', async () => {
    world = new ReadingWorld();
    world.append(journal, ...ledgerWith('BRL', '@alice'), funded('@alice', 1));
    const poison = world.append(journal, { type: 'TransactionPosted', data: { transaction: {} } });
    const last = world.append(journal, ...ledgerWith('USD'));
    await world.shows(last);

    const faults = world.faults.map(({ projection, position, event }) => ({
      projection,
      position,
      event,
    }));
    const event = { stream: journal, revision: 5, type: 'TransactionPosted' };
    expect(faults).to.deep.include({ projection: 'balance', position: poison, event });
    expect(faults).to.deep.include({ projection: 'transaction', position: poison, event });
    expect(world.faults[0]?.message).to.match(
      /balance stopped at position .* revision 5.*TypeError/,
    );
    const { collections } = world.reports.at(-1)!;
    expect(collections.get('balance')).to.include({ stopped: true });
    expect(collections.get('account')).to.include({ stopped: false, checkpoint: last });
    expect(await balanceOf(world)).to.include({ available: '500' }); // What came before is there.
  });

  it('stops a projection whose rows the store refuses, at the very event', async () => {
    world = new ReadingWorld();
    await world.projector.stop();
    const writer = memoryReadStoreWriter(world.memory, systemScheduler);
    world.start({
      writer: {
        ...writer,
        async apply(batch) {
          const refused = batch.some(({ changes }) =>
            changes.some(
              (change) => 'put' in change && change.put.id === transactionId('@alice 3'),
            ),
          );
          if (refused) throw new Error('constraint failed');
          await writer.apply(batch);
        },
      },
    });
    world.append(journal, ...ledgerWith('BRL', '@alice'));
    for (let n = 1; n < 6; n += 1) world.append(journal, funded('@alice', n));
    await world.shows(world.append(journal, funded('@alice', 6)));

    expect(world.faults).to.have.length(1);
    expect(world.faults[0]).to.deep.include({
      projection: 'transaction',
      event: { stream: journal, revision: 6, type: 'TransactionPosted' },
    });
    expect(rowsOf(world).get('transaction')).to.have.length(2);
    expect(await balanceOf(world)).to.include({ available: '3000' });
  });

  it('takes up a stopped projection again after a restart', async () => {
    world = new ReadingWorld({ projections: [throwing(balanceProjection), transactionProjection] });
    world.append(journal, ...ledgerWith('BRL', '@alice'));
    await world.shows(world.append(journal, funded('@alice', 1)), [transactionProjection]);
    expect(world.faults).to.have.length(1);
    await world.projector.stop();

    world.start({ projections: [balanceProjection, transactionProjection] });
    await world.shows(world.append(journal, funded('@alice', 2)), [balanceProjection]);
    expect(await balanceOf(world)).to.include({ available: '1000' });
  });

  it('waits while a store is away', async () => {
    world = new ReadingWorld();
    await world.projector.stop();
    const writer = memoryReadStoreWriter(world.memory, systemScheduler);
    let away = 3;
    world.start({
      writer: {
        ...writer,
        async apply(batch) {
          if ((away -= 1) >= 0) throw new Unavailable('away');
          await writer.apply(batch);
        },
      },
    });
    world.append(journal, ...ledgerWith('BRL', '@alice'));
    await world.shows(world.append(journal, funded('@alice', 1)));
    expect(world.faults).to.deep.equal([]);
    expect(await balanceOf(world)).to.include({ available: '500' });
  });

  describe('with a new version of a projection', () => {
    const next: Rows = {
      ...balanceProjection,
      collection: { ...balanceProjection.collection, version: 99 },
    };
    const others = projections.filter((one) => one !== balanceProjection);

    it('rebuilds it beside the live rows, and lets readers see it when it has caught up', async () => {
      world = new ReadingWorld();
      await world.shows(busy(world));
      await world.projector.stop();
      world.start({ projections: [...others, next] });
      await world.shows(world.append(journal, funded('@alice', 1201)), [next, ...others]);
      await settled();

      expect(world.reports[0]?.collections.get('balance')).to.include({ rebuilding: true });
      expect(world.reports.at(-1)?.collections.get('balance')).to.include({ rebuilding: false });
      expect(world.memory.collections.get('balance')?.live.spec).to.have.property('version', 99);
      expect(await balanceOf(world)).to.include({ available: String(500 * 1201) });
    });

    it('does not hold up the others meanwhile', async () => {
      world = new ReadingWorld();
      await world.shows(busy(world));
      await world.projector.stop();
      world.start({ projections: [...others, next] });
      const last = world.append(journal, funded('@alice', 1201));
      await world.shows(last, others);

      const { collections } = world.reports.find(
        (report) => (report.collections.get('account')?.checkpoint ?? '') >= last,
      )!;
      expect(collections.get('balance')!.checkpoint < last).to.equal(true);
    });
  });

  it('keeps the journal index: keys, transactions and open steps', async () => {
    world = new ReadingWorld();
    const organization = organizationJournal(ORGANIZATION);
    world.append(organization, organizationCreated(), ledgerNameReserved());
    world.append(journal, ...ledgerWith('BRL', '@alice'), { ...funded('@alice', 1), key: 'a"key' });
    await world.shows(world.append(journal, { ...funded('@alice', 2), key: 'other' }));
    const one = transactionId('@alice 1');

    expect(await index(world).list('open')).to.deep.equal([{ journal: organization, key: LEDGER }]);
    expect(await index(world).find(journal, 'idempotency', ['a"key', 'other', 'no'])).to.deep.equal(
      new Map([
        ['a"key', 4],
        ['other', 5],
      ]),
    );
    expect(await index(world).find(journal, 'transaction', [one])).to.deep.equal(
      new Map([[one, 4]]),
    );
    expect(await index(world).indexed(journal)).to.equal(5);
    expect(indexedBy(world).get(journal)).to.equal(5);

    await world.shows(world.append(organization, ledgerNameSettled()));
    expect(await index(world).list('open')).to.deep.equal([]);
  });

  it('keeps changes and deletions of ledgers open in the index until their last step', async () => {
    world = new ReadingWorld();
    const organization = organizationJournal(ORGANIZATION);
    const open = async (name: string, ...events: DomainEvent[]) => {
      await world.shows(world.append(name, ...events));
      return (await index(world).list('open')).map((entry) => `${entry.journal} ${entry.key}`);
    };
    const rename = `${organization} rename ${LEDGER}`;
    const deletion = `${journal} ${LEDGER}`;
    const reserved = { ledgerId: LEDGER, name: 'Shops', changes: {} };
    const freed = (name: string, more: object = {}): DomainEvent => {
      return { type: 'LedgerNameFreed', data: { ledgerId: LEDGER, name, ...more } };
    };
    const opened = ledgerOpened() as LedgerEvent & { type: 'LedgerOpened' };

    expect(
      await open(organization, { type: 'LedgerRenameReserved', data: reserved }),
    ).to.have.members([rename]);
    const { ledger } = opened.data;
    expect(await open(journal, opened, { type: 'LedgerClosed', data: { ledger } })).to.have.members(
      [rename, deletion],
    );
    expect(await open(organization, freed('retail'))).to.have.members([deletion]);
    expect(await open(organization, freed('shops', { closed: true }))).to.deep.equal([]);
    const change = { type: 'LedgerMetadataReserved', data: { ledgerId: LEDGER, changes: {} } };
    expect(await open(organization, change)).to.deep.equal([rename]);
    const settled = { type: 'LedgerMetadataSettled', data: { ledger: { id: LEDGER } } };
    expect(await open(organization, settled)).to.deep.equal([]);
  });
});

/** What all reports together said of the index. */
const indexedBy = (world: ReadingWorld) =>
  new Map(world.reports.flatMap(({ indexed }) => [...indexed]));

/** The wait before entries of the journal index are written; nothing is gathered by it. */
const INDEX_IDLE_MS = 20;

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn += 1) await systemScheduler.yield();
};

const throwing = ({ collection, on }: Rows): Rows => ({
  collection,
  on: {
    ...on,
    TransactionPosted: () => {
      throw new Error('cannot');
    },
  },
});

/** Starts a projector that dies at its n-th half write, before it is made when n is odd, after it when n is even. */
function dying(world: ReadingWorld, n: number): Promise<void> {
  let writes = 0;
  return new Promise<void>((die) => {
    const mortal =
      <Args extends unknown[]>(write: (...args: Args) => Promise<void>) =>
      async (...args: Args): Promise<void> => {
        writes += 1;
        if (writes * 2 - 1 === n) return hang(die);
        await write(...args);
        if (writes * 2 === n) return hang(die);
      };
    const writer = memoryReadStoreWriter(world.memory, systemScheduler);
    const journals = index(world);
    world.start({
      writer: {
        ...writer,
        apply: mortal((batch) => writer.apply(batch)),
      } satisfies ReadStoreWriter,
      index: Object.assign(Object.create(journals) as MemoryJournalIndex, {
        checkpoint: () => journals.checkpoint(),
        anchor: () => journals.anchor(),
        flaw: () => journals.flaw(),
        apply: mortal((batch: Parameters<MemoryJournalIndex['apply']>[0]) => journals.apply(batch)),
      }),
    });
  });
}

const hang = (die: () => void): Promise<void> => {
  die();
  return new Promise(() => {});
};
