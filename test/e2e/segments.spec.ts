import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { sharedServer } from '#test/support/server.ts';
import { NOBODY, type Segment } from './books.ts';
import { expectProblem } from './problems.ts';
import { listsByPage, recordContract } from './record-contract.ts';

describe('segments', () => {
  const client = clientOf(sharedServer());
  after(() => client.close());

  const segments = recordContract<Segment>(client, {
    collection: 'segments',
    entityType: 'Segment',
    notFound: 'LDG-0007',
    required: { name: 'Retail' },
    defaults: { status: { code: 'ACTIVE', description: null } },
    complete: {
      name: 'ñ'.repeat(256),
      status: { code: 'PENDING', description: 'Soon' },
      metadata: { floor: 1.5, open: false, wing: 'B' },
    },
    changes: { name: 'Homes', status: { code: 'INACTIVE', description: 'Closed' } },
    unchanging: [{ status: null }],
    unchangeable: [],
    refused: [
      ['no name', { name: '' }, 'LDG-0009', 'name'],
      ['a name that is null', { name: null }, 'LDG-0053', 'name'],
      ['a name that is none', { name: 7 }, 'LDG-0094', 'name'],
      ['a name of 257', { name: 'n'.repeat(257) }, 'LDG-0047', 'name'],
      ['an id of its own', { id: NOBODY }, 'LDG-0053', 'id'],
      ['nested metadata', { metadata: { a: { b: 1 } } }, 'LDG-0067', 'metadata.a'],
    ],
  });
  listsByPage(segments);

  it('have a name of their own, also when many ask for it at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => client.post(segments.at(), { name: 'One' })),
    );
    expect(answers.filter(({ status }) => status === 201)).to.have.lengthOf(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expectProblem(answer, 409, 'LDG-0015', { entityType: 'Segment', locations: ['name'] });
    }
    const other = await segments.create({ name: 'Two' });
    const renamed = await client.patch(`${segments.at()}/${other.id}`, { name: 'One' });
    expectProblem(renamed, 409, 'LDG-0015', { entityType: 'Segment' });
  });
});
