import { expect } from 'chai';
import { NONE } from '#src/kernel/ids.ts';
import { UNANCHORED } from '#src/ports/anchor.ts';
import { Unavailable } from '#src/ports/errors.ts';
import { START, type Position } from '#src/ports/event-store.ts';
import type { IndexBatch, IndexEntry, JournalIndex } from '#src/ports/journal-index.ts';
import { newUuid } from './samples.ts';

/** What every journal index promises. Each test has an empty one. */
export function journalIndexContract(open: () => Promise<JournalIndex>): void {
  let index: JournalIndex;

  beforeEach(async () => {
    index = await open();
  });
  afterEach(() => index.close());

  const find = async (journal: string, kind: IndexEntry['kind'], ...keys: string[]) =>
    Object.fromEntries(await index.find(journal, kind, keys));

  it('is empty at first', async () => {
    expect(await index.checkpoint()).to.equal(START);
    expect(await index.indexed('ledger-a')).to.equal(NONE);
    expect(await index.list('open')).to.deep.equal([]);
    expect(await find('ledger-a', 'idempotency', 'key')).to.deep.equal({});
  });

  it('finds the revisions of the keys it knows, and says nothing of the others', async () => {
    await index.apply(batch([known('one', 1), known('two', 2)]));
    expect(await find('ledger-a', 'idempotency', 'two', 'three', 'one')).to.deep.equal({
      one: 1,
      two: 2,
    });
  });

  it('keeps journals and kinds apart', async () => {
    await index.apply(
      batch([
        known('key', 1),
        { ...known('key', 2), journal: 'ledger-b' },
        { ...known('key', 3), kind: 'transaction' },
      ]),
    );
    expect(await find('ledger-a', 'idempotency', 'key')).to.deep.equal({ key: 1 });
    expect(await find('ledger-b', 'idempotency', 'key')).to.deep.equal({ key: 2 });
    expect(await find('ledger-a', 'transaction', 'key')).to.deep.equal({ key: 3 });
    expect(await find('ledger-b', 'transaction', 'key')).to.deep.equal({});
    expect(await find('ledger-a', 'value', 'key')).to.deep.equal({});
  });

  it('takes the values of metadata for keys, which may be long', async () => {
    const keys = ['a', 'b'].map((end) => `account/code/${'“ñ” /'.repeat(400)}${end}`);
    const entry = (key: string, n: number) => ({ ...known(key, n), kind: 'value' as const });
    await index.apply(batch(keys.map(entry)));
    expect(await find('ledger-a', 'value', ...keys)).to.deep.equal({
      [keys[0]!]: 0,
      [keys[1]!]: 1,
    });
  });

  it('lets a later entry replace an earlier one, in the same batch and in the next', async () => {
    await index.apply(batch([known('key', 1), known('key', 2)], 1));
    expect(await find('ledger-a', 'idempotency', 'key')).to.deep.equal({ key: 2 });
    await index.apply(batch([known('key', 3)], 2));
    expect(await find('ledger-a', 'idempotency', 'key')).to.deep.equal({ key: 3 });
  });

  it('forgets a key whose revision is null, and takes it again later', async () => {
    await index.apply(batch([known('key', 1), known('key', null)], 1));
    expect(await find('ledger-a', 'idempotency', 'key')).to.deep.equal({});
    await index.apply(batch([known('key', null), known('key', 4)], 2));
    expect(await find('ledger-a', 'idempotency', 'key')).to.deep.equal({ key: 4 });
  });

  it('takes the entries of a batch in their order, however many there are', async () => {
    const taken = Array.from({ length: 50 }, (_, n) =>
      known(`key ${n % 5}`, n % 7 === 6 ? null : n),
    );
    const expected = new Map<string, number>();
    for (const { key, revision } of taken) {
      if (revision === null) expected.delete(key);
      else expected.set(key, revision);
    }
    await index.apply(batch(taken));
    const keys = [0, 1, 2, 3, 4].map((n) => `key ${n}`);
    expect(await index.find('ledger-a', 'idempotency', keys)).to.deep.equal(expected);
    expect(expected.size).to.be.within(1, 4);
  });

  it('tells every key from every other, letter by letter', async () => {
    const uuid = newUuid();
    const keys = [
      uuid,
      uuid.toUpperCase(),
      uuid.replaceAll('-', ''),
      `${uuid} `,
      'k'.repeat(1024),
      'k'.repeat(1023) + 'l',
      'é',
      'e\u0301',
      'E',
      'e',
      'nul\0',
      'nul',
      '1',
      '01',
      '\ud800',
      '\ud801',
      '\ufffd',
      '\u0001"\\ud800"',
    ];
    await index.apply(batch(keys.map((key, n) => known(key, n))));
    const found = await index.find('ledger-a', 'idempotency', keys);
    expect([...found]).to.deep.equal(keys.map((key, n) => [key, n]));
  });

  it('lists the keys of a kind with their journals', async () => {
    const [one, two] = [newUuid(), 'step \ud800'];
    const open = (journal: string, key: string, revision: number | null): IndexEntry => ({
      journal,
      kind: 'open',
      key,
      revision,
    });
    await index.apply(
      batch([known('other', 1), open('ledger-a', one, 2), open('group-b', two, 3)]),
    );
    expect(await index.list('open')).to.have.deep.members([
      { journal: 'ledger-a', key: one },
      { journal: 'group-b', key: two },
    ]);

    await index.apply(batch([open('ledger-a', one, null)], 2));
    expect(await index.list('open')).to.deep.equal([{ journal: 'group-b', key: two }]);
  });

  it('knows how far it has come, in each journal and in the log', async () => {
    await index.apply({ ...batch([], 1), reached: new Map([['ledger-a', 4]]) });
    await index.apply({ ...batch([], 2), reached: new Map([['ledger-b', 0]]) });

    expect(await index.indexed('ledger-a')).to.equal(4);
    expect(await index.indexed('ledger-b')).to.equal(0);
    expect(await index.indexed('ledger-c')).to.equal(NONE);
    expect(await index.checkpoint()).to.equal(position(2));
  });

  it('is not taken back by a batch that it holds already', async () => {
    const earlier = { ...batch([known('key', 1)], 1), reached: new Map([['ledger-a', 1]]) };
    await index.apply(earlier);
    await index.apply({ ...batch([known('key', 2)], 2), reached: new Map([['ledger-a', 2]]) });
    await index.apply(earlier);

    expect(await find('ledger-a', 'idempotency', 'key')).to.deep.equal({ key: 2 });
    expect(await index.indexed('ledger-a')).to.equal(2);
    expect(await index.checkpoint()).to.equal(position(2));
  });

  it('keeps the hash of the last event it holds, so that the log can confirm it', async () => {
    expect(await index.anchor()).to.deep.equal(UNANCHORED);
    await index.apply({ ...batch([known('key', 1)], 1), hash: 'one' });
    await index.apply({ ...batch([known('key', 2)], 2), hash: 'two' });
    await index.apply({ ...batch([known('key', 1)], 1), hash: 'one' });
    expect(await index.anchor()).to.deep.equal({ position: position(2), hash: 'two' });
  });

  it('does not say that a key was never used before it holds the journal that far', async () => {
    await index.apply({ ...batch([known('key', 3)], 1), reached: new Map([['ledger-a', 4]]) });
    const found = await index.find('ledger-a', 'idempotency', ['key', 'other'], 4);
    expect([...found]).to.deep.equal([['key', 3]]);
    for (const [journal, through] of [
      ['ledger-a', 5],
      ['ledger-b', 0],
    ] as const) {
      const failure = await index
        .find(journal, 'idempotency', ['other'], through)
        .catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(Unavailable);
    }
  });

  it('is empty once it was forgotten, and can be built again', async () => {
    const first = {
      ...batch([known('key', 1)], 5),
      reached: new Map([['ledger-a', 1]]),
      hash: 'a',
    };
    await index.apply(first);
    await index.doubt('a key leads nowhere');
    expect(await index.flaw()).to.be.a('string');
    await index.forget();
    expect(await index.flaw()).to.equal(undefined);
    expect(await index.anchor()).to.deep.equal(UNANCHORED);
    expect(await index.indexed('ledger-a')).to.equal(NONE);
    expect(await find('ledger-a', 'idempotency', 'key')).to.deep.equal({});
    await index.apply(first);
    expect(await index.find('ledger-a', 'idempotency', ['key'], 1)).to.deep.equal(
      new Map([['key', 1]]),
    );
  });

  it('takes large batches', async () => {
    const entries = Array.from({ length: 5000 }, (_, n) => known(newUuid(), n));
    await index.apply(batch(entries));
    const found = await index.find(
      'ledger-a',
      'idempotency',
      entries.map(({ key }) => key),
    );
    expect([...found.values()]).to.deep.equal(entries.map(({ revision }) => revision));
  });
}

/** An entry of one journal and kind. */
export const known = (key: string, revision: number | null): IndexEntry => ({
  journal: 'ledger-a',
  kind: 'idempotency',
  key,
  revision,
});

export const batch = (entries: readonly IndexEntry[], checkpoint = 1): IndexBatch => ({
  entries,
  reached: new Map(),
  checkpoint: position(checkpoint),
});

export const position = (n: number): Position => String(n).padStart(16, '0') as Position;
