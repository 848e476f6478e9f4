import { projections } from '#src/bootstrap/projections.ts';
import { START, type Position } from '#src/ports/event-store.ts';
import type { ListPosition } from '#src/ports/page.ts';
import type {
  Change,
  CollectionBatch,
  CollectionSpec,
  Condition,
  KeyType,
  KeyValue,
} from '#src/ports/read-store.ts';

/** Every collection there is: each list of the API walks one of them, in the order of one of its indexes. */
export const COLLECTIONS: readonly CollectionSpec[] = projections.map(
  ({ collection }) => collection,
);

/** What is listed: everything that has one value in the keys of an index. */
export type ListSample = Readonly<{
  name: string;
  spec: CollectionSpec;
  where: Readonly<Record<string, KeyValue>>;
  index: number;
}>;

export const LISTS: readonly ListSample[] = COLLECTIONS.flatMap((spec) =>
  spec.indexes.map((keys, index) => ({
    name: `${spec.name} by ${keys.join(', ')}`,
    spec,
    where: valuesOf(keys, spec.keys),
    index,
  })),
);

/** Stretches of a list: from its start, and on from a place, in both directions. */
export const stretches = (middle: ListPosition) =>
  (['asc', 'desc'] as const).flatMap((order) => [
    { order, limit: 10 },
    { order, limit: 10, after: middle },
  ]);

/** The dates that every list takes, where a collection has them. */
export const datesOf = ({ keys }: CollectionSpec): readonly Condition[] =>
  'createdAt' in keys ? [{ key: 'createdAt', from: 'a', to: 'c' }] : [];

/** Every filter that a list may have: each kind of condition on each key or fact, on metadata and on the body. */
export function filtersOf({ keys, entries }: CollectionSpec, of: 'rows' | 'entries') {
  const columns = { ...keys, ...(of === 'entries' && entries?.facts) };
  const conditions = Object.entries(columns).flatMap(([key, type]): Condition[] =>
    type === 'integer'
      ? [{ key, is: 1 }]
      : [
          { key, is: 'b' },
          { key, is: null },
          { key, in: ['a', 'b'] },
          { key, prefix: 'b' },
          { key, from: 'a', to: 'c' },
        ],
  );
  return [...conditions, { metadata: 'tier', is: 'gold' }, { mentions: 'gold' }];
}

/** Rows that all stand in every list, and under one entry's key. */
export function rowsOf(spec: CollectionSpec, count: number): CollectionBatch {
  const keys = valuesOf(Object.keys(spec.keys), spec.keys);
  const facts = valuesOf(Object.keys(spec.entries?.facts ?? {}), spec.entries?.facts ?? {});
  const changes = Array.from({ length: count }, (_, n): Change => {
    const entries = spec.entries && { entries: [{ at: 'a', ordinal: 1, facts }] };
    const put = { id: `${spec.name} ${String(n)}`, born: (n + 1) * 65_536, keys, body: '{}' };
    return { position: String(n + 1).padStart(8, '0') as Position, put: { ...put, ...entries } };
  });
  return { collection: spec.name, changes, checkpoint: START };
}

function valuesOf(names: readonly string[], types: Readonly<Record<string, KeyType>>) {
  return Object.fromEntries(names.map((name) => [name, types[name] === 'integer' ? 1 : 'b']));
}
