import { expect } from 'chai';
import type { Client } from '#test/support/client.ts';
import { got, made, NOBODY, openBook, UUID_V7, type Book, type List } from './books.ts';
import { expectProblem } from './problems.ts';

/** The members that the records of a ledger have in common. */
type RecordBody = Readonly<{
  id: string;
  name: string;
  createdAt: string;
  updatedAt: string;
  metadata?: object;
}>;

/** A kind of record as the contract needs it; `Fields` are sent and read back under the same names. */
export type RecordKind<Body extends RecordBody> = Readonly<{
  /** The last part of the path of its collection. */
  collection: string;
  entityType: string;
  notFound: string;
  /** The members that every creation sends. */
  required: Readonly<Partial<Body>>;
  /** Members of the response that the creation did not send. */
  defaults: object;
  /** Every field, at its longest. */
  complete: Readonly<Partial<Body>>;
  /** Changes of an update, besides metadata. */
  changes: Readonly<Partial<Body>>;
  /** Updates that leave the record as it is. */
  unchanging: readonly object[];
  /** Updates that are refused for members that cannot change. */
  unchangeable: readonly object[];
  refused: readonly (readonly [what: string, fields: object, code: string, location: string])[];
}>;

export type RecordTests<Body> = Readonly<{
  book: () => Book;
  /** The path of the collection in the book. */
  at: () => string;
  create: (fields?: object) => Promise<Body>;
  list: (query?: string) => Promise<List<Body>>;
}>;

/** Tests that hold for every declared record, each in a ledger of its own. */
export function recordContract<Body extends RecordBody>(
  client: Client,
  kind: RecordKind<Body>,
): RecordTests<Body> {
  const { collection, required, entityType } = kind;
  let book: Book;
  let at = '';
  beforeEach(async () => {
    book = await openBook(client, { assets: [] });
    at = `${book.at}/${collection}`;
  });
  const create = (fields: object = {}) => made<Body>(client, at, { ...required, ...fields });
  const list = (query = '') => got<List<Body>>(client, `${at}?${query}`);
  const inVersion2 = (path: string) => path.replace('/v1/', '/v2/');

  it('are created from what is required, and read back as in the response', async () => {
    const answer = await client.post(at, required);
    expect(answer.status, answer.text).to.equal(201);
    const { id, createdAt, updatedAt, ...rest } = answer.json() as Body;
    expect(id).to.match(UUID_V7);
    expect(updatedAt).to.equal(createdAt);
    expect(rest).to.deep.equal({
      organizationId: book.org,
      ledgerId: book.ledger,
      ...required,
      ...kind.defaults,
      deletedAt: null,
    });
    for (const path of [at, inVersion2(at)]) {
      expect((await client.get(`${path}/${id}`)).text).to.equal(answer.text);
    }
  });

  it('keep every field that is sent', async () => {
    expect(await create(kind.complete)).to.deep.include(kind.complete);
  });

  for (const [what, fields, code, location] of kind.refused) {
    it(`are refused with ${what}`, async () => {
      const answer = await client.post(at, { ...required, ...fields });
      expectProblem(answer, 400, code, { locations: [location] });
    });
  }

  it('are looked up in their own ledger', async () => {
    const { id } = await create();
    const other = await openBook(client, { assets: [] });
    for (const path of [`${other.at}/${collection}/${id}`, `${at}/${NOBODY}`]) {
      for (const answer of [
        await client.get(path),
        await client.patch(path, {}),
        await client.delete(path),
      ]) {
        expectProblem(answer, 404, kind.notFound, { entityType });
      }
    }
    expect((await got<List<Body>>(client, `${other.at}/${collection}`)).items).to.deep.equal([]);
  });

  it('change by what is sent, and keep the rest', async () => {
    const before = await create({ ...kind.complete, metadata: { a: 1, b: 2 } });
    const path = `${at}/${before.id}`;
    const answer = await client.patch(path, { ...kind.changes, metadata: { a: null, c: 3 } });
    expect(answer.status, answer.text).to.equal(200);
    const after = answer.json() as Body;
    expect(after.updatedAt > before.updatedAt).to.equal(true);
    const due = { ...before, ...kind.changes, metadata: { b: 2, c: 3 } };
    expect({ ...after, updatedAt: before.updatedAt }).to.deep.equal(due);
    expect((await client.get(path)).text).to.equal(answer.text);
    for (const body of [{}, { name: '' }, { metadata: {} }, ...kind.unchanging]) {
      expect((await client.patch(path, body)).text).to.equal(answer.text);
    }
    for (const body of [{ name: null }, { ledgerId: book.ledger }, ...kind.unchangeable]) {
      expectProblem(await client.patch(path, body), 400, 'LDG-0053');
    }
    expect((await client.patch(inVersion2(path), { metadata: null })).text).to.equal(answer.text);
    const cleared = (await client.patch(path, { metadata: null })).json();
    expect(cleared).to.not.have.property('metadata');
  });

  it('are deleted, and free what is unique', async () => {
    const { id } = await create();
    const answer = await client.delete(`${at}/${id}`);
    expect([answer.status, answer.text]).to.deep.equal([204, '']);
    expectProblem(await client.get(`${at}/${id}`), 404, kind.notFound, { entityType });
    expect((await list()).items).to.deep.equal([]);
    expect((await create()).id).to.not.equal(id);
  });

  return { book: () => book, at: () => at, create, list };
}

/** The test of a list by page, date and metadata, for the records that have no cursors. */
export function listsByPage<Body extends RecordBody>({
  create,
  list,
}: Pick<RecordTests<Body>, 'create' | 'list'>): void {
  it('are listed page by page, by date and by metadata', async () => {
    const all: Body[] = [];
    for (const name of ['A', 'B', 'C']) {
      all.push(await create({ name, metadata: { half: name < 'C', name } }));
    }
    expect(await list('limit=2&page=2')).to.deep.equal({ items: [all[2]], limit: 2, page: 2 });
    expect(await list()).to.deep.equal({ items: all, limit: 10, page: 1 });
    const backwards = await list('metadata.half=true&sort_order=desc');
    expect(backwards.items).to.deep.equal([all[1], all[0]]);
    expect((await list('metadata.half=true&metadata.name=B')).items).to.deep.equal([all[1]]);
    const second = all[1]!.createdAt;
    expect((await list(`start_date=${second}&end_date=${second}`)).items).to.deep.equal([all[1]]);
    expect((await list('start_date=2001-01-01&end_date=2001-01-02')).items).to.deep.equal([]);
  });
}
