import type { Finding, RefusalName } from '#src/kernel/errors.ts';
import { fits } from './code-points.ts';

/** What was found wrong, and the refusal it stands for. Locations are relative to the value read. */
export type Flaw = Finding & Readonly<{ refusal: RefusalName }>;

/**
 * Reads a value whose rules are code: changes what it stands for into one form, or says what is wrong. `around` is
 * what the value is a member of.
 */
export type Reading = (sent: unknown, flaws: Flaw[], around?: unknown) => unknown;

export type Status = Readonly<{ code?: string; description: string | null }>;

/**
 * A status is sent as object, as bare word, or one level deeper under `status`, as in the specification's
 * sample; it is kept flat (contract ledger §1.4). Without a code it is ACTIVE.
 */
export const readStatus: Reading = (sent, flaws) => {
  const status = readStatusPatch(sent, flaws) as Status | undefined;
  return status && { code: status.code ?? 'ACTIVE', description: status.description };
};

/** The same on update, where a missing code means the stored one. */
export const readStatusPatch: Reading = (sent, flaws) => {
  if (typeof sent === 'string') return statusOf({ code: sent }, '', flaws);
  if (!isObject(sent)) return wrongType(sent, flaws);
  const { status: nested, ...rest } = sent;
  if (nested === undefined || Object.keys(rest).length > 0) return statusOf(sent, '', flaws);
  if (typeof nested === 'string') return statusOf({ code: nested }, 'status.', flaws);
  return isObject(nested) ? statusOf(nested, 'status.', flaws) : wrongType(nested, flaws);
};

function statusOf(sent: Members, at: string, flaws: Flaw[]): Status | undefined {
  const before = flaws.length;
  for (const name of Object.keys(sent)) {
    if (name === 'code' || name === 'description') continue;
    flaws.push({
      refusal: 'UNEXPECTED_FIELDS',
      location: at + name,
      message: 'is not a field of a status',
      value: sent[name],
    });
  }
  const code = wordOf(sent, 'code', CODE_MAX, at, flaws);
  const description = wordOf(sent, 'description', DESCRIPTION_MAX, at, flaws);
  if (flaws.length > before) return undefined;
  return { ...(code && { code }), description: description ?? null };
}

function wordOf(sent: Members, name: string, max: number, at: string, flaws: Flaw[]) {
  const value = sent[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') {
    const message = 'must be a string';
    flaws.push({ refusal: 'BODY_UNREADABLE', location: at + name, message, value });
  } else if (!fits(value, max)) {
    const message = `must have at most ${max} characters`;
    flaws.push({ refusal: 'MALFORMED_FIELD', location: at + name, message, value });
  } else {
    return value;
  }
  return undefined;
}

export function wrongType(value: unknown, flaws: Flaw[]): unknown {
  flaws.push({ refusal: 'BODY_UNREADABLE', location: '', message: 'must be an object', value });
  return undefined;
}

export type Members = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const CODE_MAX = 100;
const DESCRIPTION_MAX = 256;
