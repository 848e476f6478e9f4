import { expect } from 'chai';
import { OPERATION, type WantedOperations } from '#queries/ledger/operation-text.ts';
import { TRANSACTION_V2, transactionTextV2 } from '#queries/ledger/renderers.ts';
import { partId, type Uuid } from '#src/kernel/ids.ts';
import { START, type Position } from '#src/ports/event-store.ts';
import { PAGE_BYTES, type ListPosition, type Page } from '#src/ports/page.ts';
import type {
  Change,
  CollectionSpec,
  Condition,
  RowEntry,
  KeyValue,
  Listing,
  Put,
  ReadStore,
  ReadStoreWriter,
} from '#src/ports/read-store.ts';
import { accountId, LEDGER } from '#test/support/ledger-samples.ts';
import { state, transactionId, transactionRecord } from '#test/support/transaction-samples.ts';

/** Where a store keeps its rows; writers and readers opened on one place see the same. */
export type Place = Readonly<{
  writer(): Promise<ReadStoreWriter>;
  reader(): Promise<ReadStore>;
  /** Closes the reader, unless it serves the next test too, and removes the rows. */
  remove(reader: ReadStore): Promise<void>;
}>;

/** What every read store promises. A new adapter is done when this suite is green on it. */
export function readStoreContract(newPlace: () => Promise<Place>): void {
  let place: Place;
  let writer: ReadStoreWriter;
  let reader: ReadStore;

  beforeEach(async () => {
    place = await newPlace();
    writer = await place.writer();
    reader = await place.reader();
    await writer.open(LOG, [transfers, accounts, tokens]);
  });
  afterEach(async () => {
    await writer.close();
    await place.remove(reader);
  });

  const applyTo = (spec: CollectionSpec, changes: readonly Change[], checkpoint = START) =>
    writer.apply([{ collection: spec.name, changes, checkpoint }]);
  const transfer = (id: string) => reader.get(transfers, { id });
  const balance = async (id: string) => (await reader.get(accounts, { id }))?.values;
  const listed = async (listing: Partial<Listing> = {}) =>
    (
      await reader.list(transfers, { where: inLedger('l1'), order: 'asc', limit: 100, ...listing })
    ).map(({ id }) => id);
  const filtered = (...filters: Condition[]) => listed({ filters });
  const entered = async (
    at: string,
    more: Partial<Omit<Listing, 'where'>> = {},
  ): Promise<string[]> =>
    (await reader.listEntries(transfers, { at, order: 'asc', limit: 100, ...more })).map(
      ({ id, ordinal }) => `${id}/${String(ordinal)}`,
    );

  describe('put', () => {
    it('shows a row as it was put', async () => {
      await applyTo(accounts, [put(1, account('a', { available: '10.5', version: 3 }))]);

      expect(await reader.get(accounts, { id: 'a' })).to.deep.equal({
        id: 'a',
        born: 65_536,
        values: { available: '10.5', onHold: null, version: 3 },
        body: '{"id":"a"}',
      });
    });

    it('shows nothing where there is no row', async () => {
      expect(await transfer('t1')).to.equal(undefined);
      expect(await listed()).to.deep.equal([]);
      expect(await entered('acc-1')).to.deep.equal([]);
    });

    it('shows those rows of several that are there, and are whose they are asked for', async () => {
      const ids = Array.from({ length: 600 }, (_, n) => `many-${String(n)}`);
      const all = ids.map((id, n) =>
        put(n + 1, account(id, {}, { ledgerId: `l${String(n % 2)}` })),
      );
      await applyTo(accounts, all);
      await applyTo(accounts, [remove(700, 'many-2')]);

      const wanted = [...ids.toReversed(), 'many-4', 'nobody'];
      const found = await reader.getAll(accounts, wanted, { tenantId: 'n1', ledgerId: 'l0' });
      const expected = ids.filter((id, n) => n % 2 === 0 && id !== 'many-2');
      expect(found.map(({ id }) => id)).to.have.members(expected);
      expect(found.find(({ id }) => id === 'many-4')).to.deep.equal(
        await reader.get(accounts, { id: 'many-4' }),
      );
      expect(await reader.getAll(accounts, [], {})).to.deep.equal([]);
      expect(await reader.getAll(tokens, ['many-4'], {})).to.deep.equal([]);
    });

    it('replaces keys and body, and leaves the row where it was born', async () => {
      await applyTo(transfers, [put(1, sent('t1')), put(2, sent('t2'))]);
      await applyTo(transfers, [put(3, sent('t1', { status: 'CANCELED' }, { a: 'b' }))]);

      expect(await transfer('t1')).to.deep.include({ born: 65_536, body: bodyOf({ a: 'b' }) });
      expect(await listed()).to.deep.equal(['t1', 't2']);
      expect(await filtered({ key: 'status', is: 'CANCELED' })).to.deep.equal(['t1']);
    });

    it('changes nothing when the same batch comes again', async () => {
      const batch = [
        put(1, sent('t1')),
        put(2, sent('t1', { status: 'CANCELED' })),
        put(3, sent('t2')),
      ];
      await applyTo(transfers, batch);
      await applyTo(transfers, batch);

      expect(await listed()).to.deep.equal(['t1', 't2']);
      expect(await filtered({ key: 'status', is: 'CANCELED' })).to.deep.equal(['t1']);
      expect(await entered('acc-1')).to.deep.equal(['t1/1', 't2/1']);
    });

    it('skips what is older than the row, also when the row is new to this writer', async () => {
      await applyTo(transfers, [put(5, sent('t1', { status: 'CANCELED' }))]);
      await writer.close();
      writer = await place.writer();
      await writer.open(LOG, [transfers, accounts, tokens]);
      await applyTo(transfers, [put(4, sent('t1')), put(4, sent('t2'))]);

      expect(await filtered({ key: 'status', is: 'CANCELED' })).to.deep.equal(['t1']);
      expect(await listed()).to.have.members(['t1', 't2']);
    });

    it('keeps the values when it names none', async () => {
      await applyTo(accounts, [put(1, account('a', { available: '1' })), put(2, account('a'))]);
      expect(await balance('a')).to.include({ available: '1' });
    });
  });

  describe('set', () => {
    beforeEach(() => applyTo(accounts, [put(1, account('a', { available: '0', version: 0 }))]));

    it('changes the values it names and leaves the others and the body', async () => {
      await applyTo(accounts, [set(2, 'a', { available: '7' })]);
      expect(await reader.get(accounts, { id: 'a' })).to.deep.include({
        values: { available: '7', onHold: null, version: 0 },
        body: '{"id":"a"}',
      });
    });

    it('leaves what the last of several in one batch says', async () => {
      await applyTo(accounts, [
        set(2, 'a', { available: '1', version: 1 }),
        set(3, 'a', { onHold: '5' }),
        set(3, 'a', { available: '3', version: 2 }),
      ]);
      expect(await balance('a')).to.deep.equal({ available: '3', onHold: '5', version: 2 });
    });

    it('keeps its place among the puts of the same batch', async () => {
      await applyTo(accounts, [
        set(2, 'a', { available: '1', onHold: '1' }),
        put(3, account('a', { available: '2' })),
        set(4, 'a', { version: 4 }),
      ]);
      expect(await balance('a')).to.deep.equal({ available: '2', onHold: '1', version: 4 });
    });

    it('is skipped when older than the row, and makes an older put skipped', async () => {
      await applyTo(accounts, [set(5, 'a', { available: '5' })]);
      await applyTo(accounts, [set(4, 'a', { available: '4' })]);
      await applyTo(accounts, [put(3, account('a', { available: '3' }))]);
      expect(await balance('a')).to.include({ available: '5' });
    });

    it('survives thousands of others', async () => {
      const many = Array.from({ length: 20_000 }, (_, i) => put(2, account(`a${String(i)}`)));
      await applyTo(accounts, many);
      for (const position of [3, 4]) {
        await applyTo(
          accounts,
          many.map((_, i) => set(position, `a${String(i)}`, { version: position * i })),
        );
      }
      expect(await balance('a7')).to.include({ version: 28 });
      expect(await balance('a19999')).to.include({ version: 79_996 });
    });

    it('of a row that does not exist is nothing', async () => {
      await applyTo(accounts, [set(2, 'ghost', { available: '7' })]);
      expect(await reader.get(accounts, { id: 'ghost' })).to.equal(undefined);
    });
  });

  describe('remove', () => {
    const named = (alias: string) =>
      reader.get(accounts, { tenantId: 'n1', ledgerId: 'l1', alias });
    const inOrder = async () => {
      const walk = { where: inLedger('l1'), order: 'asc', limit: 100 } as const;
      return (await reader.list(accounts, walk)).map(({ id }) => id);
    };
    beforeEach(() =>
      applyTo(accounts, [
        put(1, account('a', { available: '1', version: 1 }, { alias: '@one' })),
        put(2, account('b', { available: '2', version: 2 }, { alias: '@two' })),
      ]),
    );

    it('takes a row out of everything that shows it, and leaves the others', async () => {
      await applyTo(accounts, [remove(3, 'a')]);

      expect(await reader.get(accounts, { id: 'a' })).to.equal(undefined);
      expect(await named('@one')).to.equal(undefined);
      expect(await inOrder()).to.deep.equal(['b']);
      expect(await balance('b')).to.include({ available: '2', version: 2 });
    });

    it('leaves nothing that a listing of nulls would find', async () => {
      await applyTo(accounts, [remove(3, 'a')]);
      const where = { tenantId: null, ledgerId: null };
      expect(await reader.list(accounts, { where, order: 'asc', limit: 9 })).to.deep.equal([]);
    });

    it('lets a row be skipped, counted and paged as if it had never been', async () => {
      const many = range(1, 3000).map((n) => put(n, sent(`t${String(n)}`)));
      await applyTo(transfers, many);
      await applyTo(
        transfers,
        range(1, 2998).map((n) => remove(3000 + n, `t${String(n)}`)),
      );
      expect(await listed()).to.deep.equal(['t2999', 't3000']);
      expect(await listed({ skip: 1 })).to.deep.equal(['t3000']);
    });

    it('is not undone by what is older and comes again, nor by anything later', async () => {
      const older = put(1, account('a', { available: '1' }, { alias: '@one' }));
      await applyTo(accounts, [remove(3, 'a')]);
      await applyTo(accounts, [older]);
      await applyTo(accounts, [set(4, 'a', { available: '4' })]);
      await applyTo(accounts, [put(5, account('a', {}, { alias: '@one' }))]);

      expect(await reader.get(accounts, { id: 'a' })).to.equal(undefined);
      expect(await named('@one')).to.equal(undefined);
      expect(await inOrder()).to.deep.equal(['b']);
    });

    it('is not undone by an older put to another writer, whatever came first', async () => {
      await applyTo(accounts, [remove(9, 'c')]); // Its put was folded into it.
      await writer.close();
      writer = await place.writer();
      await writer.open(LOG, [transfers, accounts, tokens]);
      await applyTo(accounts, [put(8, account('c', {}, { alias: '@three' }))]);
      await applyTo(accounts, [set(8, 'c', { available: '3' })]);

      expect(await reader.get(accounts, { id: 'c' })).to.equal(undefined);
      expect(await named('@three')).to.equal(undefined);
    });

    it('is skipped when older than the row', async () => {
      await applyTo(accounts, [set(7, 'a', { available: '7' })]);
      await applyTo(accounts, [remove(6, 'a')]);
      expect(await balance('a')).to.include({ available: '7' });
    });

    it('keeps its place among the puts and sets of one batch, and may come again', async () => {
      const batch = [
        put(3, account('c', { available: '3' }, { alias: '@three' })),
        set(4, 'c', { available: '4' }),
        set(4, 'a', { available: '4' }),
        remove(5, 'c'),
        set(6, 'c', { available: '6' }),
      ];
      await applyTo(accounts, batch);
      await applyTo(accounts, batch);
      expect(await inOrder()).to.deep.equal(['a', 'b']);
      expect(await balance('a')).to.include({ available: '4' });
    });

    it('frees what was unique for another row, also in the same batch', async () => {
      await applyTo(accounts, [
        remove(3, 'a'),
        put(4, account('c', { available: '3' }, { alias: '@one' })),
      ]);
      expect(await named('@one')).to.include({ id: 'c' });
      await applyTo(accounts, [remove(3, 'a')]);
      expect(await named('@one')).to.include({ id: 'c' });
      expect(await balance('c')).to.include({ available: '3' });
    });

    it('takes the entries of the row with it, wherever they lie', async () => {
      const leg = (at: string, ordinal: number): RowEntry => {
        return { at, ordinal, facts: { type: 'DEBIT', createdAt: null } };
      };
      const whole = put(2, { ...sent('t2'), entries: [leg('acc-1', 1), leg('acc-2', 2)] });
      await applyTo(transfers, [put(1, sent('t1')), whole]);
      await applyTo(transfers, [
        put(3, { ...sent('t2'), born: 3 * 65_536, entries: [leg('acc-3', 3)] }),
        put(4, { ...sent('t4'), entries: [leg('acc-3', 1)] }),
        remove(5, 't2'),
      ]);
      await applyTo(transfers, [whole]);

      expect(await entered('acc-1')).to.deep.equal(['t1/1']);
      expect(await entered('acc-2')).to.deep.equal([]);
      expect(await entered('acc-3')).to.deep.equal(['t4/1']);
    });

    it('holds in a rebuild beside the live rows, and after it', async () => {
      const next = { ...accounts, version: 2 };
      await writer.open(LOG, [transfers, next]);
      await applyTo(next, [put(1, account('a', {}, { alias: '@one' })), remove(3, 'a')], at(3));
      expect(await inOrder()).to.deep.equal(['a', 'b']);
      await writer.swap('account');
      await applyTo(next, [put(2, account('a', {}, { alias: '@one' }))]);
      expect(await reader.get(next, { id: 'a' })).to.equal(undefined);
      expect(await inOrder()).to.deep.equal([]);
    });
  });

  describe('current values', () => {
    it('are those of rows that are there, with the position they are as of', async () => {
      await applyTo(accounts, [
        put(1, account('a', { available: '1', version: 1 })),
        put(2, account('b', { available: '2', version: 1 })),
        put(3, account('c', { available: '3', version: 1 })),
      ]);
      await applyTo(accounts, [set(4, 'a', { available: '10' }), remove(5, 'b')]);

      const found = await writer.current('account', ['a', 'b', 'c', 'nobody']);
      expect([...found.keys()].sort()).to.deep.equal(['a', 'c']);
      expect(found.get('a')).to.deep.include({ position: at(4) });
      expect(found.get('a')?.values).to.include({ available: '10', version: 1 });
      expect(found.get('c')).to.deep.include({ position: at(3) });
      expect(await writer.current('account', [])).to.deep.equal(new Map());
    });

    it('are those of the rows that are built anew, not of those still shown', async () => {
      await applyTo(accounts, [put(1, account('a', { available: '1' }))]);
      await writer.open(LOG, [{ ...accounts, version: 2 }]);

      expect(await writer.current('account', ['a'])).to.deep.equal(new Map());
    });
  });

  describe('checkpoint', () => {
    const reopened = async () => {
      await writer.close();
      writer = await place.writer();
      return writer.open(LOG, [transfers, accounts, tokens]);
    };

    it('stands at the start for a new collection', async () => {
      const opened = await reopened();
      expect(opened.get('transfer')).to.deep.equal({ checkpoint: START, shadow: false });
    });

    it('is kept for each collection', async () => {
      await applyTo(transfers, [put(1, sent('t1'))], at(1));
      await applyTo(accounts, [], at(9));

      const opened = await reopened();
      expect(opened.get('transfer')?.checkpoint).to.equal(at(1));
      expect(opened.get('account')?.checkpoint).to.equal(at(9));
    });

    it('never moves back', async () => {
      await applyTo(transfers, [], at(7));
      await applyTo(transfers, [], at(3));
      expect((await reopened()).get('transfer')?.checkpoint).to.equal(at(7));
    });

    it('has the hash of the event there, so that the log can confirm it', async () => {
      const anchorAt = async (position: string) =>
        (await writer.anchors()).find((anchor) => anchor.position === position);
      const batch = { collection: 'transfer', changes: [put(7, sent('t1'))] };
      await writer.apply([{ ...batch, checkpoint: at(7), hash: 'seven' }]);
      await writer.apply([{ ...batch, changes: [], checkpoint: at(3), hash: 'three' }]);
      await reopened();
      expect(await anchorAt(at(7))).to.deep.equal({ position: at(7), hash: 'seven' });
      expect(await anchorAt(at(3))).to.equal(undefined);
    });

    it('is at the start again, and no row is left, when everything was forgotten', async () => {
      await applyTo(transfers, [put(7, sent('t1'))], at(7));
      await writer.forget();
      const opened = await writer.open(LOG, [transfers, accounts, tokens]);
      expect(opened.get('transfer')).to.deep.equal({ checkpoint: START, shadow: false });
      expect(await listed()).to.deep.equal([]);
      await applyTo(transfers, [put(2, sent('t1'))], at(2));
      expect(await listed()).to.deep.equal(['t1']);
    });

    it('stays where it was when its batch fails, and so do all rows', async () => {
      await applyTo(transfers, [put(1, sent('t1'))], at(1));
      const batch = [
        { collection: 'transfer', changes: [put(2, sent('t2'))], checkpoint: at(2) },
        { collection: 'nobody opened this', changes: [], checkpoint: at(2) },
      ];
      expect(await rejection(writer.apply(batch))).to.be.instanceOf(Error);

      expect(await listed()).to.deep.equal(['t1']);
      await applyTo(transfers, [put(2, sent('t2', { ledgerId: 'l2' }))]);
      expect(await listed({ where: inLedger('l2') })).to.deep.equal(['t2']);
      expect((await reopened()).get('transfer')?.checkpoint).to.equal(at(1));
    });
  });

  describe('list', () => {
    const born = (...revisions: number[]) =>
      applyTo(
        transfers,
        revisions.map((n) => put(n, sent(`t${String(n)}`))),
      );

    for (const order of ['asc', 'desc'] as const) {
      it(`walks ${order} without repeating or skipping while rows are inserted`, async () => {
        await born(...range(1, 50));
        const seen: string[] = [];
        let after: number | undefined;
        for (let next = 51; next < 80; next += 1) {
          const rows = await reader.list(transfers, {
            where: inLedger('l1'),
            order,
            limit: 7,
            ...(after !== undefined && { after }),
          });
          seen.push(...rows.map(({ id }) => id));
          if (rows.length === 0) break;
          after = rows.at(-1)?.born as number;
          if (order === 'desc' || next < 60) await born(next);
        }
        const expected = order === 'asc' ? range(1, 59) : range(1, 50).reverse();
        expect(seen).to.deep.equal(expected.map((n) => `t${String(n)}`));
      });
    }

    it('skips and limits', async () => {
      await born(1, 2, 3, 4, 5);
      expect(await listed({ skip: 1, limit: 2 })).to.deep.equal(['t2', 't3']);
      expect(await listed({ skip: 4, limit: 2, order: 'desc' })).to.deep.equal(['t1']);
      expect(await listed({ skip: 9 })).to.deep.equal([]);
    });

    it('finds, skips and limits what few rows among thousands meet', async () => {
      const statuses = ['APPROVED', 'PENDING', 'CANCELED'];
      await applyTo(
        transfers,
        range(0, 5999).map((n) => {
          return put(n + 1, sent(`t${String(n)}`, { status: statuses[n % 1000] ?? 'NOTED' }));
        }),
      );
      const filters = [{ key: 'status', is: 'PENDING' }];
      const expected = range(0, 5).map((n) => `t${String(n * 1000 + 1)}`);

      expect(await listed({ filters })).to.deep.equal(expected);
      expect(await listed({ filters, order: 'desc' })).to.deep.equal([...expected].reverse());
      expect(await listed({ filters, skip: 2, limit: 3 })).to.deep.equal(expected.slice(2, 5));
      expect(await listed({ filters, after: 65_536 * 2002 })).to.deep.equal(expected.slice(3));
      expect(await listed({ skip: 4500, limit: 2 })).to.deep.equal(['t4500', 't4501']);
      expect(await listed({ skip: 3000, limit: 1, order: 'desc' })).to.deep.equal(['t2999']);
      expect(await listed({ skip: 6000 })).to.deep.equal([]);
      expect(await listed({ limit: 10_000 })).to.have.length(6000);
    });

    it('orders rows born at positions across journals', async () => {
      const token = (id: string, born: string): Put => {
        return { id, born, keys: { tenantId: 'n1', kind: 'k' }, body: '{}' };
      };
      await applyTo(tokens, [
        put(1, token('c', at(30))),
        put(2, token('a', at(9))),
        put(3, token('b', at(12))),
      ]);
      const walk = { where: { tenantId: 'n1' }, order: 'asc', limit: 9 } as const;
      const ids = async (after?: string) =>
        (await reader.list(tokens, { ...walk, ...(after !== undefined && { after }) })).map(
          ({ id }) => id,
        );

      expect(await ids()).to.deep.equal(['a', 'b', 'c']);
      expect(await ids(at(9))).to.deep.equal(['b', 'c']);
    });

    it('keeps tenants and ledgers apart', async () => {
      await applyTo(transfers, [
        put(1, sent('t1')),
        put(2, sent('t2', { tenantId: 'n2' })),
        put(3, sent('t3', { ledgerId: 'l2' })),
      ]);
      expect(await listed()).to.deep.equal(['t1']);
      expect(await listed({ where: inLedger('l1', 'n2') })).to.deep.equal(['t2']);
      expect(await listed({ where: inLedger('l2') })).to.deep.equal(['t3']);
      expect(await listed({ where: inLedger('l2', 'n2') })).to.deep.equal([]);
      expect(await reader.get(transfers, { id: 't2', tenantId: 'n1' })).to.equal(undefined);
      expect(await reader.get(transfers, { id: 't2', tenantId: 'n2' })).to.include({ id: 't2' });
    });

    it('refuses to walk where no index leads, and a key that the spec does not name', async () => {
      const noIndex = { where: { status: 'NOTED' }, order: 'asc', limit: 1 } as const;
      expect(await rejection(reader.list(transfers, noIndex))).to.be.instanceOf(Error);
      expect(await rejection(reader.get(transfers, { status: 'NOTED' }))).to.be.instanceOf(Error);
    });
  });

  describe('page', () => {
    it('is written of bodies, or of what they are to be shown as', async () => {
      const body = JSON.stringify(transactionRecord('shown', []));
      await applyTo(transfers, [put(1, { ...sent('t1'), body }), put(2, { ...sent('t2'), body })]);
      const page = async (limit: number, as?: string) => {
        const listing = { where: inLedger('l1'), order: 'asc', limit, ...(as && { as }) } as const;
        const { items, more } = await reader.page(transfers, listing);
        return [typeof items === 'string' ? items : new TextDecoder().decode(items), more];
      };
      const text = transactionTextV2({ born: 1, values: {}, body });

      expect(await page(2)).to.deep.equal([`${body},${body}`, false]);
      expect(await page(2, TRANSACTION_V2)).to.deep.equal([`${text},${text}`, false]);
      expect(await page(1, TRANSACTION_V2)).to.deep.equal([text, true]);
    });

    describe('of long records', () => {
      const long = (n: number) => `{"n":${String(n)},"text":"${'é'.repeat(450_000)}"}`;
      const numbers = ({ items }: Page) => {
        const text = typeof items === 'string' ? items : new TextDecoder().decode(items);
        return (JSON.parse(`[${text}]`) as { n: number }[]).map(({ n }) => n);
      };
      const LONG = Array.from({ length: 8 }, (_, n) => n);
      beforeEach(() => {
        const changes = LONG.map((n) => {
          const entries = [{ at: n % 2 === 0 ? 'a' : 'b', ordinal: 1, facts: {} }];
          return put(n + 1, { ...sent(`t${String(n)}`), body: long(n), entries });
        });
        return applyTo(transfers, changes);
      });

      for (const order of ['asc', 'desc'] as const) {
        const read = {
          rows: (after?: ListPosition) =>
            reader.page(transfers, {
              ...{ where: inLedger('l1'), order, limit: 100 },
              ...(after !== undefined && { after }),
            }),
          entries: (after?: ListPosition) =>
            reader.pageEntries(transfers, {
              ...{ at: ['a', 'b'], as: 'their bodies', order, limit: 100 },
              ...(after !== undefined && { after }),
            }),
        };
        for (const [what, page] of Object.entries(read)) {
          it(`of ${what} ends early, and goes on where it says it stood (${order})`, async () => {
            const found: number[] = [];
            const cuts: (string | undefined)[] = [];
            for (let after: ListPosition | undefined; ;) {
              const one = await page(after);
              const bytes = Buffer.byteLength(one.items);
              expect(bytes).to.be.below(PAGE_BYTES + 1_000_000);
              found.push(...numbers(one));
              cuts.push(one.cut);
              if (!one.more) break;
              after = one.last;
            }
            expect(found).to.deep.equal(order === 'asc' ? LONG : LONG.toReversed());
            expect(cuts.slice(0, 2)).to.deep.equal(['bytes', undefined]);
          });
        }
      }

      it('is whole when it has as many as were asked for, however long they are', async () => {
        const listing = { where: inLedger('l1'), order: 'asc', limit: 5 } as const;
        const page = await reader.page(transfers, listing);
        expect([numbers(page), page.cut, page.more]).to.deep.equal([
          [0, 1, 2, 3, 4],
          undefined,
          true,
        ]);
      });
    });

    it('of entries goes through several keys in one order, and leaves out what is not wanted', async () => {
      const changes = Array.from({ length: 300 }, (_, n) => {
        const entries = [1, 2].map((ordinal) => {
          return { at: n % 3 === 0 ? 'a' : 'b', ordinal, facts: { type: null, createdAt: null } };
        });
        const route = n % 7 === 0 ? 'wanted' : 'other';
        return put(n + 1, { ...sent(`t${String(n)}`), body: operationsBody(n, route), entries });
      });
      await applyTo(transfers, changes);
      const wanted = { ...EVERY_OPERATION, routeCode: 'wanted' };
      const sieved = { as: OPERATION, wanted, sieves: true, limit: 20 } as const;
      for (const order of ['asc', 'desc'] as const) {
        const found: string[] = [];
        for (let after: ListPosition | undefined; ;) {
          const page = await reader.pageEntries(transfers, {
            ...{ ...sieved, at: ['a', 'b'], order, filters: [{ mentions: 'wanted' }] },
            ...(after !== undefined && { after }),
          });
          const text =
            typeof page.items === 'string' ? page.items : new TextDecoder().decode(page.items);
          found.push(...(JSON.parse(`[${text}]`) as { id: string }[]).map(({ id }) => id));
          if (!page.more) break;
          after = page.last;
        }
        const expected = Array.from({ length: 43 }, (_, n) =>
          [1, 2].map((m) => partId(transactionId(String(n * 7)), m)),
        ).flat();
        expect(found).to.deep.equal(order === 'asc' ? expected : expected.toReversed());
      }
    });
  });

  describe('conditions', () => {
    const created = (day: number) => `2026-01-${String(day).padStart(2, '0')}T00:00:00.000000Z`;

    it('compare keys for equality, with null as a value of its own', async () => {
      await applyTo(transfers, [
        put(1, sent('t1', { groupId: 'g', amount: 5 })),
        put(2, sent('t2', { groupId: null })),
      ]);
      expect(await filtered({ key: 'groupId', is: 'g' })).to.deep.equal(['t1']);
      expect(await filtered({ key: 'groupId', is: null })).to.deep.equal(['t2']);
      expect(await filtered({ key: 'groupId', is: '' })).to.deep.equal([]);
      expect(await filtered({ key: 'amount', is: 5 })).to.deep.equal(['t1']);
      expect(await filtered({ key: 'ledgerId', is: 'l1' })).to.deep.equal(['t1', 't2']);
    });

    it('compare a null key in what the walk is bound to', async () => {
      await applyTo(transfers, [put(1, sent('t1', { ledgerId: null })), put(2, sent('t2'))]);
      expect(await listed({ where: inLedger(null) })).to.deep.equal(['t1']);
      expect(await listed({ where: inLedger('never seen') })).to.deep.equal([]);
    });

    it('take ranges with both ends in them', async () => {
      await applyTo(
        transfers,
        [1, 2, 3, 4].map((n) => put(n, sent(`t${String(n)}`, { createdAt: created(n) }))),
      );
      const key = 'createdAt';
      expect(await filtered({ key, from: created(2), to: created(3) })).to.deep.equal(['t2', 't3']);
      expect(await filtered({ key, from: created(3) })).to.deep.equal(['t3', 't4']);
      expect(await filtered({ key, to: created(1) })).to.deep.equal(['t1']);
      expect(await filtered({ key: 'groupId', from: '' })).to.deep.equal([]);
    });

    it('take one of several texts', async () => {
      await applyTo(
        transfers,
        ['a', 'b', 'é', "'"].map((name, n) => put(n + 1, { ...sent(name, { name }), born: n })),
      );
      expect(await filtered({ key: 'name', in: ['é', 'a', 'c'] })).to.deep.equal(['a', 'é']);
      expect(await filtered({ key: 'name', in: ["'"] })).to.deep.equal(["'"]);
      expect(await filtered({ key: 'ledgerId', in: ['l2', 'l1'] })).to.have.length(4);
      expect(await filtered({ key: 'groupId', in: [''] })).to.deep.equal([]);
    });

    it('take prefixes literally', async () => {
      const names = ['50% off', '50 percent', '50_percent', '50\\', 'é50', '"50"', '50'];
      await applyTo(
        transfers,
        names.map((name, n) => put(n + 1, { ...sent(name, { name }), born: n })),
      );
      const starting = (prefix: string) => filtered({ key: 'name', prefix });

      expect(await starting('50%')).to.deep.equal(['50% off']);
      expect(await starting('50_')).to.deep.equal(['50_percent']);
      expect(await starting('50\\')).to.deep.equal(['50\\']);
      expect(await starting('é')).to.deep.equal(['é50']);
      expect(await starting('"')).to.deep.equal(['"50"']);
      expect(await starting('50')).to.have.length(5);
      expect(await starting('')).to.have.length(7);
      expect(await filtered({ key: 'ledgerId', prefix: 'l' })).to.have.length(7);
      expect(await filtered({ key: 'groupId', prefix: '' })).to.deep.equal([]);
    });

    it('must all be met', async () => {
      await applyTo(transfers, [
        put(1, sent('t1', { status: 'NOTED' }, { a: 'x' })),
        put(2, sent('t2', { status: 'NOTED' }, { a: 'y' })),
        put(3, sent('t3', {}, { a: 'x' })),
      ]);
      const noted = { key: 'status', is: 'NOTED' };
      expect(await filtered(noted, { metadata: 'a', is: 'x' })).to.deep.equal(['t1']);
    });

    it('compare metadata as text', async () => {
      const metadata = { flag: true, off: false, n: 1.5, big: 1e21, tiny: 1e-7, zero: 0, s: '1.5' };
      await applyTo(transfers, [put(1, sent('t1', {}, metadata)), put(2, sent('t2'))]);
      const matching = (key: string, is: string) => filtered({ metadata: key, is });

      for (const [key, value] of Object.entries(metadata)) {
        expect(await matching(key, String(value)), key).to.deep.equal(['t1']);
      }
      expect(await matching('flag', '1')).to.deep.equal([]);
      expect(await matching('n', '1.50')).to.deep.equal([]);
      expect(await matching('absent', 'undefined')).to.deep.equal([]);
      expect(await matching('absent', '')).to.deep.equal([]);
      expect(await matching('constructor', 'x')).to.deep.equal([]);
    });

    it('find metadata under any key and with any value', async () => {
      await applyTo(transfers, [
        put(1, sent('t1', {}, Object.fromEntries(HOSTILE.map((text) => [text, text])))),
        put(2, sent('t2', {}, { other: 'value' })),
      ]);
      for (const text of HOSTILE) {
        expect(await filtered({ metadata: text, is: text }), text).to.deep.equal(['t1']);
        expect(await filtered({ metadata: text, is: `${text}!` }), text).to.deep.equal([]);
        expect(await filtered({ metadata: `${text}!`, is: text }), text).to.deep.equal([]);
      }
    });

    it('leave out bodies that do not mention a text, and none that may', async () => {
      const bodies = [
        '{"a":"b/c"}',
        '{"a":"b\\/c"}',
        '{"a":"\\u0062/c"}',
        '{"a":"b"}',
        '{"a":"b.c"}',
      ];
      await applyTo(
        transfers,
        bodies.map((body, n) => put(n + 1, { ...sent(`t${String(n)}`), body })),
      );
      expect(await filtered({ mentions: 'b/c' })).to.deep.equal(['t0', 't1', 't2']);
      expect(await filtered({ mentions: 'b.c' })).to.deep.equal(['t1', 't2', 't4']);
      expect(await filtered({ mentions: 'say "b"' })).to.deep.equal(['t1', 't2']);
    });

    it('find metadata in whatever spelling of JSON the body is', async () => {
      const body = '{ "metadata" : { "\\u0061" : "\\u0062\\/c" } }';
      await applyTo(transfers, [put(1, { ...sent('t1'), body })]);
      expect(await filtered({ metadata: 'a', is: 'b/c' })).to.deep.equal(['t1']);
    });

    it('take hostile texts as keys', async () => {
      await applyTo(
        transfers,
        HOSTILE.map((name, n) => put(n + 1, sent(`t${String(n)}`, { name, ledgerId: name }))),
      );
      for (const [n, name] of HOSTILE.entries()) {
        const [where, filters] = [inLedger(name), [{ key: 'name', is: name }]];
        expect(await listed({ where, filters }), name).to.deep.equal([`t${String(n)}`]);
      }
    });
  });

  describe('get by unique keys', () => {
    beforeEach(() =>
      applyTo(accounts, [
        put(1, account('a', {}, { alias: '@one' })),
        put(2, account('b', {}, { alias: '@one', ledgerId: 'l2' })),
        put(3, account('c', {}, { alias: null })),
      ]),
    );
    const named = (alias: KeyValue, more: Record<string, KeyValue> = {}) =>
      reader.get(accounts, { tenantId: 'n1', ledgerId: 'l1', alias, ...more });

    it('finds the row inside what the name is unique within', async () => {
      expect(await named('@one')).to.include({ id: 'a' });
      expect(await named('@one', { ledgerId: 'l2' })).to.include({ id: 'b' });
      expect(await named('@two')).to.equal(undefined);
      expect(await named('@one', { tenantId: 'n2' })).to.equal(undefined);
    });

    it('minds further keys', async () => {
      expect(await named('@one', { kind: 'deposit' })).to.include({ id: 'a' });
      expect(await named('@one', { kind: 'loan' })).to.equal(undefined);
    });

    it('follows a name that passes from one row to another', async () => {
      await applyTo(accounts, [
        put(4, account('a', {}, { alias: null })),
        put(5, account('c', {}, { alias: '@one' })),
      ]);
      expect(await named('@one')).to.include({ id: 'c' });
    });
  });

  describe('entries', () => {
    const leg = (account: string, ordinal: number, type = 'DEBIT'): RowEntry => {
      return { at: account, ordinal, facts: { type, createdAt: null } };
    };
    const moved = (n: number, ...entries: RowEntry[]) =>
      put(n, { ...sent(`t${String(n)}`, {}, { n }), entries });

    it('list a row under each of its keys, with the ordinal it stands for', async () => {
      await applyTo(transfers, [
        moved(1, leg('acc-1', 1), leg('acc-2', 2)),
        moved(2, leg('acc-2', 1)),
      ]);

      expect(await entered('acc-1')).to.deep.equal(['t1/1']);
      expect(await entered('acc-2')).to.deep.equal(['t1/2', 't2/1']);
      expect(await entered('acc-2', { order: 'desc' })).to.deep.equal(['t2/1', 't1/2']);
      expect(await entered('acc-3')).to.deep.equal([]);
      const [first] = await reader.listEntries(transfers, { at: 'acc-1', order: 'asc', limit: 1 });
      expect(first).to.deep.include({ id: 't1', born: 65_536, body: bodyOf({ n: 1 }), ordinal: 1 });
    });

    it('tell two entries of one row under one key apart', async () => {
      await applyTo(transfers, [moved(1, leg('acc-1', 1), leg('acc-1', 2), leg('acc-1', 3))]);
      const [first] = await reader.listEntries(transfers, { at: 'acc-1', order: 'asc', limit: 1 });

      expect(await entered('acc-1', { after: first!.entryBorn })).to.deep.equal(['t1/2', 't1/3']);
    });

    describe('with the ordinal 0, which stands for a row as a whole', () => {
      const whole = (at: string): RowEntry => {
        return { at, ordinal: 0, facts: { type: null, createdAt: '2026' } };
      };
      const member = (n: number, id: string, more: Partial<Put> = {}): Change =>
        put(n, {
          ...sent(id, {}, { n }),
          born: 7 * 65_536,
          entries: [whole('group-1'), leg('acc-1', 1)],
          ...more,
        });

      it('come before the parts of their row, each where the row was born', async () => {
        const entries = [whole('acc-1'), leg('acc-1', 1)];
        const earlier = { born: 6 * 65_536, entries };
        await applyTo(transfers, [member(1, 't1', { entries }), member(2, 't2', earlier)]);

        expect(await entered('acc-1')).to.deep.equal(['t2/0', 't2/1', 't1/0', 't1/1']);
        const last = await entered('acc-1', { order: 'desc', limit: 2 });
        expect(last).to.deep.equal(['t1/1', 't1/0']);
        const after = 6 * 65_536;
        expect(await entered('acc-1', { after })).to.deep.equal(['t2/1', 't1/0', 't1/1']);
      });

      it('are told apart by their keys when rows of two journals were born at one place', async () => {
        const keys = { ...sent('t2').keys, ledgerId: 'l2' };
        const other = { keys, entries: [whole('group-2'), leg('acc-2', 1)] };
        await applyTo(transfers, [member(1, 't1'), member(2, 't2', other)]);

        expect(await entered('group-1')).to.deep.equal(['t1/0']);
        expect(await entered('group-2')).to.deep.equal(['t2/0']);
      });

      it('stay where they are when the row is put again, and show it as it is then', async () => {
        await applyTo(transfers, [member(1, 't1')]);
        const again = { born: 9 * 65_536, body: bodyOf({ n: 2 }) };
        await applyTo(transfers, [member(2, 't1', again)]);

        const [row, ...others] = await reader.listEntries(transfers, {
          at: 'group-1',
          order: 'asc',
          limit: 9,
        });
        expect(others).to.deep.equal([]);
        expect(row).to.deep.include({
          id: 't1',
          ordinal: 0,
          entryBorn: 7 * 65_536,
          body: again.body,
        });
      });

      it('go with their row, and are filtered by what they say, by its keys and its metadata', async () => {
        await applyTo(transfers, [member(1, 't1'), member(2, 't2', { born: 8 * 65_536 })]);
        const which = (...filters: Condition[]) => entered('group-1', { filters });
        expect(await which({ key: 'type', is: null })).to.deep.equal(['t1/0', 't2/0']);
        expect(await which({ key: 'type', is: 'DEBIT' })).to.deep.equal([]);
        expect(await which({ key: 'createdAt', from: '2027' })).to.deep.equal([]);
        expect(await which({ metadata: 'n', is: '2' })).to.deep.equal(['t2/0']);
        await applyTo(transfers, [remove(3, 't1')]);
        expect(await which()).to.deep.equal(['t2/0']);
      });
    });

    it('walk by keyset through many rows', async () => {
      await applyTo(
        transfers,
        range(1, 9000).map((n) => moved(n, leg('acc-1', 1), leg(`acc-${String((n % 7) + 2)}`, 2))),
      );
      await applyTo(
        transfers,
        range(9001, 10_000).map((n) => moved(n, leg('acc-1', 1), leg('acc-2', 2))),
      );
      for (const order of ['asc', 'desc'] as const) {
        let after: number | undefined;
        const seen: string[] = [];
        for (;;) {
          const page = { at: 'acc-1', order, limit: 999, ...(after !== undefined && { after }) };
          const rows = await reader.listEntries(transfers, page);
          if (rows.length === 0) break;
          seen.push(...rows.map(({ id }) => id));
          after = rows.at(-1)?.entryBorn as number;
        }
        const expected = range(1, 10_000).map((n) => `t${String(n)}`);
        expect(seen).to.deep.equal(order === 'asc' ? expected : expected.reverse());
      }
      expect(await entered('acc-3', { skip: 1200, limit: 1 })).to.deep.equal(['t8401/2']);
      const filters = [{ key: 'status', is: 'NOTED' }];
      expect(await entered('acc-1', { filters })).to.deep.equal([]);
    });

    it('filter by facts, by keys of their row and by its metadata', async () => {
      await applyTo(transfers, [
        moved(1, leg('acc-1', 1)),
        moved(2, leg('acc-1', 1, 'CREDIT')),
        moved(3, leg('acc-1', 1, 'CREDIT')),
      ]);
      const credits = { key: 'type', is: 'CREDIT' };
      const filters = (...list: Condition[]) => entered('acc-1', { filters: list });

      expect(await filters(credits)).to.deep.equal(['t2/1', 't3/1']);
      expect(await filters(credits, { metadata: 'n', is: '3' })).to.deep.equal(['t3/1']);
      expect(await filters({ key: 'type', prefix: 'DEB' })).to.deep.equal(['t1/1']);
      expect(await filters({ key: 'createdAt', is: null })).to.have.length(3);
      expect(await filters({ key: 'tenantId', is: 'n2' })).to.deep.equal([]);
      expect(await filters({ key: 'tenantId', is: 'n1' })).to.have.length(3);
    });

    it('that a later put adds stand where that put is; those there already stay', async () => {
      await applyTo(transfers, [moved(1, leg('acc-1', 1)), moved(2, leg('acc-1', 1))]);
      const commit = (n: number, ...entries: RowEntry[]) =>
        put(n, { ...sent('t1', {}, {}), born: n * 65_536, entries });
      await applyTo(transfers, [commit(3, leg('acc-1', 1, 'ON_HOLD'), leg('acc-1', 2))]);
      await applyTo(transfers, [moved(4, leg('acc-1', 1))]);
      await applyTo(transfers, [commit(5, leg('acc-1', 1, 'RELEASE'), leg('acc-1', 2, 'RELEASE'))]);

      expect(await entered('acc-1')).to.deep.equal(['t1/1', 't2/1', 't1/2', 't4/1']);
      const released = [{ key: 'type', is: 'RELEASE' }];
      expect(await entered('acc-1', { filters: released })).to.deep.equal(['t1/1', 't1/2']);
    });

    it('of rows born at positions keep the order of the log', async () => {
      const token = (id: string, born: string, ...ordinals: number[]): Put => {
        const entries = ordinals.map((ordinal) => ({ at: 'x', ordinal, facts: {} }));
        return { id, born, keys: { tenantId: 'n1', kind: 'k' }, body: '{}', entries };
      };
      await applyTo(tokens, [put(9, token('a', at(9), 1, 2, 300)), put(10, token('b', at(10), 1))]);
      const walk = { at: 'x', order: 'asc', limit: 9 } as const;
      const rows = await reader.listEntries(tokens, walk);
      const rest = await reader.listEntries(tokens, { ...walk, after: rows[1]!.entryBorn });

      expect(rows.map(({ ordinal }) => ordinal)).to.deep.equal([1, 2, 300, 1]);
      expect(rest.map(({ id }) => id)).to.deep.equal(['a', 'b']);
    });
  });

  describe('rebuild', () => {
    const next: CollectionSpec = {
      ...accounts,
      version: 2,
      keys: { ...accounts.keys, holderId: 'text' },
    };
    const open = (spec: CollectionSpec, logId = LOG) => writer.open(logId, [transfers, spec]);

    it('leaves readers the old rows until the swap, and none of them after it', async () => {
      await applyTo(accounts, [put(1, account('a')), put(2, account('b'))], at(2));
      const opened = await open(next);
      expect(opened.get('account')).to.deep.equal({ checkpoint: START, shadow: true });
      expect(opened.get('transfer')?.shadow).to.equal(false);

      await applyTo(next, [put(1, { ...account('a'), body: '{"new":1}' })], at(1));
      expect(await reader.get(next, { id: 'a' })).to.include({ body: '{"id":"a"}' });
      expect(await reader.get(next, { id: 'b' })).to.include({ id: 'b' });

      await writer.swap('account');
      expect(await reader.get(next, { id: 'a' })).to.include({ body: '{"new":1}' });
      expect(await reader.get(next, { id: 'b' })).to.equal(undefined);
      expect((await open(next)).get('account')).to.deep.equal({ checkpoint: at(1), shadow: false });
    });

    it('goes on after a restart where its own checkpoint stands', async () => {
      await applyTo(accounts, [put(5, account('a'))], at(5));
      await open(next);
      await applyTo(next, [put(2, account('b'))], at(2));
      await writer.close();
      writer = await place.writer();

      expect((await open(next)).get('account')).to.deep.equal({ checkpoint: at(2), shadow: true });
      expect((await open(accounts)).get('account')).to.deep.equal({
        checkpoint: at(5),
        shadow: false,
      });
      expect((await open(next)).get('account')?.checkpoint).to.equal(START);
    });

    it('never fails a read', async () => {
      const rows = (spec: CollectionSpec) =>
        range(1, 300).map((n) => put(n, account(`a${String(n)}`, {}, {}, spec)));
      await applyTo(accounts, rows(accounts), at(300));
      let reading = true;
      const read = async () => {
        const walk = { where: inLedger('l1'), order: 'asc', limit: 400 } as const;
        let reads = 0;
        for (; reading; reads += 1) {
          expect(await reader.list(accounts, walk)).to.have.length(300);
          expect(await reader.get(accounts, { id: 'a7' })).to.include({ id: 'a7' });
        }
        return reads;
      };
      const readers = Promise.all([read(), read()]);
      for (const version of range(2, 8)) {
        const spec = { ...accounts, version };
        await open(spec);
        await applyTo(spec, rows(spec), at(300));
        await writer.swap('account');
        await reader.get(accounts, { id: 'a1' });
      }
      reading = false;
      expect(Math.min(...(await readers))).to.be.greaterThan(0);
    });
  });

  describe('log', () => {
    it('is named by the rows', async () => {
      await reader.get(accounts, { id: 'a' });
      expect(reader.logId).to.equal(LOG);
    });

    it('takes its rows with it when another one comes', async () => {
      await applyTo(accounts, [put(1, account('a'))], at(1));
      expect(await reader.get(accounts, { id: 'a' })).to.include({ id: 'a' });
      const opened = await writer.open(OTHER_LOG, [accounts]);

      expect(opened.get('account')).to.deep.equal({ checkpoint: START, shadow: false });
      expect(await reader.get(accounts, { id: 'a' })).to.equal(undefined);
      expect(reader.logId).to.equal(OTHER_LOG);
      await applyTo(accounts, [put(1, account('b'))], at(1));
      expect(await reader.get(accounts, { id: 'b' })).to.include({ id: 'b' });
    });
  });
}

