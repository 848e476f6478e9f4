import { hash } from 'node:crypto';

/**
 * What an idempotency key stands for: SHA-256 of the operation and the validated request as canonical JSON
 * (RFC 8785), amounts as text; hexadecimal.
 */
export const fingerprint = (operationId: string, body: unknown): string =>
  hash('sha256', `${operationId}\n${canonical(body)}`);

/** Members sorted by UTF-16 code units, no white space; strings and numbers as the platform writes them. */
export function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const members = Object.entries(value as Record<string, unknown>)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
  return `{${members.join(',')}}`;
}
