import { expect } from 'chai';
import {
  openMongoJournalIndex,
  openMongoJournalIndexReader,
} from '#src/adapters/mongodb/journal-index.ts';
import type { MongoDatabase } from '#src/adapters/mongodb/database.ts';
import { NONE } from '#src/kernel/ids.ts';
import { Unavailable } from '#src/ports/errors.ts';
import { START } from '#src/ports/event-store.ts';
import type { JournalIndex } from '#src/ports/journal-index.ts';
import {
  batch,
  journalIndexContract,
  known,
  position,
} from '#test/contracts/journal-index.contract.ts';
import { newUuid } from '#test/contracts/samples.ts';
import { describeOnMongo, newMongoPlace } from './mongo.ts';

describeOnMongo('journal index: MongoDB', () => {
  let place: Awaited<ReturnType<typeof newMongoPlace>>;
  const logId = newUuid();
  before(async () => {
    place = await newMongoPlace();
  });
  after(() => place.remove());

  journalIndexContract(() => openMongoJournalIndex(place, newUuid()));

  const key = async (index: JournalIndex) =>
    (await index.find('ledger-a', 'idempotency', ['key'])).get('key');
  const opened = (where: MongoDatabase = place) => openMongoJournalIndex(where, logId);
  const filled = { ...batch([known('key', 7)], 9), reached: new Map([['ledger-a', 7]]) };

  it('keeps what it holds for whoever opens it next', async () => {
    await (await opened()).apply(filled);
    const index = await opened();
    expect(await key(index)).to.equal(7);
    expect(await index.indexed('ledger-a')).to.equal(7);
    expect(await index.checkpoint()).to.equal(position(9));
  });

  it('starts empty for another log', async () => {
    await (await opened()).apply(filled);
    const index = await openMongoJournalIndex(place, newUuid());
    expect(await key(index)).to.equal(undefined);
    expect(await index.indexed('ledger-a')).to.equal(NONE);
    expect(await index.checkpoint()).to.equal(START);
  });

  it('says that it is gone rather than that it knows nothing, when it was made anew', async () => {
    const index = await opened();
    await index.apply(filled);
    await openMongoJournalIndex(place, newUuid()); // Another log's takes its place.
    const questions = [
      () => key(index),
      () => index.indexed('ledger-a'),
      () => index.checkpoint(),
      () => index.list('open'),
      () => index.apply({ ...filled, checkpoint: position(10) }),
    ];
    for (const ask of questions) {
      expect(await ask().catch((error: unknown) => error)).to.be.instanceOf(Unavailable);
    }
    await opened();
    expect(await key(index).catch((error: unknown) => error)).to.be.instanceOf(Unavailable);
  });

  it('opened for reading is empty until it is there, then shows it, and says when it is gone', async () => {
    const other = newUuid();
    const reader = openMongoJournalIndexReader(place, other);
    expect(await key(reader)).to.equal(undefined);
    expect(await reader.indexed('ledger-a')).to.equal(NONE);
    expect(await reader.checkpoint()).to.equal(START);
    expect(await reader.list('open')).to.deep.equal([]);

    await (await openMongoJournalIndex(place, other)).apply(filled);
    expect(await key(reader)).to.equal(7);
    expect(await reader.checkpoint()).to.equal(position(9));
    await opened(); // Another log's takes its place.
    const error = await key(reader).catch((failure: unknown) => failure);
    expect(error).to.be.instanceOf(Unavailable);
  });

  it('ends as the log says when two processes apply it, cut differently, in any order', async () => {
    const [one, two] = await Promise.all([opened(), opened()]);
    const open = (revision: number | null) =>
      ({ ...known('step', revision), kind: 'open' }) as const;
    const reached = (revision: number) => ({ reached: new Map([['ledger-a', revision]]) });
    const early = { ...batch([known('key', 8), open(8)], 20), ...reached(8) };
    const late = { ...batch([known('key', 9), open(null)], 21), ...reached(9) };
    const both = { ...batch([...early.entries, ...late.entries], 21), ...reached(9) };

    await one.apply(early);
    await Promise.all([one.apply(late), two.apply(both)]);
    await two.apply(early);
    expect(await key(two)).to.equal(9);
    expect(await one.list('open')).to.deep.equal([]);
    expect(await one.indexed('ledger-a')).to.equal(9);
    expect(await two.checkpoint()).to.equal(position(21));
  });

  it('holds revisions beyond 32 bits as numbers', async () => {
    const index = await opened();
    const far = 2 ** 40;
    await index.apply({ ...batch([known('far', far)], 30), reached: new Map([['ledger-f', far]]) });
    expect(Object.fromEntries(await index.find('ledger-a', 'idempotency', ['far']))).to.deep.equal({
      far,
    });
    expect(await index.indexed('ledger-f')).to.equal(far);
  });
});
