import { expect } from 'chai';
import fc from 'fast-check';
import { formatCursor, parseCursor } from '#queries/cursor.ts';
import { cursorReply, pageReply, unionReply, type Sequence } from '#queries/paging.ts';
import { memoryReadStore, memoryReadStoreWriter } from '#test/doubles/memory/read-store.ts';
import { createReadMemory } from '#test/doubles/memory/read-store.ts';
import { systemScheduler } from '#src/adapters/system.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { PageRequest } from '#src/http/request.ts';
import { TimeBudgetExceeded } from '#src/ports/errors.ts';
import type { Position } from '#src/ports/event-store.ts';
import type { Cut } from '#src/ports/page.ts';
import type { CollectionSpec } from '#src/ports/read-store.ts';
import type { Page } from '#test/support/reading-world.ts';
import { nthId } from '#test/support/stamps.ts';

const LOG = nthId(999);
const spec: CollectionSpec = {
  name: 'thing',
  version: 1,
  keys: { tenantId: 'text', color: 'text' },
  indexes: [['tenantId']],
};

/** A list of numbered things; the n-th is born at n. */
async function things(count: number, pageBytes?: number) {
  const memory = createReadMemory();
  const writer = memoryReadStoreWriter(memory, systemScheduler);
  const reads = memoryReadStore(memory, systemScheduler, undefined, pageBytes);
  await writer.open(LOG, [spec]);
  let n = 0;
  const grow = async (more: number) => {
    const changes = Array.from({ length: more }, () => {
      n += 1;
      const position = String(n).padStart(8, '0') as Position;
      const keys = { tenantId: 'default', color: n % 2 === 0 ? 'red' : 'blue' };
      return { position, put: { id: nthId(n), born: n, keys, body: String(n) } };
    });
    const checkpoint = changes.at(-1)?.position ?? ('' as Position);
    await writer.apply([{ collection: 'thing', changes, checkpoint }]);
  };
  await grow(count);

  const sequence = (color?: string, logId = LOG): Sequence => {
    const where = { tenantId: 'default' };
    const filters = color === undefined ? [] : [{ key: 'color', is: color }];
    return {
      listing: ['thing', where, filters],
      page: (stretch) => reads.page(spec, { where, filters, ...stretch }),
      find: async (id) => (await reads.get(spec, { id }))?.born,
      logId,
    };
  };
  return { grow, sequence };
}

const asked = (changes: Partial<PageRequest>): PageRequest => ({
  limit: 10,
  page: undefined,
  cursor: undefined,
  sortOrder: undefined,
  startDate: undefined,
  endDate: undefined,
  metadata: [],
  bare: false,
  ...changes,
});

type Style = typeof cursorReply;
const page = async (style: Style, sequence: Sequence, changes: Partial<PageRequest>) => {
  const { body = '' } = await style(sequence, asked(changes));
  return JSON.parse(body.toString()) as Omit<Page, 'items'> & { items: number[] };
};

const refusalOf = async (work: Promise<unknown>) => {
  try {
    await work;
  } catch (error) {
    if (error instanceof Refusal) return [error.refusal, error.details.findings?.[0]?.location];
    throw error;
  }
  return undefined;
};
const BAD_CURSOR = ['QUERY_INVALID', 'query.cursor'];

const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

