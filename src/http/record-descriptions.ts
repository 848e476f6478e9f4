import type { RecordResource, WrittenResource } from '#src/kernel/record-resource.ts';

/** Describes the operations that write a record: what holds for every record, then what its declaration adds. */
export function writeDescriptions(
  { create, update, remarks = {} }: WrittenResource,
  { idempotent = false }: Readonly<{ idempotent?: boolean | undefined }>,
): Readonly<Record<'create' | 'update' | 'delete', string>> {
  const { properties: created = {} } = create;
  const { properties: updated = {} } = update;
  const changeable = Object.keys(updated);
  const fixed = Object.keys(created).filter((name) => !changeable.includes(name));
  return {
    create: sentences(
      remarks.create,
      idempotent
        ? 'A repeated request with the same idempotency key creates no second one.'
        : 'Takes no idempotency key: look for the record before you repeat a request that got no response.',
    ),
    update: sentences(
      'Members that are absent stay as they are, and so does `updatedAt` if nothing differs.',
      fixed.length > changeable.length
        ? `Only ${listOf(changeable)} can be changed.`
        : fixed.length > 0 && `${listOf(fixed)} cannot be changed.`,
      remarks.update,
    ),
    delete: sentences(
      remarks.delete,
      'The record is no longer found by lists and reads, and deleting it again is refused with 404.',
    ),
  };
}

/** Describes the operations that list records and retrieve one. */
export const readDescriptions = ({
  nouns: [, many],
  list,
}: RecordResource): Readonly<Record<'list' | 'get', string>> => ({
  list: sentences(
    `Returns the ${many} in the order of their creation, without deleted ones.`,
    Object.keys(list.filters ?? {}).length > 1 && 'They must match every filter that is sent.',
  ),
  get: 'An id that is unknown here, such as that of a deleted record, is refused with 404.',
});

const sentences = (...parts: readonly (string | false | undefined)[]): string =>
  parts.filter((part) => typeof part === 'string').join(' ');

const listOf = (names: readonly string[]): string =>
  names
    .map((name) => `\`${name}\``)
    .join(', ')
    .replace(/, ([^,]*)$/, ' and $1');
