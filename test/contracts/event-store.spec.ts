import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openEmbeddedEventStore } from '#src/adapters/embedded/event-store.ts';
import { newestEvent, openEmbeddedLog, type EmbeddedLog } from '#src/adapters/embedded/log.ts';
import { openEventStoreDb } from '#src/adapters/eventstoredb/event-store.ts';
import { openEventStoreDbHere } from '#src/adapters/eventstoredb/event-store-here.ts';
import { MemoryEventStore } from '#test/doubles/memory/event-store.ts';
import { systemIds, systemScheduler } from '#src/adapters/system.ts';
import { GENESIS, sealText } from '#src/journal/chain.ts';
import { NONE } from '#src/kernel/ids.ts';
import { Ambiguous, Damaged, Unavailable } from '#src/ports/errors.ts';
import { START, type EventStore, type NewEvent } from '#src/ports/event-store.ts';
import { eventStoreDoubleOfBlock } from '#test/doubles/eventstore/start.ts';
import { eventStoreContract } from './event-store.contract.ts';
import { dataFolders, happened, newName, readOn, whatOf } from './samples.ts';

const open = (dir: string, answerWithinMs = 10_000): Promise<EventStore> =>
  openEmbeddedEventStore(dir, {
    ids: systemIds(),
    answerWithinMs,
    onFatal: (error) => {
      throw error;
    },
  });

describe('event store: memory', () => {
  eventStoreContract(async () => new MemoryEventStore({ scheduler: systemScheduler }));
});

describe('event store: embedded', () => {
  const newFolder = dataFolders();

  eventStoreContract(() => open(newFolder()));

  it('keeps everything when it is closed and opened again', async () => {
    const [dir, stream] = [newFolder(), newName()];
    const events = [happened('a'), happened('b')];
    const before = await open(dir);
    const appended = await before.append(stream, events, NONE);
    await before.close();

    const after = await open(dir);
    expect(after.logId).to.equal(before.logId);
    expect((await after.read(stream, 0, 10)).map(whatOf)).to.deep.equal(['a', 'b']);
    expect(await after.append(stream, events, NONE)).to.deep.equal(appended);
    const next = await after.append(stream, [happened('c')], 1);
    expect(next.position > appended.position).to.be.true;
    await after.close();
  });

  it('finishes what it has accepted before it closes', async () => {
    const [dir, stream] = [newFolder(), newName()];
    const store = await open(dir);
    const accepted = store.append(stream, [happened('a')], NONE);
    await store.close();
    expect(await accepted).to.include({ revision: 0 });
  });

  it('shows a reader of the same folder what is committed', async () => {
    const dir = newFolder();
    const store = await open(dir);
    const log = openEmbeddedLog(dir);
    await store.append(newName(), [happened('a')], NONE);

    expect(log.logId).to.equal(store.logId);
    expect((await readOn(log, START)).map(whatOf)).to.deep.equal(['a']);
    await Promise.all([log.close(), store.close()]);
  });

  it('refuses texts that would come back changed', async () => {
    const store = await open(newFolder());
    const event = { ...happened('a'), data: '{"raw":"\ud800"}' };
    const fault = await store.append(newName(), [event], NONE).catch((error: unknown) => error);
    expect(fault).to.be.instanceOf(Error).with.property('message').that.contains('Unicode');
    await store.close();
  });

  it('counts an append as ambiguous when no answer comes in time; it may land later', async () => {
    const [dir, stream] = [newFolder(), newName()];
    const store = await open(dir, 50);
    const other = new DatabaseSync(join(dir, 'log.db'));
    other.exec('BEGIN IMMEDIATE'); // Holds up the commit.
    const fault = await store
      .append(stream, [happened('a')], NONE)
      .catch((error: unknown) => error);
    expect(fault).to.be.instanceOf(Ambiguous);
    expect(await store.read(stream, 0, 10)).to.deep.equal([]);

    other.exec('COMMIT');
    other.close();
    await store.close(); // Whatever is under way ends first.
    const after = await open(dir);
    expect((await after.read(stream, 0, 10)).map(whatOf)).to.deep.equal(['a']);
    await after.close();
  });

  it('does not open a log of a format it does not know', async () => {
    const dir = newFolder();
    await (await open(dir)).close();
    const db = new DatabaseSync(join(dir, 'log.db'));
    db.exec('UPDATE log SET format = 99');
    db.close();

    const fault = await open(dir).catch((error: unknown) => error);
    expect(fault).to.be.instanceOf(Error).with.property('message').that.contains('format 99');
  });

  it('opens a log of format 1 and raises it, so that an older release does not misread new events', async () => {
    const dir = newFolder();
    await (await open(dir)).close();
    const db = new DatabaseSync(join(dir, 'log.db'));
    db.exec('UPDATE log SET format = 1');
    await (await open(dir)).close();
    expect({ ...db.prepare('SELECT format FROM log').get() }).to.deep.equal({ format: 2 });
    db.close();
  });

  describe('on a damaged disk', () => {
    const damagedBy = async (
      sql: string,
      use: (log: EmbeddedLog, dir: string) => Promise<void>,
    ) => {
      const [dir, stream] = [newFolder(), 'a'];
      const store = await open(dir);
      await store.append(stream, ['a', 'b', 'c'].map(sealed), NONE);
      await store.close();
      const db = new DatabaseSync(join(dir, 'log.db'), { defensive: false });
      db.exec(sql);
      db.close();
      const log = openEmbeddedLog(dir);
      await use(log, dir);
      await log.close();
    };
    const sealed = (what: string): NewEvent => {
      const { id, type, data } = happened(what);
      return { id, type, data, metadata: sealText(type, data, OPEN_METADATA, GENESIS).metadata };
    };
    const faultOf = (work: Promise<unknown>): Promise<unknown> =>
      work.then(
        () => undefined,
        (error: unknown) => error,
      );

    it('reads up to a lost event, and not past it', () =>
      damagedBy('DELETE FROM events WHERE position = 2', async (log) => {
        const found = await log.readAll(START, 10);
        expect(found.map(whatOf)).to.deep.equal(['a']);
        expect(await faultOf(log.readAll(found[0]!.position, 10))).to.be.instanceOf(Damaged);
        expect((await log.read('a', 0, 10)).map(whatOf)).to.deep.equal(['a']);
        expect(await faultOf(log.read('a', 1, 10))).to.be.instanceOf(Damaged);
      }));

    it('does not take a table that has lost its end for the whole log', () =>
      damagedBy(
        `CREATE TABLE shorter (
           position INTEGER PRIMARY KEY, stream INTEGER NOT NULL, revision INTEGER NOT NULL,
           id TEXT NOT NULL, type TEXT NOT NULL, data TEXT NOT NULL, metadata TEXT NOT NULL
         ) STRICT;
         INSERT INTO shorter SELECT * FROM events WHERE position < 3;
         PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET rootpage =
         (SELECT rootpage FROM sqlite_schema WHERE name = 'shorter') WHERE name = 'events'`,
        async (log, dir) => {
          expect((await log.readAll(START, 10)).map(whatOf)).to.deep.equal(['a', 'b']);
          expect(await faultOf(newestEvent(dir, log))).to.be.instanceOf(Damaged);
        },
      ));
  });

  it('acknowledges nothing more once the disk is full, says so once, and keeps the rest', async function () {
    if (process.platform === 'win32') this.skip(); // No limit on the size of a file there.
    const dir = newFolder();
    const { stdout, stderr } = spawnSync(
      'sh',
      ['-c', 'ulimit -f 4096; exec "$0" -e "$1" "$2"', process.execPath, fillUp, dir],
      { encoding: 'utf8' },
    );
    expect(stderr).to.equal('');
    const { acknowledged, faults, fatal } = JSON.parse(stdout) as Record<string, unknown>;
    expect(fatal).to.equal(1);
    expect(faults).to.deep.equal(['Ambiguous or Unavailable', 'Unavailable']);

    const store = await open(dir);
    const kept = await readOn(store, START);
    expect(kept.length).to.be.at.least(Number(acknowledged)).and.above(0);
    await store.close();
  });
});

