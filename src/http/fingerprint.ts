import { hash } from 'node:crypto';

/**
 * Identifies the request of an idempotency key: SHA-256 of the operation and the validated request as canonical JSON
 * (RFC 8785), amounts as text; hexadecimal.
 */
export const fingerprint = (operationId: string, body: unknown): string =>
  hash('sha256', `${operationId}\n${canonical(body)}`);

/**
 * Writes canonical JSON: members sorted by UTF-16 code units, no white space; strings and numbers as JSON.stringify
 * writes them.
 */
export function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  let mark = '';
  if (Array.isArray(value)) {
    let text = '[';
    for (const item of value) {
      text += mark + canonical(item);
      mark = ',';
    }
    return text + ']';
  }
  let text = '{';
  const members = value as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(members).sort()) {
    const member = members[name];
    if (member === undefined) continue;
    text += `${mark}${nameText(name)}:${canonical(member)}`;
    mark = ',';
  }
  return text + '}';
}

/** Quotes a name. Plain names, which most are, contain nothing that JSON escapes. */
const nameText = (name: string): string => (PLAIN.test(name) ? `"${name}"` : JSON.stringify(name));
const PLAIN = /^\w+$/;
