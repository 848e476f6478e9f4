/**
 * The properties of a refusal that do not depend on the request. Clients see the `code`, such as `LDG-0018`; `legacyCode`
 * is the number that clients of older servers know, if it differs from that of the code.
 */
export type RefusalFacts = Readonly<{
  code: string;
  legacyCode?: string;
  kind: RefusalKind;
  title: string;
}>;

/**
 * The refusals of the platform, which every component may give; a component declares further ones with its events. The
 * wire contract, §10, defines numbers and titles.
 */
export const platformRefusals = {
  // The request itself
  BODY_UNREADABLE: { code: 'LDG-0094', kind: 'validation', title: 'Body not readable' },
  UNEXPECTED_FIELDS: { code: 'LDG-0053', kind: 'validation', title: 'Unexpected fields' },
  REQUIRED_FIELDS: { code: 'LDG-0009', kind: 'validation', title: 'Required fields missing' },
  MALFORMED_FIELD: { code: 'LDG-0047', kind: 'validation', title: 'Malformed field' },
  TOO_DEEP: { code: 'LDG-0144', kind: 'validation', title: 'Nested too deeply' },
  TOO_MANY_KEYS: { code: 'LDG-0145', kind: 'validation', title: 'Too many keys' },
  TOO_LARGE: { code: 'LDG-0143', kind: 'too-large', title: 'Body too large' },
  PATH_INVALID: { code: 'LDG-0065', kind: 'validation', title: 'Path parameter invalid' },
  QUERY_INVALID: { code: 'LDG-0082', kind: 'validation', title: 'Query parameter invalid' },
  QUERY_MISSING: { code: 'LDG-0142', kind: 'validation', title: 'Query parameter missing' },
  LIMIT_TOO_HIGH: { code: 'LDG-0080', kind: 'validation', title: 'Limit above maximum' },
  SORT_ORDER_INVALID: { code: 'LDG-0081', kind: 'validation', title: 'Sort order invalid' },
  BOTH_DATES_NEEDED: { code: 'LDG-0083', kind: 'validation', title: 'Both dates needed' },
  DATE_FORMAT: { code: 'LDG-0131', kind: 'validation', title: 'Date-time format invalid' },
  WINDOW_TOO_LONG: { code: 'LDG-0079', kind: 'validation', title: 'Window too long' },
  END_BEFORE_START: { code: 'LDG-0078', kind: 'validation', title: 'End before start' },
  METADATA_KEY_TOO_LONG: { code: 'LDG-0050', kind: 'validation', title: 'Metadata key too long' },
  METADATA_VALUE: { code: 'LDG-0051', kind: 'validation', title: 'Metadata value not acceptable' },
  METADATA_NESTED: { code: 'LDG-0067', kind: 'validation', title: 'Metadata nested' },
  NUMBER_OUT_OF_RANGE: { code: 'LDG-0097', kind: 'rule', title: 'Number out of range' },
  ROUTE_UNKNOWN: { code: 'LDG-0484', kind: 'absent', title: 'No such route' },
  METHOD_NOT_ALLOWED: { code: 'LDG-0485', kind: 'method', title: 'Method not allowed' },
  HEADERS_TOO_LARGE: { code: 'LDG-0497', kind: 'headers', title: 'Header fields too large' },
  MISDIRECTED: { code: 'LDG-0540', kind: 'misdirected', title: 'Misdirected request' },
  ORIGIN_NOT_ALLOWED: { code: 'LDG-0541', kind: 'forbidden', title: 'Origin not allowed' },
  TOKEN_MISSING: { code: 'LDG-0041', kind: 'unauthenticated', title: 'Token missing' },
  TOKEN_INVALID: { code: 'LDG-0042', kind: 'unauthenticated', title: 'Token invalid or expired' },
  TOKEN_WITHOUT_SUBJECT: {
    code: 'LDG-0474',
    kind: 'unauthenticated',
    title: 'Token without subject',
  },
  PRIVILEGES_INSUFFICIENT: {
    code: 'LDG-0043',
    kind: 'forbidden',
    title: 'Privileges insufficient',
  },
  PERMISSION_CHECK_FAILED: { code: 'LDG-0044', kind: 'fault', title: 'Permission check failed' },
  KEYS_UNAVAILABLE: { code: 'LDG-0045', kind: 'fault', title: 'Signing keys unavailable' },
  TENANT_NOT_PROVISIONED: { code: 'LDG-0146', kind: 'rule', title: 'Tenant not provisioned' },
  TENANT_SUSPENDED: { code: 'LDG-0159', kind: 'forbidden', title: 'Tenant suspended' },
  TENANT_NOT_FOUND: { code: 'LDG-0160', kind: 'absent', title: 'Tenant not found' },
  TENANTS_UNAVAILABLE: {
    code: 'LDG-0161',
    kind: 'unavailable',
    title: 'Tenant service unavailable',
  },

  // Records
  NOT_FOUND: { code: 'LDG-0007', kind: 'absent', title: 'Resource not found' },
  INDEX_CONFLICT: {
    code: 'LDG-0132',
    kind: 'clash',
    title: 'Index exists, or unique value repeated',
  },

  // Repetition, load, dependencies
  IDEMPOTENCY_KEY_IN_USE: { code: 'LDG-0084', kind: 'clash', title: 'Idempotency key in use' },
  TOO_MANY_REQUESTS: { code: 'LDG-0900', kind: 'overload', title: 'Too many requests' },
  LIST_TOO_LARGE: { code: 'LDG-0531', kind: 'rule', title: 'List too large to read' },
  UNAVAILABLE: { code: 'LDG-0501', kind: 'unavailable', title: 'Dependency unavailable' },
  INTERNAL: { code: 'LDG-0046', kind: 'fault', title: 'Internal error' },
} as const satisfies Record<string, RefusalFacts>;

