import type { SchemaObject } from './description.ts';

/** Returns what a value must satisfy besides its type, in words. */
export function limits(schema: SchemaObject): string[] {
  const { deprecated, pattern, additionalProperties, allOf = [], dependentRequired } = schema;
  return [
    range('characters', schema.minLength, schema.maxLength),
    range('items', schema.minItems, schema.maxItems),
    range('members', schema.minProperties, schema.maxProperties),
    range('', schema.minimum, schema.maximum),
    schema.exclusiveMinimum !== undefined && `above ${schema.exclusiveMinimum}`,
    schema.exclusiveMaximum !== undefined && `below ${schema.exclusiveMaximum}`,
    schema.uniqueItems && 'no item twice',
    schema.enum &&
      `${schema.enum.length > 1 ? 'one of' : 'always'} ${schema.enum.map(shown).join(', ')}`,
    schema.const !== undefined && `always ${shown(schema.const)}`,
    schema.default !== undefined && `default ${shown(schema.default)}`,
    pattern !== undefined && `matches ${pattern}`,
    typeof additionalProperties === 'object' && 'any keys of your own',
    ...Object.entries(dependentRequired ?? {}).map(
      ([name, others]) => `${name} only with ${others.join(', ')}`,
    ),
    deprecated && 'deprecated',
    ...allOf.flatMap(limits),
  ].filter((limit) => typeof limit === 'string');
}

const shown = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

function range(unit: string, min?: number, max?: number): string | undefined {
  const suffix = unit && ` ${unit}`;
  if (min !== undefined && min === max) return `exactly ${min}${suffix}`;
  if (min !== undefined && max !== undefined) return `${min} to ${max}${suffix}`;
  if (min !== undefined) return `at least ${min}${suffix}`;
  return max === undefined ? undefined : `at most ${max}${suffix}`;
}
