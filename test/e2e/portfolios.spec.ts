import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { serverOfBlock } from '#test/support/server.ts';
import {
  got,
  made,
  NOBODY,
  openBook,
  UUID_V7,
  type Book,
  type List,
  type Portfolio,
} from './books.ts';
import { expectProblem } from './problems.ts';

describe('portfolios', () => {
  const client = clientOf(serverOfBlock());
  after(() => client.close());

  let book: Book;
  let portfolios = '';
  beforeEach(async () => {
    book = await openBook(client, { assets: [] });
    portfolios = `${book.at}/portfolios`;
  });
  const create = (fields: object = {}) =>
    made<Portfolio>(client, portfolios, { name: 'Anna', ...fields });

  it('are created from a name, and read back as they were answered', async () => {
    const answer = await client.post(portfolios, { name: 'Anna' });
    expect(answer.status, answer.text).to.equal(201);
    const { id, createdAt, updatedAt, ...rest } = answer.json() as Portfolio;
    expect(id).to.match(UUID_V7);
    expect(updatedAt).to.equal(createdAt);
    expect(rest).to.deep.equal({
      organizationId: book.org,
      ledgerId: book.ledger,
      name: 'Anna',
      status: { code: 'ACTIVE', description: null },
      deletedAt: null,
    });
    expect((await client.get(`${portfolios}/${id}`)).text).to.equal(answer.text);
    const second = portfolios.replace('/v1/', '/v2/');
    expect((await client.get(`${second}/${id}`)).text).to.equal(answer.text);
  });

  it('keep every field that is sent', async () => {
    const sent = {
      name: 'ñ'.repeat(256),
      entityId: 'C-17',
      status: { code: 'PENDING', description: 'Soon' },
      metadata: { floor: 1.5, open: false, wing: 'B' },
    };
    expect(await create(sent)).to.deep.include(sent);
  });

  const refused: readonly [what: string, fields: object, code: string, location: string][] = [
    ['no name', { name: '' }, 'LDG-0009', 'name'],
    ['a name that is null', { name: null }, 'LDG-0053', 'name'],
    ['a name that is none', { name: 7 }, 'LDG-0094', 'name'],
    ['a name of 257', { name: 'n'.repeat(257) }, 'LDG-0047', 'name'],
    ['an owner of 257', { entityId: 'n'.repeat(257) }, 'LDG-0047', 'entityId'],
    ['an id of its own', { id: NOBODY }, 'LDG-0053', 'id'],
    ['nested metadata', { metadata: { a: { b: 1 } } }, 'LDG-0067', 'metadata.a'],
  ];
  for (const [what, fields, code, location] of refused) {
    it(`are refused with ${what}`, async () => {
      const answer = await client.post(portfolios, { name: 'Anna', ...fields });
      expectProblem(answer, 400, code, { locations: [location] });
    });
  }

  it('may be called alike, and need no owner', async () => {
    const one = await create({ entityId: null });
    expect(one).to.not.have.property('entityId');
    expect((await create()).name).to.equal(one.name);
  });

  it('are listed page by page, by date and by metadata', async () => {
    const all: Portfolio[] = [];
    for (const name of ['A', 'B', 'C']) {
      all.push(await create({ name, metadata: { half: name < 'C', name } }));
    }
    const list = (query: string) => got<List<Portfolio>>(client, `${portfolios}?${query}`);
    expect(await list('limit=2&page=2')).to.deep.equal({ items: [all[2]], limit: 2, page: 2 });
    expect(await list('')).to.deep.equal({ items: all, limit: 10, page: 1 });
    const backwards = await list('metadata.half=true&sort_order=desc');
    expect(backwards.items).to.deep.equal([all[1], all[0]]);
    expect((await list('metadata.half=true&metadata.name=B')).items).to.deep.equal([all[1]]);
    const second = all[1]!.createdAt;
    expect((await list(`start_date=${second}&end_date=${second}`)).items).to.deep.equal([all[1]]);
    expect((await list('start_date=2001-01-01&end_date=2001-01-02')).items).to.deep.equal([]);
  });

  it('are listed by their owner, and by any status', async () => {
    const anna = await create({ entityId: 'C-17', status: 'ACTIVE' });
    const ben = await create({ entityId: 'C-17', status: 'Dormant' });
    const eve = await create({ entityId: 'c-17' });
    const ids = async (query: string) =>
      (await got<List<Portfolio>>(client, `${portfolios}?${query}`)).items.map(({ id }) => id);
    expect(await ids('entity_id=C-17')).to.deep.equal([anna.id, ben.id]);
    expect(await ids('entity_id=c-17&status=ACTIVE')).to.deep.equal([eve.id]);
    expect(await ids('status=Dormant')).to.deep.equal([ben.id]);
    expect(await ids('entity_id=C-18')).to.deep.equal([]);
    const long = await client.get(`${portfolios}?entity_id=${'x'.repeat(257)}`);
    expectProblem(long, 400, 'LDG-0082', { locations: ['query.entity_id'] });
    const changed = { entityId: 'C-18', status: { code: 'CLOSED' } };
    expect((await client.patch(`${portfolios}/${ben.id}`, changed)).status).to.equal(200);
    expect(await ids('entity_id=C-18&status=CLOSED')).to.deep.equal([ben.id]);
    expect(await ids('entity_id=C-17')).to.deep.equal([anna.id]);
  });

  it('are looked up in their own ledger', async () => {
    const { id } = await create();
    const other = await openBook(client, { assets: [] });
    for (const path of [`${other.at}/portfolios/${id}`, `${portfolios}/${NOBODY}`]) {
      expectProblem(await client.get(path), 404, 'LDG-0007', { entityType: 'Portfolio' });
      expectProblem(await client.patch(path, {}), 404, 'LDG-0007', { entityType: 'Portfolio' });
      expectProblem(await client.delete(path), 404, 'LDG-0007', { entityType: 'Portfolio' });
    }
    expect((await got<List<Portfolio>>(client, `${other.at}/portfolios`)).items).to.deep.equal([]);
  });

  it('change by what is sent, and keep the rest', async () => {
    const before = await create({ entityId: 'C-17', metadata: { a: 1, b: 2 } });
    const path = `${portfolios}/${before.id}`;
    const status = { code: 'INACTIVE', description: 'Closed' };
    const answer = await client.patch(path, { name: 'Homes', status, metadata: { a: null, c: 3 } });
    expect(answer.status, answer.text).to.equal(200);
    const { updatedAt, ...after } = answer.json() as Portfolio;
    expect(updatedAt > before.updatedAt).to.equal(true);
    expect({ ...after, updatedAt: before.updatedAt }).to.deep.equal({
      ...before,
      name: 'Homes',
      status,
      metadata: { b: 2, c: 3 },
    });
    expect((await client.get(path)).text).to.equal(answer.text);
    for (const body of [{}, { name: '' }, { status: null }, { entityId: null }]) {
      expect((await client.patch(path, body)).text).to.equal(answer.text);
    }
    expectProblem(await client.patch(path, { name: null }), 400, 'LDG-0053');
    expectProblem(await client.patch(path, { ledgerId: book.ledger }), 400, 'LDG-0053');

    const second = path.replace('/v1/', '/v2/');
    expect((await client.patch(second, { metadata: null })).text).to.equal(answer.text);
    const cleared = (await client.patch(path, { metadata: null })).json();
    expect(cleared).to.not.have.property('metadata');
  });

  it('end, whatever names them', async () => {
    const { id } = await create();
    const answer = await client.delete(`${portfolios}/${id}`);
    expect([answer.status, answer.text]).to.deep.equal([204, '']);
    expectProblem(await client.get(`${portfolios}/${id}`), 404, 'LDG-0007', {
      entityType: 'Portfolio',
    });
    expect((await got<List<Portfolio>>(client, portfolios)).items).to.deep.equal([]);
  });
});
