import fc, { type Arbitrary } from 'fast-check';
import type { PublishedSchema } from '#src/kernel/schema.ts';

/**
 * Values that a published schema mostly allows, built from its own words; the caller keeps those that a validator of
 * JSON Schema lets pass. `if` and `not` are left to that validator.
 */
export function valuesOf(schema: PublishedSchema): Arbitrary<unknown> {
  const { const: only, enum: words, anyOf, oneOf, type } = schema;
  if (only !== undefined) return fc.constant(only);
  if (words !== undefined) return fc.constantFrom(...words);
  const options = anyOf ?? oneOf;
  if (options !== undefined) {
    const { anyOf: _, oneOf: __, ...rest } = schema;
    const alone = (option: PublishedSchema) => (oneOf ? without(rest, option, oneOf) : rest);
    return fc.oneof(...options.map((option) => valuesOf(merged(alone(option), option))));
  }
  const types = [type ?? 'object'].flat();
  return fc.oneof(...types.map((one) => ofType(one, schema)));
}

function ofType(type: string, schema: PublishedSchema): Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return integers(schema);
    case 'number':
      return fc.constantFrom(1, 0.5, 12.25, 1e20);
    case 'array':
      return arrays(schema);
    case 'object':
      return objects(schema);
    default:
      return texts(schema);
  }
}

function integers({ minimum = 0, maximum = 99 }: PublishedSchema) {
  return fc.integer({ min: minimum, max: Math.min(maximum, minimum + 99) });
}

function texts({ format, pattern, minLength = 0, maxLength = 12 }: PublishedSchema) {
  if (format === 'uuid') return fc.uuid();
  if (format === 'date') return fc.constant('2026-01-05');
  if (format === 'date-time' || format === 'instant') return DATES;
  if (pattern !== undefined) {
    const most = Math.min(maxLength, 12);
    return fc.stringMatching(new RegExp(pattern, 'u')).map((text) => text.slice(0, most));
  }
  const short = fc.string({ minLength, maxLength: Math.min(maxLength, minLength + 8) });
  return fc.oneof(
    { weight: 9, arbitrary: short },
    { weight: 1, arbitrary: fc.constant('é'.repeat(Math.min(maxLength, 300))) },
  );
}

function arrays({ items = {}, allOf = [], ...own }: PublishedSchema): Arbitrary<unknown[]> {
  const minLength = own.minItems ?? allOf.find((part) => part.minItems)?.minItems ?? 0;
  return fc.array(valuesOf(items), { minLength, maxLength: minLength + 2 });
}

function objects(schema: PublishedSchema): Arbitrary<object> {
  const { properties = {}, required = [], additionalProperties } = schema;
  const own = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, valuesOf(one)])),
    { requiredKeys: required.filter((name) => name in properties) },
  );
  if (typeof additionalProperties !== 'object') return own;
  const free = fc.dictionary(fc.string({ maxLength: 8 }), valuesOf(additionalProperties), {
    maxKeys: 3,
  });
  return fc.tuple(free, own).map(([more, named]) => ({ ...more, ...named }));
}

/** Without the members that only other options have: with them, two would fit. */
function without(
  schema: PublishedSchema,
  chosen: PublishedSchema,
  options: readonly PublishedSchema[],
): PublishedSchema {
  const others = options.filter((one) => one !== chosen).flatMap(({ required = [] }) => required);
  const properties = Object.entries(schema.properties ?? {}).filter(
    ([name]) => !others.includes(name),
  );
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** Both at once; of a member that both describe, the option's words come on top. */
function merged(schema: PublishedSchema, option: PublishedSchema): PublishedSchema {
  const { properties = {} } = schema;
  const more = Object.entries(option.properties ?? {}).map(([name, one]) => [
    name,
    merged(properties[name] ?? {}, one),
  ]);
  const required = [...(schema.required ?? []), ...(option.required ?? [])];
  return {
    ...schema,
    ...option,
    ...(option.properties && {
      properties: { ...properties, ...(Object.fromEntries(more) as typeof properties) },
    }),
    ...(required.length > 0 && { required }),
  };
}

const DATES = fc.constantFrom('2026-01-05T10:00:00Z', '2026-01-05T10:00:00.123-03:00');
