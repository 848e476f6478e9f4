import type { PublishedSchema } from '#src/kernel/schema.ts';

type PartChange = (part: PublishedSchema) => object;

/** Changes the schemas inside a schema; the result has only the keywords that contain some. */
export function changedParts(
  schema: PublishedSchema,
  part: PartChange,
  member: (part: PublishedSchema, name: string) => object = part,
): object {
  const { properties, items, additionalProperties, propertyNames, not } = schema;
  const { anyOf, oneOf, allOf, if: condition, then } = schema;
  return {
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, one]) => [name, member(one, name)]),
      ),
    }),
    ...(items && { items: part(items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'object'
          ? part(additionalProperties)
          : additionalProperties,
    }),
    ...(propertyNames && { propertyNames: part(propertyNames) }),
    ...(anyOf && { anyOf: anyOf.map(part) }),
    ...(oneOf && { oneOf: oneOf.map(part) }),
    ...(allOf && { allOf: allOf.map(part) }),
    ...(not && { not: part(not) }),
    ...(condition && { if: part(condition) }),
    ...(then && { then: part(then) }),
  };
}

/**
 * Moves the keywords inside `allOf` next to it: a declaration separates them because their refusals differ, while
 * generators cannot build a type from parts without one. Parts that repeat a keyword stay.
 */
export function withoutAllOf(schema: PublishedSchema): PublishedSchema {
  const { allOf = [], ...own } = schema;
  if (allOf.length === 0) return schema;
  const parts = allOf.map(({ refusal, wrongType, must, ...keywords }) => keywords);
  const names = [own, ...parts].flatMap((part) => Object.keys(part));
  if (new Set(names).size < names.length) return schema;
  return Object.assign({}, own, ...parts) as PublishedSchema;
}

/**
 * Moves the options of an object that has members of its own into a rule, where validators find them. Generators make a
 * type of `anyOf` and `oneOf`, and either lose the members next to them or exclude what the options leave open; those
 * that take a schema with `if` for one of any type do so only where it is not in `allOf`.
 */
export function withOptionsAsRule(schema: PublishedSchema): PublishedSchema {
  const { anyOf, oneOf, ...rest } = schema;
  if (rest.properties === undefined || (anyOf ?? oneOf) === undefined) return schema;
  const options = { ...(anyOf && { anyOf }), ...(oneOf && { oneOf }) };
  const rule = { if: { type: 'object' }, then: options } as const;
  return { ...rest, allOf: [...(rest.allOf ?? []), rule] };
}
