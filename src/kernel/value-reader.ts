import type { SchemaFinding } from './schema.ts';

/** The most findings that one refusal reports. */
export const FINDINGS_MAX = 100;

export type ValueMembers = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is ValueMembers =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Adds the finding of a value that must be an object, and returns undefined. */
export function wrongType(value: unknown, findings: SchemaFinding[]): unknown {
  findings.push({ refusal: 'BODY_UNREADABLE', location: '', message: 'must be an object', value });
  return undefined;
}

/** Adds a finding for each member that has none of these names; `at` precedes their locations. */
export function onlyMembers(
  sent: ValueMembers,
  names: readonly string[],
  at: string,
  findings: SchemaFinding[],
): void {
  for (const name of Object.keys(sent)) {
    if (names.includes(name)) continue;
    const message = 'is not a field of this operation';
    addFinding(findings, 'UNEXPECTED_FIELDS', at + name, message, sent[name]);
  }
}

export function addFinding(
  findings: SchemaFinding[],
  refusal: SchemaFinding['refusal'],
  location: string,
  message: string,
  value?: unknown,
): undefined {
  findings.push({ refusal, location, message, ...(value !== undefined && { value }) });
}
