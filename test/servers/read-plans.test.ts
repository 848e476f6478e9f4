import { expect } from 'chai';
import type { Document } from 'mongodb';
import { entryFilter, listFilter } from '#src/adapters/mongodb/read-filter.ts';
import { openMongoReadStoreWriter } from '#src/adapters/mongodb/read-store-writer.ts';
import type { ListPosition } from '#src/ports/page.ts';
import type { CollectionSpec, Condition } from '#src/ports/read-store.ts';
import { newUuid } from '#test/contracts/samples.ts';
import { COLLECTIONS, filtersOf, LISTS, rowsOf, stretches } from '#test/support/list-samples.ts';
import { describeOnMongo, newMongoPlace } from './mongo.ts';

/**
 * A page must not cost more the longer its list is: the server's own plan of every list, with each filter, is held to
 * walking an index in order, without a sort. Indexes are of equality, then order, so that MongoDB itself does so whatever
 * it holds. MongoDB also says how many rows it read, which is held where nothing is filtered; DocumentDB does not say it.
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
    return stepsOf(await rows.find(filter).sort(sort).limit(LIMIT).explain('executionStats'));
  };
  const hold = ({ sorts, indexes }: Plan, among: readonly string[], filter?: Condition) => {
    expect(sorts, JSON.stringify(filter)).to.deep.equal([]);
    expect(indexes, JSON.stringify(filter)).to.have.length(1);
    expect(among, JSON.stringify(filter)).to.include(indexes[0]);
  };

  for (const { name, spec, where, index } of LISTS) {
    it(`walks the index of ${name}`, async () => {
      const own = nameOf(spec.indexes[index]!);
      const plan = (filters: readonly Condition[], { order, ...stretch }: Stretch) => {
        const filter = listFilter(spec, { where, filters, order, ...stretch });
        return planOf(spec, filter, { born: order === 'asc' ? 1 : -1 });
      };
      for (const stretch of stretches(MIDDLE)) {
        const whole = await plan([], stretch);
        hold(whole, [own]);
        expect(whole.examined ?? 0).to.be.at.most(LIMIT);
      }
      for (const filter of filtersOf(spec, 'rows')) {
        // A value of another index's key may lead to that index, which has the same order.
        const key = 'is' in filter && 'key' in filter ? filter.key : '';
        const others = spec.indexes.filter((keys) => keys.includes(key)).map(nameOf);
        hold(await plan([filter], onwards), [own, ...others], filter);
      }
    });
  }

  for (const spec of COLLECTIONS.filter(({ entries }) => entries !== undefined)) {
    for (const { array, born } of [
      { array: 'e', born: 'born' },
      { array: 'late', born: 'lateBorn' },
    ] as const) {
      it(`walks the entries of ${spec.name} in ${array}`, async () => {
        const plan = (filters: readonly Condition[], { order, ...stretch }: Stretch) => {
          const bounds = { at: 'a', filters, order, ...stretch };
          const filter = entryFilter(spec, bounds, { array, born });
          return planOf(spec, filter, { [born]: order === 'asc' ? 1 : -1 });
        };
        for (const stretch of stretches(MIDDLE)) {
          hold(await plan([], stretch), [`${array}.at_1_${born}_1`]);
        }
        for (const filter of filtersOf(spec, 'entries')) {
          hold(await plan([filter], onwards), [`${array}.at_1_${born}_1`], filter);
        }
      });
    }
  }
});

const nameOf = (keys: readonly string[]): string =>
  [...keys.map((key) => `k.${key}_1`), 'born_1'].join('_');

/** The sorts of a plan, the indexes it goes through, and the rows it read if the server says so. */
type Plan = Readonly<{
  sorts: readonly string[];
  indexes: readonly string[];
  examined: number | undefined;
}>;

/** Reads the words of MongoDB, and those of DocumentDB. */
function stepsOf(plan: Document): Plan {
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
  const stats = plan['executionStats'] as { totalDocsExamined?: number } | undefined;
  return { sorts, indexes: [...indexes], examined: stats?.totalDocsExamined };
}

/** What might have been done, and is not. */
const LEFT_OUT = ['rejectedPlans', 'IndexCosts', 'command'];

type Stretch = ReturnType<typeof stretches>[number];

const ROWS = 300;
const LIMIT = 10;
const MIDDLE: ListPosition = 150 * 65_536;
const onwards: Stretch = { order: 'desc', limit: LIMIT, after: MIDDLE };
