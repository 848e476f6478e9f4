import { fits } from './code-points.ts';
import type { SchemaFinding, PublishedSchema, ValueReader } from './schema.ts';
import { isObject, wrongType, type ValueMembers } from './value-reader.ts';

type SentStatus = Readonly<{ code?: string; description: string | null }>;

const CODE_MAX = 100;
const DESCRIPTION_MAX = 256;

/** The members of a status. */
export const statusMembers = {
  code: { type: 'string', maxLength: CODE_MAX },
  description: { type: ['string', 'null'], maxLength: DESCRIPTION_MAX },
} as const;

const sent = sentStatus();

/**
 * Reads a status on creation. It is sent as an object, as a bare word, or one level deeper under `status`, as in the
 * specification's sample; it is stored flat (contract ledger §1.4). Without a code it is ACTIVE.
 */
export const statusReader: ValueReader = {
  read: (value, findings) => {
    const status = readStatus(value, findings) as SentStatus | undefined;
    return status && { code: status.code ?? 'ACTIVE', description: status.description };
  },
  sent,
};

/** Reads a status on update, where a missing code means the stored one. */
export const statusPatchReader: ValueReader = { read: readStatus, sent };

function readStatus(value: unknown, findings: SchemaFinding[]): unknown {
  if (typeof value === 'string') return statusOf({ code: value }, '', findings);
  if (!isObject(value)) return wrongType(value, findings);
  const { status: nested, ...rest } = value;
  if (nested === undefined || Object.keys(rest).length > 0) return statusOf(value, '', findings);
  if (typeof nested === 'string') return statusOf({ code: nested }, 'status.', findings);
  return isObject(nested) ? statusOf(nested, 'status.', findings) : wrongType(nested, findings);
}

function statusOf(
  sent: ValueMembers,
  at: string,
  findings: SchemaFinding[],
): SentStatus | undefined {
  const before = findings.length;
  for (const name of Object.keys(sent)) {
    if (name === 'code' || name === 'description') continue;
    findings.push({
      refusal: 'UNEXPECTED_FIELDS',
      location: at + name,
      message: 'is not a field of a status',
      value: sent[name],
    });
  }
  const code = wordOf(sent, 'code', CODE_MAX, at, findings);
  const description = wordOf(sent, 'description', DESCRIPTION_MAX, at, findings);
  if (findings.length > before) return undefined;
  return { ...(code && { code }), description: description ?? null };
}

function wordOf(
  sent: ValueMembers,
  name: string,
  max: number,
  at: string,
  findings: SchemaFinding[],
) {
  const value = sent[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') {
    const message = 'must be a string';
    findings.push({ refusal: 'BODY_UNREADABLE', location: at + name, message, value });
  } else if (!fits(value, max)) {
    const message = `must have at most ${max} characters`;
    findings.push({ refusal: 'MALFORMED_FIELD', location: at + name, message, value });
  } else {
    return value;
  }
  return undefined;
}

/** Describes the accepted forms: a bare code, the object, or the object one level deeper. */
function sentStatus(): PublishedSchema {
  const { code } = statusMembers;
  const flat = {
    type: 'object',
    properties: statusMembers,
    required: [],
    additionalProperties: false,
  } as const;
  const nested = {
    type: 'object',
    properties: { status: { anyOf: [code, flat] } },
    required: ['status'],
    additionalProperties: false,
  } as const;
  return { title: 'RequestedStatus', anyOf: [code, flat, nested] };
}
