import type { Schema } from '#src/kernel/schema.ts';
import { FINDINGS_MAX } from '#src/kernel/value-reader.ts';

/**
 * Prepares a body that failed for the search for all errors, in place: removes members that count as absent (a null its
 * schema does not allow, an empty name on update), and cuts what could only repeat the same finding, so that reporting
 * costs no more than the report is long.
 */
export function normalize(schema: Schema, value: unknown): void {
  if (schema.unchecked === true) return;
  if (Array.isArray(value)) {
    const max =
      schema.maxItems ?? schema.allOf?.find((part) => part.maxItems)?.maxItems ?? ITEMS_MAX;
    if (value.length > max + 1) value.length = max + 1; // One too many is still a finding.
    if (schema.items) for (const item of value) normalize(schema.items, item);
    return;
  }
  if (typeof value !== 'object' || value === null || schema.properties === undefined) return;
  const { properties, required = [] } = schema;
  const members = value as Record<string, unknown>;
  let unknown = 0;
  for (const name of Object.keys(members)) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known === undefined) {
      unknown += 1;
      if (unknown > FINDINGS_MAX) Reflect.deleteProperty(members, name);
    } else if (countsAsAbsent(known, members[name]) && !required.includes(name)) {
      Reflect.deleteProperty(members, name);
    } else {
      normalize(known, members[name]);
    }
  }
}

function countsAsAbsent(schema: Schema, value: unknown): boolean {
  if (value === '') return schema.emptyIsAbsent === true;
  return value === null && schema.neverNull !== true && !mayBeNull(schema);
}

function mayBeNull({ type, anyOf, oneOf }: Schema): boolean {
  if (type === 'null' || (Array.isArray(type) && type.includes('null'))) return true;
  return [...(anyOf ?? []), ...(oneOf ?? [])].some(mayBeNull);
}

/** Applies to lists whose schema sets no maximum. */
const ITEMS_MAX = 1000;