export type PlatformRefusalName = keyof typeof platformRefusals;

/** Names a refusal of the platform or of a component. */
export type RefusalName = string;

/** The class of a cause; it decides the HTTP status (contract §1.8). */
export type RefusalKind =
  | 'validation'
  | 'unauthenticated'
  /** A secret in the body is not accepted, where clients do not expect to be asked for another login. */
  | 'credential'
  | 'forbidden'
  | 'absent'
  | 'method'
  | 'clash'
  | 'too-large'
  | 'headers'
  | 'misdirected'
  | 'rule'
  | 'fault'
  | 'unavailable'
  | 'overload';

/** One problem in a request: where it is, why, and the value found there. */
export type Finding = Readonly<{ location: string; message: string; value?: unknown }>;

export type RefusalDetails = Readonly<{
  /** Explains this occurrence in a sentence. */
  detail: string;
  /** The kind of resource in question, if it is not the one the operation addresses. */
  entityType?: string;
  findings?: readonly Finding[];
  retryAfterSeconds?: number;
  /** The error that a service behind this one reported. */
  upstream?: Readonly<{ code: string; message: string }>;
}>;

/** An expected rejection of a request. Nothing was appended. */
export class Refusal extends Error {
  readonly refusal: RefusalName;
  readonly details: RefusalDetails;
  constructor(refusal: RefusalName, details: RefusalDetails) {
    super(details.detail);
    this.name = 'Refusal';
    this.refusal = refusal;
    this.details = details;
  }

  /** Returns the refusal of a part as a refusal of the whole, with all locations below `place`. */
  within(place: string): Refusal {
    const { detail, findings = [{ location: '', message: detail }] } = this.details;
    const located = findings.map((found) => ({
      ...found,
      location: found.location === '' ? place : `${place}.${found.location}`,
    }));
    return new Refusal(this.refusal, { ...this.details, findings: located });
  }
}

/** Creates a refusal with one of the names that a component declares. */
export type Refuse<Name extends RefusalName> = (
  name: Name,
  detail: string,
  more?: Omit<RefusalDetails, 'detail'>,
) => Refusal;

/** Creates a refusal whose name comes from data, such as a schema. */
export const refuseAny: Refuse<RefusalName> = (name, detail, more = {}) =>
  new Refusal(name, { detail, ...more });

export const refuse: Refuse<PlatformRefusalName> = refuseAny;

/** Returns whether a retry of the same request may be accepted. Only refusals of the platform pass. */
export function isPassing({ refusal }: Refusal): boolean {
  const facts = (platformRefusals as Readonly<Record<string, RefusalFacts>>)[refusal];
  return facts !== undefined && ['unavailable', 'overload', 'fault'].includes(facts.kind);
}
