import { metadataReader } from '#src/kernel/metadata-reader.ts';
import type { Schema } from '#src/kernel/schema.ts';
import { record } from '#src/kernel/schema-fragments.ts';

/* Members of the bodies and views of the registry. A value of the wrong type has the code of a malformed one. */

export const wrongType = 'MALFORMED_FIELD';

/** Null stands for a member that is not set, or that an update clears. */
export const text = <const Max extends number>(maxLength: Max) =>
  ({ type: ['string', 'null'], maxLength, wrongType }) as const;

/** Clients send a day. A time is accepted as well, but only its date is kept. */
export const requiredDate = {
  type: 'string',
  format: 'instant',
  wrongType,
  published: { type: 'string', format: 'date' },
} as const;

export const date = {
  ...requiredDate,
  type: ['string', 'null'],
  published: { type: ['string', 'null'], format: 'date' },
} as const;

export const group = <const Properties extends Readonly<Record<string, Schema>>>(
  properties: Properties,
) => ({
  ...record(properties, []),
  type: ['object', 'null'] as const,
  wrongType: wrongType as typeof wrongType,
});

/** `metadata` on creation; a key with null is left out. */
export const newMetadata = {
  type: ['object', 'null'],
  additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
  reads: metadataReader('metadata-with-nulls', { update: 'clear' }),
} as const;

export const shown = { type: 'string' } as const;
export const day = { type: 'string', description: 'YYYY-MM-DD' } as const;

export const optional = <const Properties extends Readonly<Record<string, Schema>>>(
  properties: Properties,
) => record(properties, []);

/** Puts the members of a value in the order of its schema, at every depth. */
export function ordered({ properties = {} }: Schema, value: object): object {
  const members = value as Readonly<Record<string, unknown>>;
  const shownMembers = Object.entries(properties).flatMap(([member, schema]) => {
    const one = members[member];
    if (one === undefined) return [];
    const isRecord = typeof one === 'object' && one !== null && schema.properties !== undefined;
    return [[member, isRecord ? ordered(schema, one) : one] as const];
  });
  return Object.fromEntries(shownMembers);
}
