import { Refusal, type Finding, type RefusalKind, type RefusalName } from '#src/kernel/errors.ts';
import type { RefusalCatalog } from '#src/kernel/explanation.ts';
import { platformCatalog } from '#src/kernel/platform-catalog.ts';
import { Ambiguous, Damaged, TimeBudgetExceeded, Unavailable } from '#src/ports/errors.ts';
import type { Ids } from '#src/ports/ids.ts';
import type { Log } from '#src/ports/log.ts';
import {
  codeIn,
  legacyCodeOf,
  refusalIn,
  type ErrorCodeStyle,
  type RefusalCodes,
} from './error-code.ts';
import { FINDINGS_MAX } from '#src/kernel/value-reader.ts';
import type { Reply } from './reply.ts';

/** Maps each kind of cause to its status (contract ledger §1.8); nothing else in the program knows statuses. */
export const statuses: Readonly<Record<RefusalKind, number>> = {
  validation: 400,
  credential: 400,
  unauthenticated: 401,
  forbidden: 403,
  absent: 404,
  method: 405,
  clash: 409,
  'too-large': 413,
  headers: 431,
  misdirected: 421,
  rule: 422,
  overload: 429,
  fault: 500,
  unavailable: 503,
};

/** The form of codes in problem documents, set by an operator. */
export type ProblemCodes = Readonly<{
  /** If set, `type` is a URL with a page per code. */
  errorDocsBaseUrl?: string | undefined;
  errorCodeStyle?: ErrorCodeStyle | undefined;
}>;

export type Problems = ProblemCodes &
  Readonly<{
    catalog?: RefusalCatalog;
    ids: Pick<Ids, 'next'>;
    /** Gets the cause of a defect. */
    log: Log;
  }>;

/** The request that failed; `entityType` is undefined before an operation is matched. */
export type ProblemContext = Readonly<{
  requestId: string;
  traceId?: string | undefined;
  entityType?: string | undefined;
  /** The codes of the operation's component. */
  codes?: RefusalCodes['codes'];
  /** Replaces the status of the kind, for operations whose description has another. */
  status?: number | undefined;
}>;

/** The reply with the kind and the code of its refusal. */
export type ProblemReply = Reply & Readonly<{ body: string; kind: RefusalKind; code: string }>;

/** Turns any error into a reply. Refusals and faults state their cause; the cause of a defect is only logged. */
export function problemOf(
  error: unknown,
  occasion: ProblemContext,
  problems: Problems,
): ProblemReply {
  const { catalog = platformCatalog } = problems;
  if (error instanceof Refusal && catalog[error.refusal] !== undefined) {
    return problemReply(error, occasion, problems);
  }
  const fault = faultOf(error);
  const { requestId, traceId } = occasion;
  if (fault !== undefined) {
    if (error instanceof Damaged) {
      problems.log.error({ requestId, traceId }, error.message);
    }
    return problemReply(fault, occasion, problems);
  }

  problems.log.error({ requestId, traceId, cause: error }, 'defect');
  const detail = `An unexpected error occurred. The request id is ${requestId}.`;
  return problemReply(new Refusal('INTERNAL', { detail }), occasion, problems);
}

function faultOf(error: unknown): Refusal | undefined {
  if (error instanceof TimeBudgetExceeded) return unavailable(error.message);
  if (error instanceof Unavailable) return unavailable('A required store is not available.');
  if (error instanceof Ambiguous) {
    return unavailable('A store did not confirm the write; retry with the same idempotency key.');
  }
  if (error instanceof Damaged) {
    return unavailable(
      'A part of the log that this request needs is damaged; an operator must restore it.',
    );
  }
  return undefined;
}

const unavailable = (detail: string): Refusal =>
  new Refusal('UNAVAILABLE', { detail, retryAfterSeconds: 1 });

function problemReply(
  { refusal, details }: Refusal,
  occasion: ProblemContext,
  problems: Problems,
): ProblemReply {
  const facts = refusalIn(refusal, { catalog: problems.catalog, codes: occasion.codes });
  const { kind, title } = facts;
  const code = codeIn(facts, problems.errorCodeStyle);
  const { upstream } = details;
  const detail = shortText(details.detail, DETAIL_MAX);
  const findings = (details.findings ?? []).slice(0, FINDINGS_MAX).map(shortened);
  const status = occasion.status ?? statuses[kind];
  const entityType =
    details.entityType ?? (GENERIC.includes(refusal) ? undefined : occasion.entityType);
  const retryAfter = details.retryAfterSeconds ?? (RETRIED.includes(kind) ? 1 : undefined);
  const base = problems.errorDocsBaseUrl;
  const body = JSON.stringify({
    type: base === undefined ? 'about:blank' : `${base}/${code}`,
    title,
    status,
    detail,
    instance: `urn:uuid:${problems.ids.next()}`,
    code,
    ...(findings.length > 0 && { errors: findings }),
    ...(upstream && { upstream: { ...upstream, message: shortText(upstream.message, SHOWN_MAX) } }),
    message: detail,
    legacyCode: legacyCodeOf(facts),
    ...(entityType !== undefined && { entityType }),
    ...(WITH_FIELDS.includes(refusal) && findings.length > 0 && { fields: fieldsOf(findings) }),
  });
  const headers = {
    'Content-Type': 'application/problem+json',
    ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
    ...(kind === 'unauthenticated' && { 'WWW-Authenticate': 'Bearer' }),
  };
  return { status, body, headers, kind, code };
}

/** Shortens the parts of a request that a refusal repeats. */
function shortened({ location, message, value }: Finding): Finding {
  const shown = shortValue(value);
  return {
    location: shortText(location, SHOWN_MAX),
    message: shortText(message, DETAIL_MAX),
    ...(shown !== undefined && { value: shown }),
  };
}

function shortValue(value: unknown): unknown {
  if (typeof value === 'string') return shortText(value, SHOWN_MAX);
  if (typeof value === 'number' && !Number.isFinite(value)) return undefined; // JSON would make it null.
  if (typeof value !== 'object' || value === null) return value;
  return JSON.stringify(value).length <= SHOWN_MAX ? value : undefined;
}

const shortText = (text: string, max: number): string =>
  text.length <= max ? text : text.slice(0, max).toWellFormed() + '…';

const SHOWN_MAX = 256;
const DETAIL_MAX = 1024;

const fieldsOf = (findings: readonly Finding[]): Record<string, string> =>
  Object.fromEntries(findings.map(({ location, message }) => [location, message]));

/** Codes that do not concern a resource, so that their documents name none (contract ledger §1.8). */
const GENERIC: readonly RefusalName[] = [
  'MISDIRECTED', // Refused before a route is known, like the next one.
  'ORIGIN_NOT_ALLOWED',
  'REQUIRED_FIELDS',
  'MALFORMED_FIELD',
  'UNEXPECTED_FIELDS',
  'PATH_INVALID',
  'QUERY_INVALID',
  'BODY_UNREADABLE',
  'ROUTE_UNKNOWN',
  'METHOD_NOT_ALLOWED',
];

const WITH_FIELDS: readonly RefusalName[] = [
  'REQUIRED_FIELDS',
  'MALFORMED_FIELD',
  'UNEXPECTED_FIELDS',
];
const RETRIED: readonly RefusalKind[] = ['overload', 'unavailable'];
