import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { serverOfBlock } from '#test/support/server.ts';
import {
  createLedger,
  createOrganization,
  got,
  made,
  NOBODY,
  UTC_TIME,
  UUID_V7,
  type Ledger,
  type List,
} from './books.ts';
import { expectProblem } from './problems.ts';

describe('ledgers', () => {
  const client = clientOf(serverOfBlock());
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
});
