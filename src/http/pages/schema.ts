import {
  nameOf,
  resolved,
  type Parameter,
  type SchemaObject,
  type Schemas,
} from './description.ts';
import { limits } from './limits.ts';
import { markup, type Markup } from './markup.ts';
import { inline } from './prose.ts';

/** Renders the members of an object, one a line, with those of inner objects folded below them; other schemas as one line. */
export function schemaFields(schema: SchemaObject, schemas: Schemas, depth = 0): Markup {
  const { properties, required = [] } = resolved(schema, schemas);
  if (properties === undefined) {
    return markup`<p>${typeOf(schema)}</p>${innerFields(schema, schemas, depth)}`;
  }
  return markup`<ul class="fields">${Object.entries(properties).map(([name, member]) =>
    field({ name, schema: member, required: required.includes(name) }, schemas, depth),
  )}</ul>`;
}

/** Renders one line for a parameter. */
export const parameterField = (parameter: Parameter, schemas: Schemas): Markup =>
  field({ required: false, ...parameter }, schemas, 0);

type Field = Readonly<{
  name: string;
  schema: SchemaObject;
  required: boolean;
  description?: string;
  deprecated?: boolean;
}>;

function field({ name, schema, required, ...own }: Field, schemas: Schemas, depth: number): Markup {
  const full = resolved(schema, schemas);
  const { description = full.description, deprecated = full.deprecated } = own;
  const bounds = limits(full.items === undefined ? full : { ...resolved(full.items, schemas), ...full }); // prettier-ignore
  return markup`
<li${deprecated ? markup` class="old"` : undefined}><code class="name">${name}</code>
<span class="type">${typeOf(schema)}</span>${required ? markup` <span class="required">required</span>` : undefined}${
    description === undefined ? undefined : markup`<span class="note">${inline(description)}</span>`
  }${bounds.length > 0 ? markup`<span class="limits">${bounds.join(' · ')}</span>` : undefined}${innerFields(schema, schemas, depth)}</li>`;
}

/** Renders the members of what a value consists of, down to a depth where a link to the schema has to do. */
function innerFields(schema: SchemaObject, schemas: Schemas, depth: number): Markup | undefined {
  const { items, anyOf = [], oneOf = [], ...self } = resolved(schema, schemas);
  const parts = [self, ...[items ?? []].flat(), ...anyOf, ...oneOf]
    .map((part) => resolved(part, schemas))
    .filter(({ properties }) => properties !== undefined);
  if (parts.length === 0 || depth === DEPTH_MAX) return undefined;
  return markup`${parts.map(
    (part, n) => markup`<details class="inner"><summary>${caption(part, parts.length, n)}</summary>${schemaFields(part, schemas, depth + 1)}</details>`, // prettier-ignore
  )}`;
}

const DEPTH_MAX = 4;

const caption = ({ properties = {} }: SchemaObject, parts: number, n: number): string => {
  const names = Object.keys(properties);
  const form = parts > 1 ? `Form ${n + 1}: ` : '';
  return `${form}${names.slice(0, 3).join(', ')}${names.length > 3 ? `, and ${names.length - 3} more` : ''}`;
};

/** `string`, `uuid or null`, `array of Operation`. */
export function typeOf(schema: SchemaObject): Markup {
  const { $ref, type, format, items, anyOf, oneOf } = schema;
  if ($ref !== undefined) {
    return markup`<a href="/docs/schemas#${nameOf($ref)}">${nameOf($ref)}</a>`;
  }
  const choices = anyOf ?? oneOf;
  if (choices !== undefined && type === undefined) {
    return markup`${choices.map((one, n) => markup`${n > 0 ? ' or ' : undefined}${typeOf(one)}`)}`;
  }
  if (items !== undefined) return markup`array of ${typeOf(items)}`;
  const types = type === undefined ? ['any'] : [type].flat();
  return markup`${types.map((one) => (one === 'string' ? (format ?? one) : one)).join(' or ')}`;
}