describe('event store: EventStoreDB adapter on a protocol double', () => {
  const double = eventStoreDoubleOfBlock();
  const patient = { ids: systemIds(), answerWithinMs: 30_000 }; // A machine may stand still.

  describe('in the thread of its caller', () => {
    eventStoreContract(() => openEventStoreDbHere(double().url, patient));
  });
  describe('in a worker thread', () => {
    let store: EventStore | undefined;
    after(() => store?.close());

    eventStoreContract(async () => {
      store ??= await openEventStoreDb(double().url, patient);
      return lent(store);
    });
  });
});

/** One thread serves all tests of a suite: a start takes a quarter of a second. */
function lent(store: EventStore): EventStore {
  let closed = false;
  return {
    ...store,
    async append(...asked) {
      if (closed) throw new Unavailable('Given back');
      return store.append(...asked);
    },
    async close() {
      closed = true;
    },
  };
}

/** Appends until it fails, then once more. */
const fillUp = `
  import { openEmbeddedEventStore } from '#src/adapters/embedded/event-store.ts';
  import { systemIds } from '#src/adapters/system.ts';

  const ids = systemIds();
  let [acknowledged, fatal] = [0, 0];
  const store = await openEmbeddedEventStore(process.argv[1], { ids, onFatal: () => (fatal += 1) });
  const append = async () => {
    const event = { id: ids.next(), type: 'Happened', data: '"' + 'x'.repeat(100000) + '"', metadata: '{}' };
    await store.append('full', [event], acknowledged - 1);
    acknowledged += 1;
  };
  const first = await (async () => { for (;;) await append(); })().catch(({ name }) => name);
  const second = await append().catch(({ name }) => name);
  await store.close();
  const faults = [/^(Ambiguous|Unavailable)$/.test(first) ? 'Ambiguous or Unavailable' : first, second];
  console.log(JSON.stringify({ acknowledged, faults, fatal }));
`;

/** Events that are checked one by one need not be chained to each other. */
const OPEN_METADATA = `{"prevHash":"${GENESIS}"`;
