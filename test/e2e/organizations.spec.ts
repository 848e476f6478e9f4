import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { clientOf } from '#test/support/client.ts';
import { serverOfBlock } from '#test/support/server.ts';
import {
  createOrganization,
  got,
  made,
  NOBODY,
  openBook,
  ORGANIZATIONS,
  UTC_TIME,
  UUID_V7,
  type List,
  type Organization,
} from './books.ts';
import { expectProblem } from './problems.ts';

describe('organizations', () => {
  const client = clientOf(serverOfBlock());
  after(() => client.close());

  it('are created from a name and a document, everything else by default', async () => {
    const { id, createdAt, updatedAt, ...rest } = await made<Organization>(client, ORGANIZATIONS, {
      legalName: 'Andes Bank',
      legalDocument: '123',
    });
    expect(id).to.match(UUID_V7);
    expect(createdAt).to.match(UTC_TIME);
    expect(updatedAt).to.equal(createdAt);
    expect(rest).to.deep.equal({
      parentOrganizationId: null,
      legalName: 'Andes Bank',
      doingBusinessAs: null,
      legalDocument: '123',
      address: { line1: '', line2: null, zipCode: '', city: '', state: '', country: '' },
      status: { code: 'ACTIVE', description: null },
      deletedAt: null,
    });
  });

  it('keep every field that is sent', async () => {
    const parent = await createOrganization(client);
    const sent = {
      parentOrganizationId: parent.id.toUpperCase(),
      legalName: 'Inti Crédito 😀',
      doingBusinessAs: 'Inti',
      legalDocument: '00000000000191',
      address: {
        line1: 'Av. El Sol 1',
        line2: '2.º piso',
        zipCode: '08002',
        city: 'Cusco',
        state: 'Cusco',
        country: 'PE',
        description: 'Head office',
      },
      status: { code: 'PENDING', description: 'Not yet' },
      metadata: { text: 'a', whole: 1, float: 1.5, yes: true, $: 'x', 'a.b': '' },
    };
    const organization = await made<Organization>(client, ORGANIZATIONS, sent);
    expect(organization).to.deep.include({ ...sent, parentOrganizationId: parent.id });
  });

  it('are read back as they were answered, by an id in any letter case', async () => {
    const answer = await client.post(ORGANIZATIONS, { legalName: 'A', legalDocument: 'B' });
    const { id } = answer.json() as Organization;
    expect((await client.get(`${ORGANIZATIONS}/${id}`)).text).to.equal(answer.text);
    expect((await client.get(`${ORGANIZATIONS}/${id.toUpperCase()}`)).text).to.equal(answer.text);
  });

  it('may have equal names and documents', async () => {
    const one = await createOrganization(client);
    const other = await createOrganization(client);
    expect(one.id).not.to.equal(other.id);
  });

  describe('status', () => {
    const forms: readonly [sent: unknown, shown: object][] = [
      ['SUSPENDED', { code: 'SUSPENDED', description: null }],
      [{}, { code: 'ACTIVE', description: null }],
      [null, { code: 'ACTIVE', description: null }],
      [{ description: 'Text' }, { code: 'ACTIVE', description: 'Text' }],
      [{ code: 'own-code' }, { code: 'own-code', description: null }],
      [{ status: { code: 'BLOCKED' } }, { code: 'BLOCKED', description: null }],
    ];
    for (const [status, shown] of forms) {
      it(`is shown flat when sent as ${JSON.stringify(status)}`, async () => {
        expect((await createOrganization(client, { status })).status).to.deep.equal(shown);
      });
    }

    it('is refused with a code above 100 or a description above 256 characters', async () => {
      const fields = { legalName: 'A', legalDocument: 'B' };
      const long = { code: 'c'.repeat(101), description: 'd'.repeat(257) };
      const answer = await client.post(ORGANIZATIONS, { ...fields, status: long });
      const locations = ['status.code', 'status.description'];
      expectProblem(answer, 400, 'LDG-0047', { locations });
    });
  });

  describe('metadata', () => {
    it('is left out of the answer when there is none', async () => {
      for (const metadata of [null, {}]) {
        expect(await createOrganization(client, { metadata })).not.to.have.property('metadata');
      }
    });

    it('prints numbers shortest', async () => {
      const body = '{"legalName":"A","legalDocument":"B","metadata":{"a":1.0,"b":1e3,"c":-0.50}}';
      const answer = await client.post(ORGANIZATIONS, body);
      expect(answer.text).to.contain('"metadata":{"a":1,"b":1000,"c":-0.5}');
    });

    it('refuses a number that no double can hold', async () => {
      const body = '{"legalName":"A","legalDocument":"B","metadata":{"a":1e999}}';
      const answer = await client.post(ORGANIZATIONS, body);
      expectProblem(answer, 400, 'LDG-0051', { locations: ['metadata.a'] });
    });

    const refused: readonly [what: string, metadata: unknown, code: string][] = [
      ['a nested object', { a: {} }, 'LDG-0067'],
      ['null', { a: null }, 'LDG-0067'],
      ['an array', { a: [1] }, 'LDG-0051'],
      ['2001 characters', { a: 'x'.repeat(2001) }, 'LDG-0051'],
    ];
    for (const [what, metadata, code] of refused) {
      it(`refuses ${what} as a value`, async () => {
        const body = { legalName: 'A', legalDocument: 'B', metadata };
        expectProblem(await client.post(ORGANIZATIONS, body), 400, code, {
          locations: ['metadata.a'],
          entityType: 'Organization',
        });
      });
    }

    it('takes keys of 100 characters, values of 2000 and 100 of them, and no more', async () => {
      const key = '😀'.repeat(100);
      const metadata = Object.fromEntries(
        Array.from({ length: 99 }, (_, n) => [`k${n}`, n] as const),
      );
      const full = { ...metadata, [key]: '😀'.repeat(2000) };
      expect((await createOrganization(client, { metadata: full })).metadata).to.deep.equal(full);

      const base = { legalName: 'A', legalDocument: 'B' };
      const long = await client.post(ORGANIZATIONS, { ...base, metadata: { [`${key}x`]: 1 } });
      expectProblem(long, 400, 'LDG-0050');
      const many = await client.post(ORGANIZATIONS, {
        ...base,
        metadata: { ...metadata, a: 1, b: 2 },
      });
      expectProblem(many, 400, 'LDG-0145', { entityType: 'request' });
    });
  });

  describe('refusals', () => {
    const refused: readonly [what: string, body: object, code: string, locations: string[]][] = [
      ['no fields', {}, 'LDG-0009', ['legalName', 'legalDocument']],
      [
        'empty names',
        { legalName: '', legalDocument: '' },
        'LDG-0009',
        ['legalName', 'legalDocument'],
      ],
      ['a null name', { legalName: null, legalDocument: 'B' }, 'LDG-0053', ['legalName']],
      ['a number as name', { legalName: 1, legalDocument: 'B' }, 'LDG-0094', ['legalName']],
      [
        'a name of 257',
        { legalName: 'x'.repeat(257), legalDocument: 'B' },
        'LDG-0047',
        ['legalName'],
      ],
      [
        'server fields',
        { legalName: 'A', legalDocument: 'B', id: NOBODY, createdAt: 'x', deletedAt: null },
        'LDG-0053',
        ['id', 'createdAt', 'deletedAt'],
      ],
      [
        'a lower-case country',
        { legalName: 'A', legalDocument: 'B', address: { country: 'pe' } },
        'LDG-0032',
        ['address.country'],
      ],
      [
        'an address without country',
        { legalName: 'A', legalDocument: 'B', address: { city: 'Cusco' } },
        'LDG-0032',
        ['address.country'],
      ],
      [
        'a long zip code',
        { legalName: 'A', legalDocument: 'B', address: { country: 'PE', zipCode: '1'.repeat(21) } },
        'LDG-0047',
        ['address.zipCode'],
      ],
      [
        'a parent that is no UUID',
        { legalName: 'A', legalDocument: 'B', parentOrganizationId: 'x' },
        'LDG-0047',
        ['parentOrganizationId'],
      ],
    ];
    for (const [what, body, code, locations] of refused) {
      it(`name ${what}`, async () => {
        const answer = await client.post(ORGANIZATIONS, body);
        expectProblem(answer, 400, code, { locations });
      });
    }

    it('name a parent that does not exist', async () => {
      const body = { legalName: 'A', legalDocument: 'B', parentOrganizationId: NOBODY };
      expectProblem(await client.post(ORGANIZATIONS, body), 404, 'LDG-0039', {
        entityType: 'Organization',
      });
    });

    it('name an unknown id, and one that is none', async () => {
      const unknown = await client.get(`${ORGANIZATIONS}/${NOBODY}`);
      expectProblem(unknown, 404, 'LDG-0007', { entityType: 'Organization' });
      const malformed = await client.get(`${ORGANIZATIONS}/x`);
      expectProblem(malformed, 400, 'LDG-0065', { locations: ['path.organization_id'] });
    });
  });

  describe('list', () => {
    const document = randomUUID();
    const made: Organization[] = [];
    before(async () => {
      const fields: readonly object[] = [
        { legalName: `Killa ${document}`, doingBusinessAs: `Moon ${document}` },
        { legalName: `killa two ${document}`, status: 'INACTIVE' },
        { legalName: `Quri ${document}`, doingBusinessAs: `gold ${document}` },
      ];
      for (const one of fields) {
        const own = {
          legalDocument: document,
          metadata: { run: document, n: made.length },
          ...one,
        };
        made.push(await createOrganization(client, own));
      }
    });

    const list = (query: string) =>
      got<List<Organization>>(client, `${ORGANIZATIONS}?limit=100&${query}`);
    const names = async (query: string) => (await list(query)).items.map(({ id }) => id);
    const ids = (...numbers: number[]) => numbers.map((n) => made[n]?.id);
    const own = `metadata.run=${document}`;

    it('shows records as they are, in order of creation, with page and limit', async () => {
      expect(await list(`legal_document=${document}`)).to.deep.equal({
        items: made,
        limit: 100,
        page: 1,
      });
      expect(await names(`${own}&sort_order=DESC`)).to.deep.equal(ids(2, 1, 0));
    });

    it('goes page by page, and past the end is empty', async () => {
      const path = `${ORGANIZATIONS}?legal_document=${document}&limit=2`;
      expect(await got(client, `${path}&page=2`)).to.deep.equal({
        items: made.slice(2),
        limit: 2,
        page: 2,
      });
      expect(await got(client, `${path}&page=3`)).to.deep.equal({ items: [], limit: 2, page: 3 });
    });

    it('filters by name, trade name, document, status, date and metadata', async () => {
      expect(await names(`${own}&legal_name=KILLA`)).to.deep.equal(ids(0, 1));
      expect(await names(`${own}&doing_business_as=Gold`)).to.deep.equal(ids(2));
      expect(await names(`legal_document=${document.slice(1)}`)).to.deep.equal([]);
      expect(await names(`${own}&status=INACTIVE`)).to.deep.equal(ids(1));
      expect(await names(`${own}&metadata.n=2`)).to.deep.equal(ids(2));
      expect(await names(`${own}&metadata.n=7`)).to.deep.equal([]);
      const today = made[0]?.createdAt.slice(0, 10) ?? '';
      expect(await names(`${own}&start_date=${today}&end_date=${today}`)).to.deep.equal(
        ids(0, 1, 2),
      );
      expect(await names(`${own}&start_date=2001-01-01&end_date=2001-01-02`)).to.deep.equal([]);
    });

    it('knows two words for a status', async () => {
      const answer = await client.get(`${ORGANIZATIONS}?status=SUSPENDED`);
      expectProblem(answer, 400, 'LDG-0082', { locations: ['query.status'] });
    });
  });

  describe('update', () => {
    it('changes what is sent, replaces the address as a whole, and is read back', async () => {
      const address = { line1: 'Av. El Sol', city: 'Cusco', country: 'PE', description: 'Seat' };
      const parent = await createOrganization(client);
      const before = await createOrganization(client, { address, metadata: { a: 1, b: 2 } });
      const path = `${ORGANIZATIONS}/${before.id}`;
      const answer = await client.patch(path, {
        parentOrganizationId: parent.id,
        legalName: 'Andes Bank S.A.',
        doingBusinessAs: 'Andes',
        address: { line1: 'Jr. Lampa', country: 'PE' },
        status: { code: 'INACTIVE' },
        metadata: { a: null, c: true },
      });
      expect(answer.status, answer.text).to.equal(200);
      const { updatedAt, ...after } = answer.json() as Organization;
      expect(updatedAt > before.updatedAt).to.equal(true);
      expect({ ...after, updatedAt: before.updatedAt }).to.deep.equal({
        ...before,
        parentOrganizationId: parent.id,
        legalName: 'Andes Bank S.A.',
        doingBusinessAs: 'Andes',
        address: {
          line1: 'Jr. Lampa',
          line2: null,
          zipCode: '',
          city: '',
          state: '',
          country: 'PE',
        },
        status: { code: 'INACTIVE', description: null },
        metadata: { b: 2, c: true },
      });
      expect((await client.get(path)).text).to.equal(answer.text);
      const found = await got<List<Organization>>(
        client,
        `${ORGANIZATIONS}?legal_name=andes%20bank%20s.`,
      );
      expect(found.items.map(({ id }) => id)).to.deep.equal([before.id]);
    });

    it('without effect answers what is there', async () => {
      const before = await createOrganization(client, {
        doingBusinessAs: 'A',
        address: { country: 'PE' },
      });
      const nothing = {
        parentOrganizationId: null,
        legalName: '',
        doingBusinessAs: null,
        address: null,
        status: null,
        metadata: {},
      };
      for (const changes of [{}, nothing, { address: { country: 'PE' }, status: 'ACTIVE' }]) {
        const answer = await client.patch(`${ORGANIZATIONS}/${before.id}`, changes);
        expect(answer.status, answer.text).to.equal(200);
        expect(answer.json()).to.deep.equal(before);
      }
    });

    it('takes an address as it is shown, also one that says nothing', async () => {
      for (const sent of [{}, { address: { country: 'PE', city: 'Cusco' } }]) {
        const before = await createOrganization(client, sent);
        const { address } = before;
        const path = `${ORGANIZATIONS}/${before.id}`;
        expect((await client.patch(path, { address })).json()).to.deep.equal(before);
        expect((await createOrganization(client, { address })).address).to.deep.equal(address);
      }
      const { id } = await createOrganization(client);
      const halved = await client.patch(`${ORGANIZATIONS}/${id}`, {
        address: { city: 'Cusco', country: '' },
      });
      expectProblem(halved, 400, 'LDG-0032', { locations: ['address.country'] });
    });

    it('takes no document, no country that is none, and not itself as its parent', async () => {
      const { id } = await createOrganization(client);
      const path = `${ORGANIZATIONS}/${id}`;
      const document = await client.patch(path, { legalDocument: '1' });
      expectProblem(document, 400, 'LDG-0053', { locations: ['legalDocument'] });
      expectProblem(await client.patch(path, { legalName: null }), 400, 'LDG-0053');
      expectProblem(await client.patch(path, { address: { city: 'Cusco' } }), 400, 'LDG-0032');
      const parent = (of: string) => client.patch(path, { parentOrganizationId: of });
      expectProblem(await parent(id), 422, 'LDG-0091', { locations: ['parentOrganizationId'] });
      expectProblem(await parent(NOBODY), 404, 'LDG-0039');
      const unknown = await client.patch(`${ORGANIZATIONS}/${NOBODY}`, {});
      expectProblem(unknown, 404, 'LDG-0007', { entityType: 'Organization' });
    });
  });

  describe('deletion', () => {
    it('hides it and everything below it', async () => {
      const book = await openBook(client, { accounts: ['@alice'] });
      const path = `${ORGANIZATIONS}/${book.org}`;
      expect((await client.get(`${book.at}/accounts`)).status).to.equal(200);
      const answer = await client.delete(path);
      expect([answer.status, answer.text]).to.deep.equal([204, '']);

      expectProblem(await client.get(path), 404, 'LDG-0007', { entityType: 'Organization' });
      expectProblem(await client.patch(path, {}), 404, 'LDG-0007');
      expectProblem(await client.delete(path), 404, 'LDG-0007');
      for (const below of [`${path}/ledgers`, `${book.at}/accounts`, `${book.at}/balances`]) {
        expectProblem(await client.get(below), 404, 'LDG-0038');
      }
      expectProblem(await client.post(`${path}/ledgers`, { name: 'B' }), 404, 'LDG-0038');
      expectProblem(await client.patch(book.at, {}), 404, 'LDG-0038');
      expectProblem(await client.delete(book.at), 404, 'LDG-0038');
      const asset = { name: 'A', type: 'others', code: 'A' };
      expectProblem(await client.post(`${book.at}/assets`, asset), 404, 'LDG-0038');
      const child = { legalName: 'A', legalDocument: 'B', parentOrganizationId: book.org };
      expectProblem(await client.post(ORGANIZATIONS, child), 404, 'LDG-0039');
      const { items } = await got<List<Organization>>(client, `${ORGANIZATIONS}?limit=100`);
      expect(items.map(({ id }) => id)).to.not.include(book.org);
    });
  });
});

describe('organizations and ledgers in production', () => {
  const client = clientOf(serverOfBlock({ env: { ENV_NAME: 'production' } }));
  after(() => client.close());

  it('are not deleted', async () => {
    const book = await openBook(client, { assets: [] });
    const path = `${ORGANIZATIONS}/${book.org}`;
    expectProblem(await client.delete(book.at), 422, 'LDG-0008', { entityType: 'Ledger' });
    expectProblem(await client.delete(path), 422, 'LDG-0008', { entityType: 'Organization' });
    expectProblem(await client.delete(`${ORGANIZATIONS}/${NOBODY}`), 404, 'LDG-0007');
    expect((await client.get(book.at)).status).to.equal(200);
  });
});
