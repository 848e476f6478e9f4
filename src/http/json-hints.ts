import type { Schema } from '#src/kernel/schema.ts';
import type { Places } from './json.ts';

/** Where a body of this schema has exact decimals, integers and free-form objects; undefined when nowhere. */
export function placesOf(schema: Schema): Places | undefined {
  if (schema.format === 'decimal') return { decimal: true };
  if (schema.type === 'integer') return { integer: true };
  const members = new Map<string, Places>();
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    const places = placesOf(member);
    if (places !== undefined) members.set(name, places);
  }
  const extra = schema.additionalProperties;
  const others = typeof extra === 'object' ? placesOf(extra) : undefined;
  const items = schema.items === undefined ? undefined : placesOf(schema.items);
  const free = typeof extra === 'object' || extra === true;

  const options = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const own: Places = {
    ...(free && { free }),
    ...(members.size > 0 && { members }),
    ...(others && { others }),
    ...(items && { items }),
  };
  return options.map(placesOf).reduce(merged, Object.keys(own).length > 0 ? own : undefined);
}

function merged(a: Places | undefined, b: Places | undefined): Places | undefined {
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
