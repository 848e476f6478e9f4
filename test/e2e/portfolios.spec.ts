import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { sharedServer } from '#test/support/server.ts';
import { NOBODY, type Portfolio } from './books.ts';
import { expectProblem } from './problems.ts';
import { listsByPage, recordContract } from './record-contract.ts';

describe('portfolios', () => {
  const client = clientOf(sharedServer());
  after(() => client.close());

  const portfolios = recordContract<Portfolio>(client, {
    collection: 'portfolios',
    entityType: 'Portfolio',
    notFound: 'LDG-0007',
    required: { name: 'Anna' },
    defaults: { status: { code: 'ACTIVE', description: null } },
    complete: {
      name: 'ñ'.repeat(256),
      entityId: 'C-17',
      status: { code: 'PENDING', description: 'Soon' },
      metadata: { floor: 1.5, open: false, wing: 'B' },
    },
    changes: { name: 'Homes', status: { code: 'INACTIVE', description: 'Closed' } },
    unchanging: [{ status: null }, { entityId: null }],
    unchangeable: [],
    refused: [
      ['no name', { name: '' }, 'LDG-0009', 'name'],
      ['a name that is null', { name: null }, 'LDG-0053', 'name'],
      ['a name that is none', { name: 7 }, 'LDG-0094', 'name'],
      ['a name of 257', { name: 'n'.repeat(257) }, 'LDG-0047', 'name'],
      ['an owner of 257', { entityId: 'n'.repeat(257) }, 'LDG-0047', 'entityId'],
      ['an id of its own', { id: NOBODY }, 'LDG-0053', 'id'],
      ['nested metadata', { metadata: { a: { b: 1 } } }, 'LDG-0067', 'metadata.a'],
    ],
  });
  const { create } = portfolios;
  listsByPage(portfolios);

  it('may be called alike, and need no owner', async () => {
    const one = await create({ entityId: null });
    expect(one).to.not.have.property('entityId');
    expect((await create()).name).to.equal(one.name);
  });

  it('are listed by their owner, and by any status', async () => {
    const anna = await create({ entityId: 'C-17', status: 'ACTIVE' });
    const ben = await create({ entityId: 'C-17', status: 'Dormant' });
    const eve = await create({ entityId: 'c-17' });
    const ids = async (query: string) => (await portfolios.list(query)).items.map(({ id }) => id);
    expect(await ids('entity_id=C-17')).to.deep.equal([anna.id, ben.id]);
    expect(await ids('entity_id=c-17&status=ACTIVE')).to.deep.equal([eve.id]);
    expect(await ids('status=Dormant')).to.deep.equal([ben.id]);
    expect(await ids('entity_id=C-18')).to.deep.equal([]);
    const long = await client.get(`${portfolios.at()}?entity_id=${'x'.repeat(257)}`);
    expectProblem(long, 400, 'LDG-0082', { locations: ['query.entity_id'] });
    const changed = { entityId: 'C-18', status: { code: 'CLOSED' } };
    expect((await client.patch(`${portfolios.at()}/${ben.id}`, changed)).status).to.equal(200);
    expect(await ids('entity_id=C-18&status=CLOSED')).to.deep.equal([ben.id]);
    expect(await ids('entity_id=C-17')).to.deep.equal([anna.id]);
  });
});