describe('paging by cursor', () => {
  it('neither repeats nor skips, in either order, however much is written meanwhile', () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom('asc' as const, 'desc' as const),
        fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 100 }),
        async (count, limit, sortOrder, writes) => {
          const { grow, sequence } = await things(count);
          const seen: number[] = [];
          let cursor: string | undefined;
          do {
            const found = await page(cursorReply, sequence(), { limit, cursor, sortOrder });
            expect(found.limit).to.equal(limit);
            seen.push(...found.items);
            cursor = found.next_cursor;
            await grow(writes.pop() ?? 0);
          } while (cursor !== undefined);

          if (sortOrder === 'desc') expect(seen).to.deep.equal(upTo(count).reverse());
          else expect(seen).to.deep.equal(upTo(seen.length));
          if (sortOrder === 'asc') expect(seen.length).to.be.at.least(count);
        },
      ),
      { numRuns: 50 },
    ));

  it('goes back page by page in the order of the sequence', () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom('asc' as const, 'desc' as const),
        async (count, limit, sortOrder) => {
          const { sequence } = await things(count);
          const forth: Awaited<ReturnType<typeof page>>[] = [];
          let cursor: string | undefined;
          do {
            forth.push(await page(cursorReply, sequence(), { limit, cursor, sortOrder }));
            cursor = forth.at(-1)!.next_cursor;
          } while (cursor !== undefined);

          for (let n = forth.length - 1; n > 0; n -= 1) {
            const back = await page(cursorReply, sequence(), {
              limit,
              cursor: forth[n]!.prev_cursor,
            });
            expect(back.items).to.deep.equal(forth[n - 1]!.items);
            expect(back.prev_cursor === undefined).to.equal(n === 1);
            const again = await page(cursorReply, sequence(), { limit, cursor: back.next_cursor });
            expect(again.items).to.deep.equal(forth[n]!.items);
          }
          expect(forth[0]!.prev_cursor).to.equal(undefined);
        },
      ),
      { numRuns: 50 },
    ));

  it('gives an empty page of an empty list, without cursors', async () => {
    const { sequence } = await things(0);
    expect(await page(cursorReply, sequence(), {})).to.deep.equal({ items: [], limit: 10 });
  });

  it('remembers its order, and takes no other', async () => {
    const { sequence } = await things(9);
    const { next_cursor: cursor } = await page(cursorReply, sequence(), {
      limit: 4,
      sortOrder: 'desc',
    });
    expect((await page(cursorReply, sequence(), { limit: 4, cursor })).items).to.deep.equal([
      5, 4, 3, 2,
    ]);
    const other = page(cursorReply, sequence(), { cursor, sortOrder: 'asc' });
    expect(await refusalOf(other)).to.deep.equal(BAD_CURSOR);
  });

  it('is bound to its filters and its log', async () => {
    const { sequence } = await things(9);
    const { next_cursor: cursor } = await page(cursorReply, sequence('red'), { limit: 2 });
    expect((await page(cursorReply, sequence('red'), { cursor })).items).to.deep.equal([6, 8]);
    for (const other of [sequence(), sequence('blue'), sequence('red', nthId(1))]) {
      expect(await refusalOf(page(cursorReply, other, { cursor }))).to.deep.equal(BAD_CURSOR);
    }
  });

  it('takes the cursors of older programs, which name a record', async () => {
    const { sequence } = await things(9);
    const cursor = (value: object) => btoa(JSON.stringify(value));
    const next = await page(cursorReply, sequence(), {
      limit: 2,
      cursor: cursor({ id: nthId(4), points_next: true }),
    });
    expect(next.items).to.deep.equal([5, 6]);
    const prev = await page(cursorReply, sequence(), {
      limit: 2,
      cursor: cursor({ id: nthId(4), direction: 'prev' }),
    });
    expect(prev.items).to.deep.equal([2, 3]);
    const unknown = page(cursorReply, sequence(), {
      cursor: cursor({ id: nthId(77), points_next: true }),
    });
    expect(await refusalOf(unknown)).to.deep.equal(BAD_CURSOR);
  });

  it('refuses what is no cursor', async () => {
    const { sequence } = await things(1);
    for (const cursor of ['x', 'é', btoa('null'), btoa('[]'), btoa('{}'), btoa('{"b":1}')]) {
      expect(await refusalOf(page(cursorReply, sequence(), { cursor })), cursor).to.deep.equal(
        BAD_CURSOR,
      );
      expect(await refusalOf(page(pageReply, sequence(), { cursor })), cursor).to.deep.equal(
        BAD_CURSOR,
      );
    }
  });

  it('is base64url text that reads back as what it was', () => {
    const cursor = {
      born: '0000000000000640',
      towards: 'next',
      order: 'desc',
      listing: 'abc',
      logId: LOG,
    } as const;
    expect(formatCursor(cursor)).to.match(/^[A-Za-z0-9_-]+$/);
    expect(parseCursor(formatCursor(cursor))).to.deep.equal(cursor);
    expect(() => parseCursor(`${formatCursor(cursor)}x`)).to.throw(Refusal);
  });
});

