import { metadataReader } from './metadata-reader.ts';
import type { Schema } from './schema.ts';
import { statusMembers, statusPatchReader, statusReader } from './status-reader.ts';

/** The major version of the API that a client uses. */
export type Version = 1 | 2;

/** An object of exactly these members. */
export const record = <
  const Properties extends Readonly<Record<string, Schema>>,
  const Required extends readonly (keyof Properties & string)[],
>(
  properties: Properties,
  required: Required,
) => ({ type: 'object', properties, required, additionalProperties: false }) as const;

/** A text of at most this many Unicode code points. */
export const text = <const Max extends number>(maxLength: Max) =>
  ({ type: 'string', maxLength }) as const;

/** A text of 1 to this many code points. */
export const name = <const Max extends number>(maxLength: Max) =>
  ({ type: 'string', minLength: 1, maxLength }) as const;

/** The pattern of a text that is more than spaces, tabs and line breaks. */
export const NOT_BLANK = '[^ \\t\\r\\n]';
const notBlankPattern = new RegExp(NOT_BLANK);
export const isBlank = (text: string): boolean => !notBlankPattern.test(text);

export const notBlank = <const Max extends number>(maxLength: Max) =>
  ({ ...name(maxLength), pattern: NOT_BLANK, must: 'not be blank' }) as const;

/** A name on update, where it is required on creation: null is refused, `""` leaves it unchanged. */
export const changedName = <const Max extends number>(maxLength: Max) =>
  ({ type: 'string', minLength: 1, maxLength, neverNull: true, emptyIsAbsent: true }) as const;

export const textOrNull = <const Max extends number>(maxLength: Max) =>
  ({ type: ['string', 'null'], maxLength }) as const;

export const uuid = { type: 'string', format: 'uuid' } as const;
export const uuidOrNull = { type: ['string', 'null'], format: 'uuid' } as const;

/** A decimal, as the text that was sent; readAmount of src/kernel/amount.ts cannot fail on it. */
export const decimal = { type: 'string', format: 'decimal' } as const;

export const flag = { type: 'boolean' } as const;

/** `status` on creation, flat and complete whatever form it was sent in (contract ledger §1.4). */
export const newStatus = {
  type: 'object',
  properties: statusMembers,
  required: ['code', 'description'],
  additionalProperties: false,
  default: { code: 'ACTIVE', description: null },
  reads: statusReader,
} as const;

/** `status` on update. Without `code` the stored code stays; the description is replaced in any case. */
export const changedStatus = {
  type: 'object',
  properties: statusMembers,
  required: ['description'],
  additionalProperties: false,
  reads: statusPatchReader,
} as const;

/** `metadata` on creation: scalars by key; null and `{}` count as absent (§1.5). */
export const newMetadata = {
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'boolean'] },
  reads: metadataReader('metadata', {}),
} as const;

/** `metadata` on update: a null value removes its key; the meaning of null as a whole depends on the version. */
export const changedMetadata = {
  type: ['object', 'null'],
  additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
  reads: metadataReader('metadata-patch', {
    update: 'clear',
    version2: metadataReader('metadata-merge', { update: 'merge' }),
  }),
} as const;

/** Schemas of responses. */

export const instant = { type: 'string', format: 'date-time' } as const;
export const instantOrNull = { type: ['string', 'null'], format: 'date-time' } as const;

export const statusView = record({ code: { type: 'string' }, description: textOrNull(256) }, [
  'code',
  'description',
]);

export const metadataView = {
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'boolean'] },
} as const;

/** A page-style list of records (§1.7). */
export const pageOf = <const Item extends Schema>(items: Item) =>
  record(
    { items: { type: 'array', items }, limit: { type: 'integer' }, page: { type: 'integer' } },
    ['items', 'limit'],
  );

/** A cursor-style list; `page` only where the union style returns it. */
export const cursorListOf = <const Item extends Schema>(items: Item) =>
  record(
    {
      items: { type: 'array', items },
      limit: { type: 'integer' },
      page: { type: 'integer' },
      next_cursor: { type: 'string' },
      prev_cursor: { type: 'string' },
    },
    ['items', 'limit'],
  );

/** A record in responses: its own members between its ids and its instants; those that are `optional` may be absent. */
export function recordView(
  title: string,
  parents: readonly string[],
  own: Readonly<Record<string, Schema>>,
  optional: readonly string[],
): Schema {
  const properties = {
    id: uuid,
    ...Object.fromEntries(parents.map((parent) => [parent, uuid])),
    ...own,
    createdAt: instant,
    updatedAt: instant,
    deletedAt: instantOrNull,
  };
  const required = Object.keys(properties).filter((member) => !optional.includes(member));
  return { title, type: 'object', properties, required, additionalProperties: false };
}
