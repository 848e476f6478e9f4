import type { Payload } from './payload.ts';

/**
 * The schema of a payload in JSON Schema: members that are required are always there, and null where they have no value
 * and may be null; the others are left out when they are empty. Consumers ignore members that they do not know.
 */
export type PayloadSchema = Readonly<{
  type?: string | readonly string[];
  format?: string;
  enum?: readonly string[];
  description?: string;
  properties?: Readonly<Record<string, PayloadSchema>>;
  required?: readonly string[];
  items?: PayloadSchema;
  additionalProperties?: true | PayloadSchema;
}>;

export type ObjectSchema = PayloadSchema &
  Readonly<{ properties: Readonly<Record<string, PayloadSchema>>; required: readonly string[] }>;

/** Builds the schema of an object. Members under `optional` are left out when they are empty. */
export const payloadOf = (
  members: Readonly<Record<string, PayloadSchema>>,
  ...optional: readonly string[]
): ObjectSchema => ({
  type: 'object',
  properties: members,
  required: Object.keys(members).filter((name) => !optional.includes(name)),
});

/** Removes members from a schema. */
export const without = (
  { properties, required, ...rest }: ObjectSchema,
  ...names: readonly string[]
): ObjectSchema => ({
  ...rest,
  properties: Object.fromEntries(Object.entries(properties).filter(([n]) => !names.includes(n))),
  required: required.filter((name) => !names.includes(name)),
});

/** Allows null in place of a value. */
export const orNull = (schema: PayloadSchema): PayloadSchema => ({
  ...schema,
  type: [schema.type ?? []].flat().concat('null'),
});

/**
 * Picks a payload from a record: exactly the members of the schema, in its order. Errors: Error for a record that lacks a
 * member which is never null.
 */
export function picked({ properties, required }: ObjectSchema, source: object): Payload {
  const values = source as Readonly<Record<string, unknown>>;
  const payload: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(properties)) {
    const value = valueOf(schema, values[name]);
    if (required.includes(name)) payload[name] = value ?? nothing(name, schema);
    else if (!isEmpty(value)) payload[name] = value;
  }
  return payload;
}

function valueOf(schema: PayloadSchema, value: unknown): unknown {
  if (value === null || value === undefined) return undefined;
  const { properties, required = [], items } = schema;
  if (properties !== undefined) return picked({ properties, required }, value);
  if (items !== undefined && Array.isArray(value)) return value.map((one) => valueOf(items, one));
  return value;
}

function nothing(name: string, { type = [] }: PayloadSchema): null {
  if ([type].flat().includes('null')) return null;
  throw new Error(`The record has no ${name}`);
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === '' || (typeof value === 'object' && isEmptyObject(value));
const isEmptyObject = (value: object | null): boolean =>
  value === null || Object.keys(value).length === 0;
