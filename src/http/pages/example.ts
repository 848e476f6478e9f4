import { resolved, type Media, type SchemaObject, type Schemas } from './description.ts';

/** Returns the example of a content, or else one made from its schema; `members` says of which members. */
export function exampleOf(media: Media, schemas: Schemas, members: 'required' | 'all'): unknown {
  const [named] = Object.values(media.examples ?? {});
  return media.example ?? named?.value ?? valueOf(media.schema, schemas, members, 0);
}

/** Returns an example of a parameter's value. */
export const exampleValue = (schema: SchemaObject, schemas: Schemas): string => {
  const value = valueOf(schema, schemas, 'required', 0);
  return typeof value === 'string' ? value : JSON.stringify(value);
};

function valueOf(
  schema: SchemaObject,
  schemas: Schemas,
  members: 'required' | 'all',
  depth: number,
): unknown {
  const full = resolved(schema, schemas);
  const given = full.example ?? full.examples?.[0] ?? full.const ?? full.enum?.[0] ?? full.default;
  if (given !== undefined && given !== null) return given;
  const { properties, required = [], items, anyOf, oneOf, type, minItems = 0 } = full;
  const [choice] = anyOf ?? oneOf ?? [];
  const inner = (part: SchemaObject): unknown => valueOf(part, schemas, members, depth + 1);
  if (properties !== undefined) {
    const names = Object.keys(properties).filter(
      (name) => required.includes(name) || (members === 'all' && depth < DEPTH_MAX),
    );
    return Object.fromEntries(names.map((name) => [name, inner(properties[name]!)]));
  }
  if (choice !== undefined) return inner(choice);
  if (items !== undefined) return depth < DEPTH_MAX || minItems > 0 ? [inner(items)] : [];
  const types = [type ?? 'string'].flat();
  if (types.includes('string')) return textOf(full);
  if (types.includes('boolean')) return true;
  if (types.includes('integer') || types.includes('number')) return full.minimum ?? 1;
  return types.includes('object') ? {} : null;
}

const DEPTH_MAX = 3;

/** Returns the first of a few texts that the schema accepts. */
function textOf({
  format = '',
  pattern,
  minLength = 0,
  maxLength = Infinity,
}: SchemaObject): string {
  const known = BY_FORMAT[format];
  if (known !== undefined) return known;
  const accepts = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  const fits = (text: string): boolean =>
    text.length >= minLength && text.length <= maxLength && accepts?.test(text) !== false;
  return TEXTS.find(fits) ?? '…';
}

const UUID = '0190a1c0-0000-7000-8000-000000000001';
const BY_FORMAT: Readonly<Record<string, string>> = {
  uuid: UUID,
  'date-time': '2026-01-31T12:00:00.000Z',
  date: '2026-01-31',
  decimal: '100.00',
  email: 'ada@example.com',
  uri: 'https://example.com/',
};
const TEXTS = ['text', 'BRL', '@text', '100', 'BR', 'a', UUID, 'a'.repeat(20), 'metadata.key'];
