import { expect } from 'chai';
import type { Document } from 'mongodb';
import { entryFilter, listFilter } from '#src/adapters/mongodb/read-filter.ts';
import { openMongoReadStoreWriter } from '#src/adapters/mongodb/read-store-writer.ts';
import type { ListPosition } from '#src/ports/page.ts';
import type { CollectionSpec } from '#src/ports/read-store.ts';
import { newUuid } from '#test/contracts/samples.ts';
import { COLLECTIONS, datesOf, LISTS, rowsOf, stretches } from '#test/support/list-samples.ts';
import { describeOnMongo, newMongoPlace } from './mongo.ts';

/**
 * A page must not cost more the longer its list is: the server's own plan of every list is held to walking an index in
 * order, without a sort. Indexes are of equality, then order, so that MongoDB itself does so whatever it holds.
 */
describeOnMongo('the plan of every list on MongoDB', () => {
  let place: Awaited<ReturnType<typeof newMongoPlace>>;
  const physical = new Map<string, string>();

  before(async () => {
    place = await newMongoPlace();
    const writer = openMongoReadStoreWriter(place, { pointerMs: 20 });
    await writer.open(newUuid(), COLLECTIONS);
    await writer.apply(COLLECTIONS.map((spec) => rowsOf(spec, ROWS)));
    await writer.close();
    for (const { name } of await place.db.listCollections({ name: /^read_.*_\d+$/ }).toArray()) {
      physical.set(name.replace(/^read_(.*)_\d+$/, '$1'), name);
    }
  });
  after(() => place.remove());

  const planOf = async (
    { name }: CollectionSpec,
    filter: Document,
    sort: Record<string, 1 | -1>,
  ) => {
    const rows = place.db.collection(physical.get(name)!);
    return stepsOf(await rows.find(filter).sort(sort).limit(10).explain('queryPlanner'));
  };
  const hold = ({ sorts, indexes }: ReturnType<typeof stepsOf>, index: string) => {
    expect(sorts).to.deep.equal([]);
    expect(indexes).to.deep.equal([index]);
  };

  for (const { name, spec, where, index } of LISTS) {
    it(`walks the index of ${name}`, async () => {
      const keys = spec.indexes[index]!.map((key) => `k.${key}_1`);
      for (const filters of [[], datesOf(spec)]) {
        for (const { order, ...stretch } of stretches(MIDDLE)) {
          const filter = listFilter(spec, { where, filters, order, ...stretch });
          const sort = { born: order === 'asc' ? 1 : -1 } as const;
          hold(await planOf(spec, filter, sort), [...keys, 'born_1'].join('_'));
        }
      }
    });
  }

  for (const spec of COLLECTIONS.filter(({ entries }) => entries !== undefined)) {
    for (const { array, born } of [
      { array: 'e', born: 'born' },
      { array: 'late', born: 'lateBorn' },
    ] as const) {
      it(`walks the entries of ${spec.name} in ${array}`, async () => {
        for (const { order, ...stretch } of stretches(MIDDLE)) {
          const filter = entryFilter(spec, { at: 'a', order, ...stretch }, { array, born });
          const plan = await planOf(spec, filter, { [born]: order === 'asc' ? 1 : -1 });
          hold(plan, `${array}.at_1_${born}_1`);
        }
      });
    }
  }
});

/** What a plan sorts, and the indexes it goes through: in the words of MongoDB, and in those of DocumentDB. */
function stepsOf(
  plan: Document,
): Readonly<{ sorts: readonly string[]; indexes: readonly string[] }> {
  const sorts: string[] = [];
  const indexes = new Set<string>();
  const visit = (value: unknown, key: string): void => {
    if (typeof value === 'string') {
      if ((key === 'stage' || key === 'Node Type') && /sort/i.test(value)) sorts.push(value);
      if (key === 'indexName' || key === 'Index Name') indexes.add(value);
    } else if (typeof value === 'object' && value !== null && !LEFT_OUT.includes(key)) {
      for (const [name, part] of Object.entries(value))
        visit(part, Array.isArray(value) ? key : name);
    }
  };
  visit(plan, '');
  return { sorts, indexes: [...indexes] };
}

/** What might have been done, and is not. */
const LEFT_OUT = ['rejectedPlans', 'IndexCosts', 'command'];

const ROWS = 300;
const MIDDLE: ListPosition = 150 * 65_536;
