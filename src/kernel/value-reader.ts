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
