import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { sharedServer } from '#test/support/server.ts';
import {
  createAccount,
  got,
  openBook,
  posted,
  transfer,
  type Account,
  type Book,
  type List,
  type Transaction,
} from './books.ts';
import { expectProblem } from './problems.ts';

describe('pagination', () => {
  const client = clientOf(sharedServer());
  after(() => client.close());

  let book: Book;
  let path = '';
  const ids: string[] = [];
  before(async () => {
    book = await openBook(client, { accounts: ['@alice', '@bob'] });
    path = `${book.at}/transactions`;
    for (let n = 0; n < 25; n += 1) {
      const metadata = { parity: n % 2 === 0 ? 'even' : 'odd' };
      const body = transfer('@external/BRL', '@alice', `${n + 1}`, 'BRL', { metadata });
      ids.push((await posted(client, book.at, body)).id);
    }
  });

  const list = (query: string, at = path) => got<List<Transaction>>(client, `${at}?${query}`);
  const following = (cursor: string | undefined, query = '') =>
    list(`cursor=${encodeURIComponent(cursor ?? '')}&${query}`);
  const idsOf = ({ items }: List<Transaction>) => items.map(({ id }) => id);

  /** Every page from a query on. */
  async function walk(query: string): Promise<List<Transaction>[]> {
    const pages = [await list(query)];
    for (let n = 0; n < 100; n += 1) {
      const cursor = pages.at(-1)?.next_cursor;
      if (cursor === undefined) return pages;
      pages.push(await following(cursor, query));
    }
    throw new Error('The walk has no end');
  }

  it('shows ten from the first, unless something else is asked for', async () => {
    const first = await list('');
    expect(first.limit).to.equal(10);
    expect(idsOf(first)).to.deep.equal(ids.slice(0, 10));
  });

  it('shows everything once, in either order, page by page', async () => {
    for (const limit of [1, 7, 25, 100]) {
      const up = await walk(`limit=${limit}&sort_order=asc`);
      expect(up.flatMap(idsOf)).to.deep.equal(ids);
      const down = await walk(`limit=${limit}&sort_order=Desc`);
      expect(down.flatMap(idsOf)).to.deep.equal(ids.toReversed());
    }
  });

  it('goes back as it came, in the order of the sequence', async () => {
    for (const order of ['asc', 'desc']) {
      const pages = await walk(`limit=6&sort_order=${order}`);
      let at = pages.at(-1);
      for (const expected of pages.slice(0, -1).toReversed()) {
        at = await following(at?.prev_cursor, 'limit=6');
        expect(at).to.deep.equal(expected);
      }
      expect(at).not.to.have.property('prev_cursor');
    }
  });

  it('takes another page size within a sequence', async () => {
    const first = await list('limit=3');
    expect(idsOf(await following(first.next_cursor, 'limit=5'))).to.deep.equal(ids.slice(3, 8));
  });

  it('remembers order and filters in the cursor', async () => {
    const first = await list('limit=4&sort_order=desc&metadata.parity=even');
    const even = ids.filter((_, n) => n % 2 === 0).toReversed();
    expect(idsOf(first)).to.deep.equal(even.slice(0, 4));
    const query = 'limit=4&metadata.parity=even';
    expect(idsOf(await following(first.next_cursor, query))).to.deep.equal(even.slice(4, 8));
    const same = await following(first.next_cursor, `${query}&sort_order=desc`);
    expect(idsOf(same)).to.deep.equal(even.slice(4, 8));
  });

  it('refuses a cursor beside another order or other filters', async () => {
    const first = await list('limit=4&metadata.parity=even');
    const cursor = encodeURIComponent(first.next_cursor ?? '');
    for (const query of [
      'metadata.parity=even&sort_order=desc',
      'metadata.parity=odd',
      'metadata.parity=even&metadata.x=y',
      'metadata.parity=even&start_date=2020-01-01&end_date=2099-01-01',
    ]) {
      const answer = await client.get(`${path}?cursor=${cursor}&${query}`);
      expectProblem(answer, 400, 'LDG-0082', { entityType: null });
    }
  });

  it('refuses a cursor of another list, and what is no cursor at all', async () => {
    const { next_cursor: own = '' } = await list('limit=4');
    const other = await openBook(client);
    const alice = await got<Account>(client, `${book.at}/accounts/alias/@alice`);
    for (const foreign of [
      `${other.at}/transactions`,
      `${book.at}/balances`,
      `${book.at}/accounts/${alice.id}/operations`,
    ]) {
      const answer = await client.get(`${foreign}?cursor=${encodeURIComponent(own)}`);
      expectProblem(answer, 400, 'LDG-0082', { locations: ['query.cursor'] });
    }
    for (const none of [
      'x',
      '%00',
      'e30',
      'bnVsbA',
      `${own}x`,
      own.slice(0, -4),
      'a'.repeat(3000),
    ]) {
      const answer = await client.get(`${path}?cursor=${none}`);
      expectProblem(answer, 400, 'LDG-0082', { locations: ['query.cursor'] });
    }
  });

  it('takes an empty cursor as none', async () => {
    expect(idsOf(await list('cursor=&limit=2'))).to.deep.equal(ids.slice(0, 2));
  });

  it('takes the cursors of older clients, which name a record and a direction', async () => {
    const legacy = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64');
    const id = ids[9];
    const up = await following(legacy({ id, points_next: true }), 'limit=3');
    expect(idsOf(up)).to.deep.equal(ids.slice(10, 13));
    const back = await following(legacy({ id, points_next: false }), 'limit=3');
    expect(idsOf(back)).to.deep.equal(ids.slice(6, 9));
    const next = await following(legacy({ id, direction: 'next' }), 'limit=3');
    expect(idsOf(next)).to.deep.equal(ids.slice(10, 13));
    const prev = await following(legacy({ id, direction: 'prev' }), 'limit=3');
    expect(idsOf(prev)).to.deep.equal(ids.slice(6, 9));
    const unknown = legacy({ id: '0197f3a0-1111-7aaa-8bbb-000000000000', points_next: true });
    const answer = await client.get(`${path}?cursor=${encodeURIComponent(unknown)}`);
    expectProblem(answer, 400, 'LDG-0082', { locations: ['query.cursor'] });
  });

  it('is stable while others write', async () => {
    const busy = await openBook(client, { accounts: ['@alice'] });
    const one = () => posted(client, busy.at, transfer('@external/BRL', '@alice', '1'));
    const written: string[] = [];
    for (let n = 0; n < 6; n += 1) written.push((await one()).id);

    const here = (query: string) => list(query, `${busy.at}/transactions`);
    const down = await here('limit=2&sort_order=desc');
    const up = await here('limit=2');
    const seen = { down: idsOf(down), up: idsOf(up) };
    let [below, above] = [down.next_cursor, up.next_cursor];
    for (let n = 0; n < 50 && (below !== undefined || above !== undefined); n += 1) {
      if (n < 4) written.push((await one()).id);
      const cursor = (text: string) => `limit=2&cursor=${encodeURIComponent(text)}`;
      if (below !== undefined) {
        const page = await here(cursor(below));
        seen.down.push(...idsOf(page));
        below = page.next_cursor;
      }
      if (above !== undefined) {
        const page = await here(cursor(above));
        seen.up.push(...idsOf(page));
        above = page.next_cursor;
      }
    }
    expect(seen.down).to.deep.equal(written.slice(0, 6).toReversed()); // What came later is not below.
    expect(seen.up).to.deep.equal(written);
  });

  it('shows no next page when the last one is just full', async () => {
    const [first, second, ...more] = await walk('limit=5&metadata.parity=even');
    expect(first?.items).to.have.lengthOf(5);
    expect(second?.items).to.have.lengthOf(5);
    expect(more.map(idsOf)).to.have.lengthOf(1);
    const whole = await list('limit=13&metadata.parity=even');
    expect(whole.items).to.have.lengthOf(13);
    expect(whole).not.to.have.property('next_cursor');
  });

  describe('parameters', () => {
    const refused: readonly [query: string, code: string, location: string][] = [
      ['limit=0', 'LDG-0082', 'limit'],
      ['limit=-1', 'LDG-0082', 'limit'],
      ['limit=1.5', 'LDG-0082', 'limit'],
      ['limit=ten', 'LDG-0082', 'limit'],
      ['limit=', 'LDG-0082', 'limit'],
      ['limit=101', 'LDG-0080', 'limit'],
      ['limit=99999999999999999999', 'LDG-0080', 'limit'],
      ['page=0', 'LDG-0082', 'page'],
      ['page=-1', 'LDG-0082', 'page'],
      ['page=x', 'LDG-0082', 'page'],
      ['sort_order=up', 'LDG-0081', 'sort_order'],
      ['start_date=2020-01-01', 'LDG-0083', 'end_date'],
      ['end_date=2020-01-01', 'LDG-0083', 'start_date'],
      ['start_date=2020-13-01&end_date=2020-12-01', 'LDG-0131', 'start_date'],
      ['start_date=yesterday&end_date=2020-12-01', 'LDG-0131', 'start_date'],
      ['start_date=2020-02-02&end_date=2020-02-01', 'LDG-0078', 'end_date'],
    ];
    for (const style of ['transactions', 'accounts'] as const) {
      for (const [query, code, location] of refused) {
        it(`${query} is refused by the list of ${style}`, async () => {
          const answer = await client.get(`${book.at}/${style}?${query}`);
          expectProblem(answer, 400, code, { locations: [`query.${location}`] });
        });
      }
    }

    it('are all reported at once', async () => {
      const answer = await client.get(`${path}?limit=0&page=0&sort_order=up&start_date=2020-01-01`);
      const { errors } = expectProblem(answer, 400, 'LDG-0082');
      expect(errors?.map(({ location }) => location)).to.have.members([
        'query.limit',
        'query.page',
        'query.sort_order',
        'query.end_date',
      ]);
    });

    it('count as last sent, and as absent when empty', async () => {
      expect((await list('limit=1&limit=2')).items).to.have.lengthOf(2);
      expect(
        (await list('sort_order=&page=&start_date=&end_date=&limit=1')).items,
      ).to.have.lengthOf(1);
      expect(await list('limit=1&limit=1&offset=3&sortBy=id&startDate=x')).to.deep.equal(
        await list('limit=1'),
      );
    });

    it('take dates as days, as moments and as RFC 3339, both ends inclusive', async () => {
      const [first] = (await list('limit=1')).items;
      const at = first?.createdAt ?? '';
      const second = `${at.slice(0, 10)} ${at.slice(11, 19)}`;
      const later = new Date(Date.parse(at) + 60_000).toISOString();
      for (const [from, to] of [
        [at.slice(0, 10), later.slice(0, 10)],
        [second, later],
        [at, at],
      ] as const) {
        const query = new URLSearchParams({ start_date: from, end_date: to, limit: '1' });
        expect(idsOf(await list(query.toString())), `${from}…${to}`).to.deep.equal([ids[0]]);
      }
    });
  });

  it('moves on by page where records are listed', async () => {
    const here = await openBook(client);
    for (let n = 0; n < 5; n += 1) await createAccount(client, here.at, { alias: `@n${n}` });
    const seen: string[] = [];
    for (const page of [1, 2, 3, 4]) {
      const { items, ...rest } = await got<List<Account>>(
        client,
        `${here.at}/accounts?limit=2&page=${page}`,
      );
      expect(rest).to.deep.equal({ limit: 2, page });
      seen.push(...items.map(({ alias }) => alias));
    }
    expect(seen).to.deep.equal(['@external/BRL', '@n0', '@n1', '@n2', '@n3', '@n4']);
  });
});
