import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { sharedServer } from '#test/support/server.ts';
import { got, made, NOBODY, openBook, UUID_V7, type Book, type List } from './books.ts';
import { expectProblem } from './problems.ts';
import { both, credit, debit, type OperationRoute } from './routes.ts';

/** The same at both levels, in both versions where there are two. */
describe('operation routes', () => {
  const client = clientOf(sharedServer());
  after(() => client.close());

  for (const level of ['ledger, v1', 'ledger, v2', 'organization, v2'] as const) {
    describe(`of the ${level}`, () => {
      let book: Book;
      let routes = '';
      before(async () => {
        book = await openBook(client, { assets: [], version: level === 'ledger, v1' ? 1 : 2 });
        const own = `/v2/organizations/${book.org}`;
        routes = `${level === 'organization, v2' ? own : book.at}/operation-routes`;
      });
      const create = (fields: object = {}) =>
        made<OperationRoute>(client, routes, { title: 'Cash', operationType: 'source', ...fields });

      it('are created from title and type, and read back as they were answered', async () => {
        const answer = await client.post(routes, { title: 'Cash', operationType: 'source' });
        const { id, createdAt, updatedAt, ...rest } = answer.json() as OperationRoute;
        expect(id).to.match(UUID_V7);
        expect(updatedAt).to.equal(createdAt);
        expect(rest).to.deep.equal({
          organizationId: book.org,
          ...(level !== 'organization, v2' && { ledgerId: book.ledger }),
          title: 'Cash',
          operationType: 'source',
          deletedAt: null,
        });
        expect((await client.get(`${routes}/${id}`)).text).to.equal(answer.text);
      });

      it('show entries with both sides, and what else was sent', async () => {
        const fields = {
          description: 'Who pays',
          code: '1.1',
          account: { ruleType: 'account_type', validIf: ['deposit'] },
          metadata: { desk: 7 },
        };
        const accountingEntries = { direct: { debit: { code: 'D' }, credit: null }, block: null };
        const route = await create({ ...fields, accountingEntries });
        expect(route).to.deep.include({
          ...fields,
          accountingEntries: { direct: { debit: { code: 'D' }, credit: null } },
        });
        expect((await create({ accountingEntries: {} })).accountingEntries).to.deep.equal({});
        expect(await create({ accountingEntries: null, account: null })).to.not.have.any.keys(
          'accountingEntries',
          'account',
        );
      });

      const refused: readonly [what: string, fields: object, code: string, ...at: string[]][] = [
        ['no title', { title: '' }, 'LDG-0009', 'title'],
        ['a title of 256', { title: 't'.repeat(256) }, 'LDG-0047', 'title'],
        ['a description of 251', { description: 'd'.repeat(251) }, 'LDG-0047', 'description'],
        ['a code of 101', { code: 'c'.repeat(101) }, 'LDG-0047', 'code'],
        ['no type', { operationType: '' }, 'LDG-0009', 'operationType'],
        ['a type that is none', { operationType: 'up' }, 'LDG-0103', 'operationType'],
        [
          'a type that is none, whatever its entries',
          { operationType: 'up', accountingEntries: { sideways: {}, direct: {} } },
          'LDG-0103',
          'operationType',
        ],
        ['an unknown field before a wrong type', { operationType: 'up', x: 1 }, 'LDG-0053'],
        ['a rule of another type', { account: { ruleType: 'name', validIf: 'x' } }, 'LDG-0111'],
        [
          'a rule without a value',
          { account: { ruleType: 'alias' } },
          'LDG-0009',
          'account.validIf',
        ],
        ['a rule without a type', { account: { validIf: 'x' } }, 'LDG-0009', 'account.ruleType'],
        [
          'an alias that is a list',
          { account: { ruleType: 'alias', validIf: ['@a'] } },
          'LDG-0112',
          'account.validIf',
        ],
        [
          'types that are no list',
          { account: { ruleType: 'account_type', validIf: 'deposit' } },
          'LDG-0112',
          'account.validIf',
        ],
        [
          'types that are no strings',
          { account: { ruleType: 'account_type', validIf: ['a', 1] } },
          'LDG-0112',
          'account.validIf',
        ],
        ['a rule with more', { account: { ruleType: 'alias', validIf: 'x', y: 1 } }, 'LDG-0053'],
        ['a rule that is text', { account: 'alias' }, 'LDG-0094', 'account'],
        [
          'an entry that is none',
          { accountingEntries: { refund: debit } },
          'LDG-0053',
          'accountingEntries.refund',
        ],
        [
          'an entry without a side',
          { accountingEntries: { direct: { debit: null } } },
          'LDG-0009',
          'accountingEntries.direct',
        ],
        [
          'a third side',
          { accountingEntries: { direct: { ...debit, both: {} } } },
          'LDG-0053',
          'accountingEntries.direct.both',
        ],
        [
          'a code of 51 in an entry',
          { accountingEntries: { direct: { debit: { code: 'c'.repeat(51) } } } },
          'LDG-0047',
          'accountingEntries.direct.debit.code',
        ],
        [
          'a description of 251 in an entry',
          { accountingEntries: { direct: { debit: { description: 'c'.repeat(251) } } } },
          'LDG-0047',
          'accountingEntries.direct.debit.description',
        ],
        ['entries that are a list', { accountingEntries: [] }, 'LDG-0094', 'accountingEntries'],
        ['an id', { id: NOBODY }, 'LDG-0053', 'id'],
      ];
      for (const [what, fields, code, ...locations] of refused) {
        it(`are refused with ${what}`, async () => {
          const answer = await client.post(routes, {
            title: 'Cash',
            operationType: 'source',
            ...fields,
          });
          expectProblem(answer, 400, code, locations.length > 0 ? { locations } : {});
        });
      }

      it('are refused where entries do not fit the type', async () => {
        const ofType = (operationType: string, accountingEntries: object) =>
          client.post(routes, { title: 'Cash', operationType, accountingEntries });
        const said = { entityType: 'OperationRoute' };
        expectProblem(await ofType('destination', { hold: both }), 422, 'LDG-0162', said);
        const commit = { direct: debit, commit: debit };
        expectProblem(await ofType('source', commit), 422, 'LDG-0163', said);
        expectProblem(await ofType('source', { overdraft: both }), 422, 'LDG-0164', said);
        expectProblem(await ofType('source', { revert: both }), 422, 'LDG-0165', said);
        const answer = await ofType('source', { direct: credit });
        const locations = ['accountingEntries.direct.debit'];
        expectProblem(answer, 422, 'LDG-0166', { ...said, locations });
      });

      it('are listed by cursor, by date and by metadata', async () => {
        const one = await create({ metadata: { list: 'yes' } });
        const two = await create({ metadata: { list: 'yes' } });
        await create({ metadata: { list: 'no' } });
        const filtered = `${routes}?metadata.list=yes`;
        const first = await got<List<OperationRoute>>(client, `${filtered}&limit=1`);
        expect(first).to.deep.include({ items: [one], limit: 1 });
        const next = `${filtered}&limit=1&cursor=${first.next_cursor ?? ''}`;
        const second = await got<List<OperationRoute>>(client, next);
        expect(second.items).to.deep.equal([two]);
        expect(second).to.not.have.property('next_cursor');
        const back = `${filtered}&cursor=${second.prev_cursor ?? ''}`;
        expect((await got<List<OperationRoute>>(client, back)).items).to.deep.equal([one]);
        const last = await got<List<OperationRoute>>(client, `${filtered}&sort_order=desc`);
        expect(last.items).to.deep.equal([two, one]);
        const past = `${filtered}&start_date=2020-01-01&end_date=2020-01-02`;
        expect((await got<List<OperationRoute>>(client, past)).items).to.deep.equal([]);
        expectProblem(await client.get(`${routes}?start_date=2020-01-01`), 400, 'LDG-0083');
      });

      it('are changed entry by entry, and read back', async () => {
        const route = await create({
          accountingEntries: { direct: debit, block: debit },
          account: { ruleType: 'alias', validIf: '@a' },
          metadata: { a: 1 },
        });
        const path = `${routes}/${route.id}`;
        const answer = await client.patch(path, {
          title: 'Bank',
          account: null,
          accountingEntries: { block: null, overdraft: both },
          metadata: { b: 2 },
        });
        expect(answer.status, answer.text).to.equal(200);
        const { updatedAt, ...changed } = answer.json() as OperationRoute;
        expect(updatedAt > route.updatedAt).to.equal(true);
        expect({ ...changed, updatedAt: route.updatedAt }).to.deep.equal({
          ...route,
          title: 'Bank',
          accountingEntries: { direct: { ...debit, credit: null }, overdraft: both },
          metadata: { a: 1, b: 2 },
        });
        expect((await client.get(path)).text).to.equal(answer.text);

        const cleared = await client.patch(path, { accountingEntries: null, metadata: null });
        const after = cleared.json() as OperationRoute;
        expect(after).to.not.have.property('accountingEntries');
        expect(after.metadata).to.deep.equal(level === 'ledger, v1' ? undefined : { a: 1, b: 2 });
      });

      it('take no change of type, and none that breaks a rule', async () => {
        const path = `${routes}/${(await create({ accountingEntries: { direct: debit } })).id}`;
        const typed = await client.patch(path, { operationType: 'source' });
        expectProblem(typed, 400, 'LDG-0053', { locations: ['operationType'] });
        expectProblem(await client.patch(path, { title: null }), 400, 'LDG-0053');
        const direct = { accountingEntries: { direct: null, overdraft: both } };
        expectProblem(await client.patch(path, direct), 422, 'LDG-0164');
        const empty = { accountingEntries: { direct: {} } };
        expectProblem(await client.patch(path, empty), 400, 'LDG-0009');
        const unknown = { accountingEntries: { refund: null } };
        expectProblem(await client.patch(path, unknown), 400, 'LDG-0053');
      });

      it('are gone once deleted', async () => {
        const path = `${routes}/${(await create()).id}`;
        const answer = await client.delete(path);
        expect([answer.status, answer.text]).to.deep.equal([204, '']);
        const said = { entityType: 'OperationRoute' };
        expectProblem(await client.get(path), 404, 'LDG-0101', said);
        expectProblem(await client.patch(path, {}), 404, 'LDG-0101', said);
        expectProblem(await client.delete(path), 404, 'LDG-0101', said);
      });

      it('are looked up where they belong', async () => {
        const { id } = await create();
        const other = await openBook(client, { assets: [], version: 2 });
        const elsewhere = [`${other.at}/operation-routes/${id}`];
        elsewhere.push(`/v2/organizations/${other.org}/operation-routes/${id}`);
        if (level === 'organization, v2') elsewhere.push(`${book.at}/operation-routes/${id}`);
        else elsewhere.push(`/v2/organizations/${book.org}/operation-routes/${id}`);
        for (const path of elsewhere) expectProblem(await client.get(path), 404, 'LDG-0101');
        expectProblem(await client.get(routes.replace(book.org, NOBODY)), 404, 'LDG-0038');
        const lost = await client.post(routes.replace(book.org, NOBODY), {
          title: 'Cash',
          operationType: 'source',
        });
        expectProblem(lost, 404, 'LDG-0038');
      });
    });
  }
});
