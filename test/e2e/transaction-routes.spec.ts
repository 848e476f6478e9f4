import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { sharedServer } from '#test/support/server.ts';
import { createLedger, got, NOBODY, openBook, type Book, type List } from './books.ts';
import { expectProblem } from './problems.ts';
import {
  createOperationRoute,
  createTransactionRoute,
  type OperationRoute,
  type TransactionRoute,
} from './routes.ts';

describe('transaction routes', () => {
  const client = clientOf(sharedServer());
  after(() => client.close());

  for (const level of ['ledger, v1', 'ledger, v2', 'organization, v2'] as const) {
    describe(`of the ${level}`, () => {
      let book: Book;
      let at = '';
      let routes = '';
      let source: OperationRoute;
      let destination: OperationRoute;
      before(async () => {
        book = await openBook(client, { assets: [], version: level === 'ledger, v1' ? 1 : 2 });
        at = level === 'organization, v2' ? `/v2/organizations/${book.org}` : book.at;
        routes = `${at}/transaction-routes`;
        source = await createOperationRoute(client, at, 'source', { metadata: { a: 1 } });
        destination = await createOperationRoute(client, at, 'destination');
      });

      it('show their operation routes in full, each once, in the order sent', async () => {
        const fields = { title: 'Payment', description: 'One to one', metadata: { b: 2 } };
        const operationRoutes = [destination.id, source.id.toUpperCase(), destination.id];
        const answer = await client.post(routes, { ...fields, operationRoutes });
        expect(answer.status, answer.text).to.equal(201);
        const { id, createdAt, updatedAt, ...rest } = answer.json() as TransactionRoute;
        expect(updatedAt).to.equal(createdAt);
        expect(rest).to.deep.equal({
          organizationId: book.org,
          ...(level !== 'organization, v2' && { ledgerId: book.ledger }),
          ...fields,
          operationRoutes: [destination, source],
          deletedAt: null,
        });
        expect((await client.get(`${routes}/${id}`)).text).to.equal(answer.text);
      });

      it('show operation routes as they are now', async () => {
        const both = await createOperationRoute(client, at, 'bidirectional');
        const { id } = await createTransactionRoute(client, at, [both]);
        const path = `${at}/operation-routes/${both.id}`;
        const changed = (await client.patch(path, { title: 'New' })).json() as OperationRoute;
        expect(changed.title).to.equal('New');
        const route = await got<TransactionRoute>(client, `${routes}/${id}`);
        expect(route.operationRoutes).to.deep.equal([changed]);
        const { items } = await got<List<TransactionRoute>>(client, `${routes}?sort_order=desc`);
        expect(items[0]).to.deep.equal(route);
        const same = await client.patch(`${routes}/${id}`, { title: 'Payment' });
        expect(same.json()).to.deep.equal(route);
      });

      const uuids = (n: number) =>
        Array.from({ length: n }, (_, i) => NOBODY.slice(0, -3) + String(100 + i));
      const refused: readonly [string, () => object, number, string, ...string[]][] = [
        ['no operation routes', () => ({ operationRoutes: [] }), 400, 'LDG-0104'],
        ['operation routes missing', () => ({ operationRoutes: undefined }), 400, 'LDG-0009'],
        ['null for them', () => ({ operationRoutes: null }), 400, 'LDG-0053'],
        ['101 of them', () => ({ operationRoutes: uuids(101) }), 400, 'LDG-0158'],
        [
          'one that is no UUID',
          () => ({ operationRoutes: [source.id, 'x'] }),
          400,
          'LDG-0094',
          'operationRoutes[1]',
        ],
        ['one that is a number', () => ({ operationRoutes: [1] }), 400, 'LDG-0094'],
        [
          'one that is not there',
          () => ({ operationRoutes: [source.id, NOBODY] }),
          404,
          'LDG-0101',
          'operationRoutes[1]',
        ],
        ['no source', () => ({ operationRoutes: [destination.id] }), 400, 'LDG-0153'],
        ['no destination', () => ({ operationRoutes: [source.id] }), 400, 'LDG-0154'],
        ['a title of 256', () => ({ title: 't'.repeat(256) }), 400, 'LDG-0047', 'title'],
        ['an unknown field', () => ({ code: 'x' }), 400, 'LDG-0053', 'code'],
      ];
      for (const [what, fields, status, code, ...locations] of refused) {
        it(`are refused with ${what}`, async () => {
          const operationRoutes = [source.id, destination.id];
          const body = { title: 'Payment', operationRoutes, ...fields() };
          const said = locations.length > 0 ? { locations } : {};
          expectProblem(await client.post(routes, body), status, code, said);
        });
      }

      it('are changed, with operation routes replaced', async () => {
        const both = await createOperationRoute(client, at, 'bidirectional');
        const route = await createTransactionRoute(client, at, [source, destination]);
        const path = `${routes}/${route.id}`;
        const operationRoutes = [both.id, source.id];
        const answer = await client.patch(path, { title: 'New', operationRoutes });
        expect(answer.status, answer.text).to.equal(200);
        expect(answer.json()).to.deep.include({ title: 'New', operationRoutes: [both, source] });
        expect((await client.get(path)).text).to.equal(answer.text);

        const change = (ids: unknown) => client.patch(path, { operationRoutes: ids });
        expectProblem(await change([both.id]), 400, 'LDG-0104');
        expectProblem(await change([]), 400, 'LDG-0104');
        expectProblem(await change(null), 400, 'LDG-0053');
        expectProblem(await change([source.id, NOBODY]), 404, 'LDG-0101');
        expectProblem(await change([source.id, source.id]), 400, 'LDG-0154');
        expectProblem(await client.patch(`${routes}/${NOBODY}`, {}), 404, 'LDG-0105');
      });

      it('keep operation routes from being deleted, and leave them when they go', async () => {
        const both = await createOperationRoute(client, at, 'bidirectional');
        const { id } = await createTransactionRoute(client, at, [both]);
        const path = `${at}/operation-routes/${both.id}`;
        expectProblem(await client.delete(path), 422, 'LDG-0107', { entityType: 'OperationRoute' });
        expect((await client.delete(`${routes}/${id}`)).status).to.equal(204);
        const said = { entityType: 'TransactionRoute' };
        expectProblem(await client.get(`${routes}/${id}`), 404, 'LDG-0105', said);
        expectProblem(await client.delete(`${routes}/${id}`), 404, 'LDG-0105', said);
        expect((await client.get(path)).status).to.equal(200);
        expect((await client.delete(path)).status).to.equal(204);
      });
    });
  }

  describe('between a ledger and its organization', () => {
    let book: Book;
    let org = '';
    before(async () => {
      book = await openBook(client, { assets: [], version: 2 });
      org = `/v2/organizations/${book.org}`;
    });

    it('may name operation routes of the organization in a ledger, not the reverse', async () => {
      const own = await createOperationRoute(client, book.at, 'source');
      const shared = await createOperationRoute(client, org, 'destination');
      const route = await createTransactionRoute(client, book.at, [own, shared]);
      expect(route.operationRoutes).to.deep.equal([own, shared]);
      expect(await got(client, `${book.at}/transaction-routes/${route.id}`)).to.deep.equal(route);
      const body = { title: 'No', operationRoutes: [own.id, shared.id] };
      expectProblem(await client.post(`${org}/transaction-routes`, body), 404, 'LDG-0101');
    });

    it('keep an operation route of the organization while a ledger uses it', async () => {
      const shared = await createOperationRoute(client, org, 'bidirectional');
      const { id } = await createTransactionRoute(client, book.at, [shared]);
      const path = `${org}/operation-routes/${shared.id}`;
      expectProblem(await client.delete(path), 422, 'LDG-0107');
      const renamed = await client.patch(path, { title: 'Renamed' });
      const { operationRoutes } = await got<TransactionRoute>(
        client,
        `${book.at}/transaction-routes/${id}`,
      );
      expect(operationRoutes).to.deep.equal([renamed.json()]);
      expect((await client.delete(`${book.at}/transaction-routes/${id}`)).status).to.equal(204);
      expect((await client.delete(path)).status).to.equal(204);
    });

    it('are reached where they belong', async () => {
      const both = await createOperationRoute(client, org, 'bidirectional');
      const below = await createTransactionRoute(client, book.at, [both]);
      const above = await createTransactionRoute(client, org, [both]);
      const paths = [
        `${org}/transaction-routes/${below.id}`,
        `${book.at}/transaction-routes/${above.id}`,
      ];
      for (const path of paths) {
        expectProblem(await client.get(path), 404, 'LDG-0105');
        expectProblem(await client.patch(path, {}), 404, 'LDG-0105');
        expectProblem(await client.delete(path), 404, 'LDG-0105');
      }
    });
  });

  describe('of a whole organization', () => {
    const all: TransactionRoute[] = [];
    let path = '';
    before(async () => {
      const book = await openBook(client, { assets: [], version: 2 });
      const org = `/v2/organizations/${book.org}`;
      path = `${org}/transaction-routes`;
      const other = (await createLedger(client, book.org)).id;
      const both = await createOperationRoute(client, org, 'bidirectional');
      for (const at of [book.at, org, `${org}/ledgers/${other}`, book.at, org]) {
        const metadata = { n: all.length };
        all.push(await createTransactionRoute(client, at, [both], { metadata }));
      }
      await openBook(client, { assets: [] }); // Another one, which stays out of it.
    });

    it('are listed in the order they came, whatever ledger they are of', async () => {
      expect(await got(client, path)).to.deep.equal({ items: all, limit: 10 });
      const down = await got<List<TransactionRoute>>(client, `${path}?sort_order=DESC&limit=5`);
      expect(down.items).to.deep.equal(all.toReversed());
    });

    it('are walked by cursor, to and fro', async () => {
      const first = await got<List<TransactionRoute>>(client, `${path}?limit=2`);
      expect(first).to.deep.include({ items: all.slice(0, 2), limit: 2 });
      expect(first).to.not.have.property('prev_cursor');
      const next = `${path}?limit=2&cursor=${first.next_cursor ?? ''}`;
      const second = await got<List<TransactionRoute>>(client, next);
      expect(second.items).to.deep.equal(all.slice(2, 4));
      const last = `${path}?limit=2&cursor=${second.next_cursor ?? ''}`;
      const third = await got<List<TransactionRoute>>(client, last);
      expect(third.items).to.deep.equal(all.slice(4));
      expect(third).to.not.have.property('next_cursor');
      const back = `${path}?limit=2&cursor=${second.prev_cursor ?? ''}`;
      expect((await got<List<TransactionRoute>>(client, back)).items).to.deep.equal(first.items);
    });

    it('keep their place when they are changed, and leave it when they go', async () => {
      const [one, two] = all;
      const at = `/v2/organizations/${one!.organizationId}/ledgers/${one!.ledgerId ?? ''}`;
      const answer = await client.patch(`${at}/transaction-routes/${one!.id}`, { title: 'New' });
      all[0] = answer.json() as TransactionRoute;
      expect((await client.delete(`${path}/${two!.id}`)).status).to.equal(204);
      all.splice(1, 1);
      expect((await got<List<TransactionRoute>>(client, path)).items).to.deep.equal(all);
    });

    it('may be asked for by either date alone, and by metadata', async () => {
      const items = async (query: string) =>
        (await got<List<TransactionRoute>>(client, `${path}?${query}`)).items;
      expect(await items('start_date=2020-01-01')).to.deep.equal(all);
      expect(await items('end_date=2020-01-01')).to.deep.equal([]);
      expect(await items('start_date=2020-01-01&end_date=2999-12-31')).to.deep.equal(all);
      expect(await items('metadata.n=3')).to.have.lengthOf(1);
    });

    it('go with their ledger, whichever page they stand on', async () => {
      const org = path.slice(0, path.lastIndexOf('/'));
      const left = all.filter(({ ledgerId }) => ledgerId !== all[0]!.ledgerId);
      expect(left.length).to.be.within(1, all.length - 1);
      expect((await client.delete(`${org}/ledgers/${all[0]!.ledgerId ?? ''}`)).status).to.equal(
        204,
      );
      expect(await got(client, path)).to.deep.equal({ items: left, limit: 10 });
      const first = await got<List<TransactionRoute>>(client, `${path}?limit=1`);
      expect(first.items).to.deep.equal(left.slice(0, 1));
      const next = `${path}?limit=1&cursor=${first.next_cursor ?? ''}`;
      const second = await got<List<TransactionRoute>>(client, next);
      expect(second.items).to.deep.equal(left.slice(1, 2));
      const back = `${path}?limit=1&cursor=${second.prev_cursor ?? ''}`;
      expect((await got<List<TransactionRoute>>(client, back)).items).to.deep.equal(first.items);
    });

    const malformed: readonly [query: string, code: string][] = [
      ['limit=0', 'LDG-0082'],
      ['limit=', 'LDG-0082'],
      ['limit=101', 'LDG-0080'],
      ['sort_order=up', 'LDG-0081'],
      ['start_date=yesterday', 'LDG-0131'],
      ['start_date=2026-01-02&end_date=2026-01-01', 'LDG-0078'],
      ['cursor=x', 'LDG-0082'],
      ['cursor=eyJhIjoxfQ', 'LDG-0082'],
      ['page=-1', 'LDG-0082'],
    ];
    for (const [query, code] of malformed) {
      it(`are refused with 422 for ${query}`, async () => {
        expectProblem(await client.get(`${path}?${query}`), 422, code);
      });
    }

    it('are not there below an organization that is not', async () => {
      const lost = `/v2/organizations/${NOBODY}/transaction-routes`;
      expectProblem(await client.get(lost), 404, 'LDG-0038');
      expectProblem(await client.get('/v2/organizations/x/transaction-routes'), 400, 'LDG-0065');
    });

    it('are described with 200, 422, 500 and any other status', async () => {
      const { paths } = await got<{
        paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
      }>(client, '/openapi.json');
      const { responses } =
        paths['/v2/organizations/{organization_id}/transaction-routes']!['get']!;
      expect(Object.keys(responses)).to.deep.equal(['200', '422', '500', 'default']);
    });
  });
});
