import { nameOf, type SchemaObject } from './description.ts';
import { markup, type Markup } from './markup.ts';

/** Renders the members of an object, one a line, with those of inner objects below them; other schemas as one line. */
export function schemaFields(schema: SchemaObject): Markup {
  const { properties, required = [] } = schema;
  if (properties === undefined) return markup`<div>${typeOf(schema)} ${innerFields(schema)}</div>`;
  return markup`<ul class="fields">${Object.entries(properties).map(([name, member]) =>
    field(name, member, required.includes(name)),
  )}</ul>`;
}

/** Renders one line for a named value or a parameter. */
export function field(
  name: string,
  schema: SchemaObject,
  required: boolean,
  where?: string,
): Markup {
  const notes = [schema.description, ...limits(schema)].filter((note) => note !== undefined);
  return markup`
<li${schema.deprecated ? markup` class="old"` : undefined}><code>${name}</code>
<span class="type">${where === undefined ? undefined : `${where}, `}${typeOf(schema)}</span>${
    required ? markup` <span class="required">required</span>` : undefined
  }${notes.length > 0 ? markup`<span class="note">${notes.join('; ')}</span>` : undefined}${innerFields(schema)}</li>`;
}

function innerFields(schema: SchemaObject): Markup | undefined {
  const inner = [schema, schema.items, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const withMembers = inner.filter((one) => one?.properties !== undefined);
  return withMembers.length === 0
    ? undefined
    : markup`${withMembers.map((one) => schemaFields(one ?? {}))}`;
}

/** `string`, `uuid or null`, `array of Operation`. */
export function typeOf(schema: SchemaObject): Markup {
  const { $ref, type, format, items, anyOf, oneOf } = schema;
  if ($ref !== undefined) return markup`<a href="#schema-${nameOf($ref)}">${nameOf($ref)}</a>`;
  const choices = anyOf ?? oneOf;
  if (choices !== undefined && type === undefined) {
    return markup`${choices.map((one, n) => markup`${n > 0 ? ' or ' : undefined}${typeOf(one)}`)}`;
  }
  if (items !== undefined) return markup`array of ${typeOf(items)}`;
  const types = type === undefined ? ['any'] : [type].flat();
  return markup`${types.map((one) => (one === 'string' ? (format ?? one) : one)).join(' or ')}`;
}

function limits(schema: SchemaObject): string[] {
  const { deprecated, pattern, additionalProperties, allOf = [] } = schema;
  return [
    range('characters', schema.minLength, schema.maxLength),
    range('items', schema.minItems, schema.maxItems),
    range('', schema.minimum, schema.maximum),
    schema.enum &&
      `${schema.enum.length > 1 ? 'one of' : 'always'} ${schema.enum.map(shown).join(', ')}`,
    schema.const !== undefined && `always ${shown(schema.const)}`,
    schema.default !== undefined && `default ${shown(schema.default)}`,
    pattern !== undefined && `matches ${pattern}`,
    typeof additionalProperties === 'object' && 'any keys of your own',
    deprecated && 'deprecated',
    ...allOf.flatMap(limits),
  ].filter((note) => typeof note === 'string');
}

const shown = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

function range(what: string, min?: number, max?: number): string | undefined {
  const unit = what && ` ${what}`;
  if (min !== undefined && max !== undefined) return `${min} to ${max}${unit}`;
  if (min !== undefined) return `at least ${min}${unit}`;
  return max === undefined ? undefined : `at most ${max}${unit}`;
}
