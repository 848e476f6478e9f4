import { memberOf } from '#src/kernel/record.ts';
import type { RecordResource } from '#src/kernel/record-resource.ts';
import type { Handler, Rows } from '#src/ports/projection.ts';
import type { KeyValue } from '#src/ports/read-store.ts';
import { bornAt, put, remove } from './projection.ts';

/** Projects the live records of a kind, in the order in which they were created in their journal. */
export function recordProjection({ name, rows }: Pick<RecordResource, 'name' | 'rows'>): Rows {
  const { parent, parentOf, keys = {}, indexed = [] } = rows;
  const member = memberOf(name);
  const scope = ['tenantId', ...(parent === undefined ? [] : [parent])];
  const own = Object.entries(keys) as [string, (record: StoredRecord) => KeyValue][];
  const imageIn = (data: unknown) => (data as Readonly<Record<string, StoredRecord>>)[member]!;

  /** An updated record keeps its place in the list. */
  const whole: Handler<unknown> = ({ data, tenantId, revision }) => {
    const record = imageIn(data);
    const { id, createdAt } = record;
    const read = own.map(([key, value]) => [key, value(record)]);
    return put({
      id,
      born: bornAt(revision),
      keys: {
        tenantId,
        ...(parent !== undefined && { [parent]: parentOf?.(record as never) ?? record[parent]! }),
        ...(Object.fromEntries(read) as Readonly<Record<string, KeyValue>>),
        createdAt,
      },
      body: JSON.stringify(record),
    });
  };

  return {
    collection: {
      name: rows.collection ?? member,
      version: 1,
      keys: Object.fromEntries(
        [...scope, ...Object.keys(keys), 'createdAt'].map((key) => [key, 'text']),
      ),
      indexes: [scope, ...indexed.map((key) => [...scope, key])],
    },
    on: {
      [`${name}Created`]: whole,
      [`${name}Updated`]: whole,
      [`${name}Deleted`]: ({ data }) => remove(imageIn(data).id),
    },
  };
}

type StoredRecord = Readonly<Record<string, string>> & Readonly<{ id: string; createdAt: string }>;