const LOG = '0190a000-0000-7000-8000-000000000001' as Uuid;
const OTHER_LOG = '0190a000-0000-7000-8000-000000000002' as Uuid;

const transfers: CollectionSpec = {
  name: 'transfer',
  version: 1,
  keys: {
    tenantId: 'text',
    ledgerId: 'text',
    status: 'text',
    groupId: 'text',
    name: 'text',
    createdAt: 'text',
    amount: 'integer',
  },
  indexes: [['tenantId', 'ledgerId']],
  entries: { key: 'accountId', facts: { type: 'text', createdAt: 'text' } },
};

const accounts: CollectionSpec = {
  name: 'account',
  version: 1,
  keys: { tenantId: 'text', ledgerId: 'text', alias: 'text', kind: 'text' },
  values: { available: 'text', onHold: 'text', version: 'integer' },
  indexes: [['tenantId', 'ledgerId'], ['tenantId']],
  unique: [['tenantId', 'ledgerId', 'alias']],
};

const tokens: CollectionSpec = {
  name: 'token',
  version: 1,
  keys: { tenantId: 'text', kind: 'text' },
  indexes: [['tenantId']],
  entries: { key: 'kind', facts: {} },
};

const HOSTILE = [
  'a.b.c',
  '$',
  '$.a',
  '$[0]',
  '"',
  `'`,
  `'; DROP TABLE rows_1; --`,
  '\\',
  '\\u0041',
  '%_*?',
  '[0]',
  '#-1',
  ' ',
  '\n\t',
  'ключ',
  '鍵',
  '🔑\u0301',
  '__proto__',
  'a"."b',
  'ü'.repeat(256),
];