describe('paging by number', () => {
  it('counts pages from one and says where it is', async () => {
    const { sequence } = await things(7);
    expect(await page(pageReply, sequence(), { limit: 3 })).to.deep.equal({
      items: [1, 2, 3],
      limit: 3,
      page: 1,
    });
    const last = await page(pageReply, sequence(), { limit: 3, page: 3, sortOrder: 'desc' });
    expect(last).to.deep.equal({ items: [1], limit: 3, page: 3 });
    expect((await page(pageReply, sequence(), { limit: 3, page: 9 })).items).to.deep.equal([]);
  });

  it('goes with cursors in a union list, where a cursor is stronger', async () => {
    const { sequence } = await things(7);
    const first = await page(unionReply, sequence(), { limit: 3 });
    expect(first).to.have.all.keys('items', 'limit', 'next_cursor');
    const second = await page(unionReply, sequence(), { limit: 3, page: 2 });
    expect(second).to.include({ page: 2 });
    expect(second.items).to.deep.equal([4, 5, 6]);
    const third = await page(unionReply, sequence(), {
      limit: 3,
      cursor: second.next_cursor,
      page: 1,
    });
    expect(third.items).to.deep.equal([7]);
    const back = await page(unionReply, sequence(), { limit: 3, cursor: second.prev_cursor });
    expect(back.items).to.deep.equal([1, 2, 3]);
  });
});

describe('a page that ended early', () => {
  /** Of numbers of one digit each. */
  const THREE_BYTES = 3;
  const ended = (sequence: Sequence, cut: Cut): Sequence => ({
    ...sequence,
    page: async () => ({ items: '', more: true, first: undefined, last: undefined, cut }),
  });

  it('goes on by its cursor, in both directions', async () => {
    const { sequence } = await things(9, THREE_BYTES);
    const seen: number[][] = [];
    let last: Awaited<ReturnType<typeof page>> | undefined;
    for (let cursor: string | undefined; ;) {
      last = await page(cursorReply, sequence(), { limit: 5, cursor });
      expect(last.limit).to.equal(5);
      seen.push(last.items);
      if (last.next_cursor === undefined) break;
      cursor = last.next_cursor;
    }
    expect(seen).to.deep.equal([
      [1, 2, 3],
      [4, 5, 6],
      [7, 8, 9],
    ]);

    const back = await page(cursorReply, sequence(), { limit: 5, cursor: last.prev_cursor });
    expect(back.items).to.deep.equal([4, 5, 6]);
    const first = await page(cursorReply, sequence(), { limit: 5, cursor: back.prev_cursor });
    expect(first.items).to.deep.equal([1, 2, 3]);
  });

  it('is refused where a list has no cursor, with what to narrow', async () => {
    const { sequence } = await things(9, THREE_BYTES);
    const refused = ['LIST_TOO_LARGE', undefined];
    expect(await refusalOf(page(pageReply, sequence(), { limit: 5 }))).to.deep.equal(refused);
    expect((await page(pageReply, sequence(), { limit: 3 })).items).to.deep.equal([1, 2, 3]);
    const scanned = ended(sequence(), 'time');
    expect(await refusalOf(page(pageReply, scanned, {}))).to.deep.equal(refused);
    // It had not come to the page that was asked for: there is no place to go on from.
    expect(await refusalOf(page(unionReply, scanned, { page: 4 }))).to.deep.equal(refused);
  });

  it('is not the fault of the request when others kept it waiting', async () => {
    const { sequence } = await things(9);
    const busy = page(pageReply, ended(sequence(), 'busy'), {});
    const failed = await busy.catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(TimeBudgetExceeded);
  });
});
