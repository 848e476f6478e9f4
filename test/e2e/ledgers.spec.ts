import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { eventCount, sharedServer } from '#test/support/server.ts';
import {
  createLedger,
  createOrganization,
  got,
  made,
  NOBODY,
  transfer,
  openBook,
  UTC_TIME,
  UUID_V7,
  type Account,
  type Ledger,
  type List,
} from './books.ts';
import { expectProblem } from './problems.ts';

describe('ledgers', () => {
  const server = sharedServer();
  const client = clientOf(server);
  after(() => client.close());

  let org = '';
  let ledgers = '';
  beforeEach(async () => {
    org = (await createOrganization(client)).id;
    ledgers = `/v1/organizations/${org}/ledgers`;
  });

  it('are created from a name, everything else by default', async () => {
    const { id, createdAt, updatedAt, ...rest } = await made<Ledger>(client, ledgers, {
      name: 'Retail',
    });
    expect(id).to.match(UUID_V7);
    expect(createdAt).to.match(UTC_TIME);
    expect(updatedAt).to.equal(createdAt);
    expect(rest).to.deep.equal({
      organizationId: org,
      name: 'Retail',
      status: { code: 'ACTIVE', description: null },
      deletedAt: null,
    });
  });

  it('keep status and metadata, and are read back as they were answered', async () => {
    const status = { code: 'INACTIVE', description: 'Later' };
    const answer = await client.post(ledgers, { name: 'B', status, metadata: { a: 'b' } });
    const ledger = answer.json() as Ledger;
    expect(ledger).to.deep.include({ status, metadata: { a: 'b' } });
    expect((await client.get(`${ledgers}/${ledger.id}`)).text).to.equal(answer.text);
  });

  it('have names of their own within an organization, whatever the letter case', async () => {
    await createLedger(client, org, { name: 'Ñandú' });
    const again = await client.post(ledgers, { name: 'ñANDÚ' });
    expectProblem(again, 409, 'LDG-0002', { entityType: 'Ledger' });
    const other = (await createOrganization(client)).id;
    await createLedger(client, other, { name: 'Ñandú' });
  });

  it('come into being once when many ask for one name at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => client.post(ledgers, { name: 'Wanted' })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).to.deep.equal([201, ...new Array<number>(15).fill(409)]);
    const { items } = await got<List<Ledger>>(client, ledgers);
    expect(items).to.deep.equal(
      answers.filter(({ status }) => status === 201).map((answer) => answer.json()),
    );
  });

  it('need an organization that exists', async () => {
    const path = `/v1/organizations/${NOBODY}/ledgers`;
    const answer = await client.post(path, { name: 'A' });
    expectProblem(answer, 404, 'LDG-0038', { entityType: 'Ledger' });
    expectProblem(await client.get(path), 404, 'LDG-0038');
    expectProblem(await client.get(`${path}/${NOBODY}`), 404, 'LDG-0038');
  });

  it('are found below their own organization only', async () => {
    const ledger = await createLedger(client, org);
    const other = (await createOrganization(client)).id;
    const path = `/v1/organizations/${other}/ledgers/${ledger.id}`;
    expectProblem(await client.get(path), 404, 'LDG-0007', { entityType: 'Ledger' });
    const assets = await client.post(`${path}/assets`, { name: 'A', type: 'others', code: 'A' });
    expectProblem(assets, 404, 'LDG-0037');
    expectProblem(await client.get(`${path}/assets`), 404, 'LDG-0037');
  });

  it('are listed page by page, by name and by status', async () => {
    const names = ['Minka', 'minkandina', 'Ayni'];
    const all: Ledger[] = [];
    for (const name of names) {
      all.push(
        await createLedger(client, org, { name, status: name === 'Ayni' ? 'INACTIVE' : 'ACTIVE' }),
      );
    }
    expect(await got(client, ledgers)).to.deep.equal({ items: all, limit: 10, page: 1 });
    const second = { items: all.slice(1, 2), limit: 1, page: 2 };
    expect(await got(client, `${ledgers}?page=2&limit=1`)).to.deep.equal(second);
    const named = await got<List<Ledger>>(client, `${ledgers}?name=MINKA&sort_order=desc`);
    expect(named.items).to.deep.equal([all[1], all[0]]);
    const inactive = await got<List<Ledger>>(client, `${ledgers}?status=INACTIVE`);
    expect(inactive.items).to.deep.equal([all[2]]);
    const wrong = await client.get(`${ledgers}?status=BLOCKED`);
    expectProblem(wrong, 400, 'LDG-0082', { locations: ['query.status'] });
  });

  it('are refused without a name, with a long one and with fields they do not have', async () => {
    expectProblem(await client.post(ledgers, {}), 400, 'LDG-0009', { locations: ['name'] });
    const long = await client.post(ledgers, { name: 'x'.repeat(257) });
    expectProblem(long, 400, 'LDG-0047', { locations: ['name'] });
    const unknown = await client.post(ledgers, { colour: 'red' });
    expectProblem(unknown, 400, 'LDG-0053', { locations: ['colour', 'name'] });
  });

  describe('update', () => {
    const renamed = (id: string, name: string) => client.patch(`${ledgers}/${id}`, { name });

    it('changes what is sent, is read back, and keeps the place in the list', async () => {
      const before = await createLedger(client, org, { name: 'Retail', metadata: { a: 1, b: 2 } });
      const second = await createLedger(client, org, { name: 'Wholesale' });
      const path = `${ledgers}/${before.id}`;
      const answer = await client.patch(path, {
        name: 'Stores',
        status: { description: 'Renamed' },
        metadata: { a: null },
      });
      expect(answer.status, answer.text).to.equal(200);
      const { updatedAt, ...after } = answer.json() as Ledger;
      expect(updatedAt > before.updatedAt).to.equal(true);
      expect({ ...after, updatedAt: before.updatedAt }).to.deep.equal({
        ...before,
        name: 'Stores',
        status: { code: 'ACTIVE', description: 'Renamed' },
        metadata: { b: 2 },
      });
      expect((await client.get(path)).text).to.equal(answer.text);
      const { items } = await got<List<Ledger>>(client, ledgers);
      expect(items.map(({ id }) => id)).to.deep.equal([before.id, second.id]);
      const found = await got<List<Ledger>>(client, `${ledgers}?name=sto`);
      expect(found.items.map(({ id }) => id)).to.deep.equal([before.id]);
    });

    it('without effect answers what is there and leaves no event', async () => {
      const before = await createLedger(client, org, { metadata: { a: 1 } });
      const events = await eventCount(server());
      for (const changes of [{}, { name: '', status: null }, { name: before.name }]) {
        const answer = await client.patch(`${ledgers}/${before.id}`, changes);
        expect(answer.status, answer.text).to.equal(200);
        expect(answer.json()).to.deep.equal(before);
      }
      expect(await eventCount(server())).to.equal(events);
    });

    it('takes no name that another ledger has, frees the one it had, and may change its case', async () => {
      const retail = await createLedger(client, org, { name: 'Retail' });
      const other = await createLedger(client, org, { name: 'Other' });
      expectProblem(await renamed(other.id, 'RETAIL'), 409, 'LDG-0002', { locations: ['name'] });
      expect((await renamed(retail.id, 'RETAIL')).json()).to.include({ name: 'RETAIL' });
      expect((await renamed(retail.id, 'Shops')).status).to.equal(200);
      expect((await renamed(other.id, 'retail')).status).to.equal(200);
      expectProblem(await client.post(ledgers, { name: 'SHOPS' }), 409, 'LDG-0002');
      expect((await client.post(ledgers, { name: 'Other' })).status).to.equal(201);
    });

    it('gives one ledger one name when many ask at once, and frees all others', async () => {
      const { id } = await createLedger(client, org, { name: 'First' });
      const names = Array.from({ length: 12 }, (_, n) => `Name ${n}`);
      const answers = await Promise.all(names.map((name) => renamed(id, name)));
      expect(answers.map(({ status }) => status)).to.deep.equal(names.map(() => 200));
      const { name } = await got<Ledger>(client, `${ledgers}/${id}`);
      for (const free of ['First', ...names.filter((one) => one !== name)]) {
        expect((await client.post(ledgers, { name: free })).status, free).to.equal(201);
      }
      expectProblem(await client.post(ledgers, { name }), 409, 'LDG-0002');
    });

    it('gives a name to one ledger when many want it at once', async () => {
      const many = await Promise.all(Array.from({ length: 8 }, () => createLedger(client, org)));
      const answers = await Promise.all(many.map(({ id }) => renamed(id, 'Wanted')));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([
        200,
        ...new Array<number>(7).fill(409),
      ]);
    });

    it('is refused for what is not there', async () => {
      const unknown = await renamed(NOBODY, 'A');
      expectProblem(unknown, 404, 'LDG-0007', { entityType: 'Ledger' });
      const { id } = await createLedger(client, org);
      const other = (await createOrganization(client)).id;
      const elsewhere = await client.patch(`/v1/organizations/${other}/ledgers/${id}`, {});
      expectProblem(elsewhere, 404, 'LDG-0007', { entityType: 'Ledger' });
      const settings = await client.patch(`${ledgers}/${id}`, { settings: {} });
      expectProblem(settings, 400, 'LDG-0053', { locations: ['settings'] });
    });
  });

  describe('deletion', () => {
    it('hides it and everything below it, and frees the name', async () => {
      const book = await openBook(client, { accounts: ['@alice'], funds: { '@alice': '5' } });
      const { name } = await got<Ledger>(client, book.at);
      const [account] = (await got<List<Account>>(client, `${book.at}/accounts`)).items;
      const answer = await client.delete(book.at);
      expect([answer.status, answer.text]).to.deep.equal([204, '']);

      expectProblem(await client.get(book.at), 404, 'LDG-0007', { entityType: 'Ledger' });
      expectProblem(await client.patch(book.at, { name: 'B' }), 404, 'LDG-0007');
      expectProblem(await client.delete(book.at), 404, 'LDG-0007', { entityType: 'Ledger' });
      for (const below of ['accounts', 'assets', 'balances', 'transactions']) {
        expectProblem(await client.get(`${book.at}/${below}`), 404, 'LDG-0037');
      }
      const path = `${book.at}/accounts/${account?.id}`;
      expectProblem(await client.get(path), 404, 'LDG-0037');
      expectProblem(await client.patch(path, {}), 404, 'LDG-0037');
      expectProblem(await client.delete(path), 404, 'LDG-0037');
      const pay = await client.post(
        `${book.at}/transactions/json`,
        transfer('@external/BRL', '@alice', '1'),
      );
      expectProblem(pay, 404, 'LDG-0037');
      const all = `/v1/organizations/${book.org}/ledgers`;
      expect((await got<List<Ledger>>(client, all)).items).to.deep.equal([]);
      await made<Ledger>(client, all, { name });
    });

    it('ends well with renames that come at the same time', async () => {
      const { id } = await createLedger(client, org, { name: 'First' });
      const path = `${ledgers}/${id}`;
      const answers = await Promise.all([
        client.patch(path, { name: 'Second' }),
        client.delete(path),
        client.patch(path, { name: 'Third' }),
        client.delete(path),
      ]);
      const statuses = answers.map(({ status }) => status);
      expect([statuses[1], statuses[3]].sort()).to.deep.equal([204, 404]);
      for (const name of ['First', 'Second', 'Third']) {
        expect((await client.post(ledgers, { name })).status, name).to.equal(201);
      }
    });
  });
});