const at = (n: number) => String(n).padStart(8, '0') as Position;
const put = (n: number, row: Put): Change => ({ position: at(n), put: row });
const set = (n: number, id: string, values: Record<string, KeyValue>): Change => {
  return { position: at(n), set: { id, values } };
};
const remove = (n: number, id: string): Change => ({ position: at(n), remove: { id } });

const inLedger = (ledgerId: KeyValue, tenantId = 'n1') => ({ tenantId, ledgerId });
const bodyOf = (metadata: object) => JSON.stringify({ metadata });

/** A transfer born at the revision its id ends in, entered once under acc-1. */
function sent(id: string, keys: Record<string, KeyValue> = {}, metadata: object = {}): Put {
  const all = { ...inLedger('l1'), status: 'APPROVED', groupId: null, name: null, ...keys };
  const entries = [{ at: 'acc-1', ordinal: 1, facts: { type: 'DEBIT', createdAt: null } }];
  const born = bornOf(id);
  return {
    id,
    born,
    keys: { createdAt: null, amount: null, ...all },
    body: bodyOf(metadata),
    entries,
  };
}

function account(
  id: string,
  values?: Record<string, KeyValue>,
  keys: Record<string, KeyValue> = {},
  { version }: CollectionSpec = accounts,
): Put {
  const all = { ...inLedger('l1'), alias: null, kind: 'deposit', ...keys };
  const body = JSON.stringify(version === 1 ? { id } : { id, version });
  return { id, born: bornOf(id), keys: all, body, ...(values !== undefined && { values }) };
}

/** t7 is born in revision 7, and b in revision 2. */
const bornOf = (id: string) => 65_536 * Number(/\d+$/.exec(id)?.[0] ?? id.charCodeAt(0) - 96);

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

const rejection = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

const EVERY_OPERATION: WantedOperations = {
  version: 1,
  ledgerId: LEDGER,
  accountId: accountId('@one'),
  routeId: undefined,
  routeCode: undefined,
  metadata: [],
};

function operationsBody(n: number, routeCode: string): string {
  const [balance, balanceAfter] = [state('0', 0), state('500', 1)];
  const move = { alias: '@one', type: 'CREDIT', balance, balanceAfter, routeCode } as const;
  return JSON.stringify(transactionRecord(String(n), [move, move], { description: 'wanted' }));
}
