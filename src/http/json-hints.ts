import type { Schema } from '#src/kernel/schema.ts';
import type { JsonHints } from './json.ts';

/** Finds the exact decimals, integers and free-form objects of a schema; undefined when it has none. */
export function jsonHintsOf(schema: Schema): JsonHints | undefined {
  if (schema.format === 'decimal') return { decimal: true };
  if (schema.type === 'integer') return { integer: true };
  const members = new Map<string, JsonHints>();
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    const places = jsonHintsOf(member);
    if (places !== undefined) members.set(name, places);
  }
  const extra = schema.additionalProperties;
  const others = typeof extra === 'object' ? jsonHintsOf(extra) : undefined;
  const items = schema.items === undefined ? undefined : jsonHintsOf(schema.items);
  const free = typeof extra === 'object' || extra === true;

  const options = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const own: JsonHints = {
    ...(free && { free }),
    ...(members.size > 0 && { members }),
    ...(others && { others }),
    ...(items && { items }),
  };
  return options.map(jsonHintsOf).reduce(merged, Object.keys(own).length > 0 ? own : undefined);
}

function merged(a: JsonHints | undefined, b: JsonHints | undefined): JsonHints | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const members = new Map(a.members);
  for (const [name, places] of b.members ?? []) {
    const both = merged(members.get(name), places);
    if (both !== undefined) members.set(name, both);
  }
  const others = merged(a.others, b.others);
  const items = merged(a.items, b.items);
  return { ...a, ...b, members, ...(others && { others }), ...(items && { items }) };
}
