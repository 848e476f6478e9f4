/**
 * Every refusal this program knows, by the name the code uses. `code` is what existing clients see
 * (`LDG-0018`), `kind` what class of cause it is; only src/http/problem.ts knows statuses.
 * Source of numbers and titles: the wire contract, §10.
 */
export const refusals = {
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
  INSTANT_IN_FUTURE: { code: 'LDG-0140', kind: 'validation', title: 'Instant in the future' },
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

  // Records
  NOT_FOUND: { code: 'LDG-0007', kind: 'absent', title: 'Resource not found' },
  ORGANIZATION_NOT_FOUND: { code: 'LDG-0038', kind: 'absent', title: 'Organization not found' },
  LEDGER_NOT_FOUND: { code: 'LDG-0037', kind: 'absent', title: 'Ledger not found' },
  PARENT_ORGANIZATION_NOT_FOUND: {
    code: 'LDG-0039',
    kind: 'absent',
    title: 'Parent organization not found',
  },
  COUNTRY_INVALID: { code: 'LDG-0032', kind: 'validation', title: 'Country code invalid' },
  LEDGER_NAME_TAKEN: { code: 'LDG-0002', kind: 'clash', title: 'Ledger name taken' },
  ASSET_TAKEN: { code: 'LDG-0003', kind: 'clash', title: 'Asset name or code taken' },
  CODE_NOT_UPPER_CASE: { code: 'LDG-0004', kind: 'validation', title: 'Code not upper case' },
  NOT_ISO_4217: { code: 'LDG-0005', kind: 'validation', title: 'Not an ISO 4217 code' },
  CODE_CHARACTERS: {
    code: 'LDG-0033',
    kind: 'validation',
    title: 'Code has invalid characters',
  },
  TYPE_NOT_ALLOWED: { code: 'LDG-0040', kind: 'validation', title: 'Type not allowed' },
  SEGMENT_NAME_TAKEN: { code: 'LDG-0015', kind: 'clash', title: 'Segment name taken' },
  ACCOUNT_TYPE_TAKEN: { code: 'LDG-0108', kind: 'clash', title: 'Account type key taken' },
  ACCOUNT_TYPE_NOT_FOUND: { code: 'LDG-0109', kind: 'absent', title: 'Account type not found' },
  ACCOUNT_TYPE_UNKNOWN: { code: 'LDG-0066', kind: 'validation', title: 'Account type unknown' },
  ACCOUNT_TYPE_KEY_INVALID: {
    code: 'LDG-0120',
    kind: 'validation',
    title: 'Account type key invalid',
  },
  DEFAULT_DIRECTION_INVALID: {
    code: 'LDG-0500',
    kind: 'validation',
    title: 'Default direction invalid',
  },
  PARENT_ACCOUNT_INVALID: {
    code: 'LDG-0029',
    kind: 'validation',
    title: 'Parent account invalid',
  },
  PARENT_ACCOUNT_ASSET: { code: 'LDG-0030', kind: 'rule', title: 'Parent account asset differs' },
  ASSET_NOT_FOUND: { code: 'LDG-0034', kind: 'absent', title: 'Asset code not found' },
  PORTFOLIO_NOT_FOUND: { code: 'LDG-0035', kind: 'absent', title: 'Portfolio not found' },
  SEGMENT_NOT_FOUND: { code: 'LDG-0036', kind: 'absent', title: 'Segment not found' },
  HOLDER_NOT_FOUND: { code: 'CRM-0006', kind: 'absent', title: 'Holder not found' },
  HOLDER_REQUIRED: { code: 'LDG-0491', kind: 'rule', title: 'Holder required' },
  ALIAS_TAKEN: { code: 'LDG-0020', kind: 'clash', title: 'Alias taken' },
  ALIAS_INVALID: { code: 'LDG-0096', kind: 'validation', title: 'Alias not valid' },
  ALIAS_NOT_FOUND: { code: 'LDG-0085', kind: 'absent', title: 'Alias not found' },
  ACTION_NOT_ALLOWED: { code: 'LDG-0008', kind: 'rule', title: 'Action not allowed here' },
  OWN_PARENT: { code: 'LDG-0091', kind: 'rule', title: 'Own parent' },
  EXTERNAL_PROTECTED: { code: 'LDG-0074', kind: 'rule', title: 'External account protected' },
  BALANCE_BLOCKS_DELETION: {
    code: 'LDG-0012',
    kind: 'rule',
    title: 'Balance blocks deletion',
  },
  CLOSED_ALREADY: { code: 'LDG-0521', kind: 'clash', title: 'Already closed' },
  BALANCE_LEFT: { code: 'LDG-0523', kind: 'rule', title: 'Balance left' },
  FEE_DEBT_OPEN: { code: 'LDG-0527', kind: 'rule', title: 'Fee debt open' },
  HOLDS_PENDING: { code: 'LDG-0524', kind: 'rule', title: 'Holds pending' },
  EXCEPTIONS_MISSING: { code: 'LDG-0503', kind: 'validation', title: 'Exceptions missing' },
  TOO_MANY_EXCEPTIONS: { code: 'LDG-0504', kind: 'validation', title: 'Too many exceptions' },
  EXCEPTION_AMOUNT_INVALID: {
    code: 'LDG-0505',
    kind: 'validation',
    title: 'Exception amount invalid',
  },
  EXCEPTION_TTL_INVALID: { code: 'LDG-0506', kind: 'validation', title: 'Exception ttl invalid' },
  EXCEPTION_ALIAS_UNKNOWN: { code: 'LDG-0507', kind: 'absent', title: 'Exception alias unknown' },
  BALANCE_NOT_DELETABLE: { code: 'LDG-0093', kind: 'clash', title: 'Balance not deletable' },
  INDEX_CONFLICT: {
    code: 'LDG-0132',
    kind: 'clash',
    title: 'Index exists, or unique value repeated',
  },
  INDEX_NOT_FOUND: { code: 'LDG-0133', kind: 'absent', title: 'Index not found' },
  TOO_MANY_INDEXES: { code: 'LDG-0135', kind: 'rule', title: 'Too many indexes' },
  INDEX_NOT_BUILT: { code: 'LDG-0136', kind: 'fault', title: 'Index not built' },
  INDEX_PROTECTED: { code: 'LDG-0137', kind: 'rule', title: 'Index protected' },
  ENTITY_UNKNOWN: { code: 'LDG-0138', kind: 'validation', title: 'Entity name unknown' },
  SETTING_UNKNOWN: { code: 'LDG-0147', kind: 'validation', title: 'Setting unknown' },
  SETTING_TYPE: { code: 'LDG-0148', kind: 'validation', title: 'Setting of the wrong type' },
  SETTING_MISPLACED: { code: 'LDG-0149', kind: 'validation', title: 'Setting misplaced' },
  SETTING_VALUE: { code: 'LDG-0176', kind: 'validation', title: 'Setting has a bad value' },
  NO_BALANCE_THEN: { code: 'LDG-0141', kind: 'absent', title: 'No balance at that instant' },
  KEY_TAKEN: { code: 'LDG-0123', kind: 'clash', title: 'Balance key taken' },
  EXTERNAL_BALANCES: { code: 'LDG-0124', kind: 'rule', title: 'No extra balances on external' },
  DEFAULT_BALANCE_MISSING: {
    code: 'LDG-0126',
    kind: 'absent',
    title: 'Default balance missing',
  },
  INTERNAL_NOT_DELETABLE: {
    code: 'LDG-0169',
    kind: 'rule',
    title: 'Internal balance not deletable',
  },
  KEY_RESERVED: { code: 'LDG-0170', kind: 'rule', title: 'Balance key reserved' },
  BALANCE_DIRECTION: {
    code: 'LDG-0171',
    kind: 'validation',
    title: 'Balance direction invalid',
  },
  BALANCE_SETTINGS: {
    code: 'LDG-0172',
    kind: 'validation',
    title: 'Balance settings invalid',
  },
  LIMIT_BELOW_USAGE: { code: 'LDG-0173', kind: 'rule', title: 'Limit below usage' },
  INTERNAL_NOT_EDITABLE: {
    code: 'LDG-0175',
    kind: 'rule',
    title: 'Internal balance not editable',
  },
  SKIP_NOT_PERMITTED: { code: 'LDG-0490', kind: 'rule', title: 'Skip not permitted' },

  // Routes
  OPERATION_ROUTE_NOT_FOUND: {
    code: 'LDG-0101',
    kind: 'absent',
    title: 'Operation route not found',
  },
  OPERATION_TYPE_INVALID: { code: 'LDG-0103', kind: 'validation', title: 'Operation type invalid' },
  TOO_FEW_OPERATION_ROUTES: {
    code: 'LDG-0104',
    kind: 'validation',
    title: 'Too few operation routes',
  },
  TRANSACTION_ROUTE_NOT_FOUND: {
    code: 'LDG-0105',
    kind: 'absent',
    title: 'Transaction route not found',
  },
  OPERATION_ROUTE_IN_USE: { code: 'LDG-0107', kind: 'rule', title: 'Operation route in use' },
  ACCOUNT_RULE_TYPE: { code: 'LDG-0111', kind: 'validation', title: 'Account rule type invalid' },
  ACCOUNT_RULE_VALUE: { code: 'LDG-0112', kind: 'validation', title: 'Account rule value invalid' },
  NO_SOURCE_ROUTE: { code: 'LDG-0153', kind: 'validation', title: 'No source route' },
  NO_DESTINATION_ROUTE: { code: 'LDG-0154', kind: 'validation', title: 'No destination route' },
  TOO_MANY_OPERATION_ROUTES: {
    code: 'LDG-0158',
    kind: 'validation',
    title: 'Too many operation routes',
  },
  ENTRY_NOT_ALLOWED: { code: 'LDG-0162', kind: 'rule', title: 'Entry not allowed for direction' },
  HOLD_GROUP_INCOMPLETE: { code: 'LDG-0163', kind: 'rule', title: 'Hold group incomplete' },
  DIRECT_ENTRY_REQUIRED: { code: 'LDG-0164', kind: 'rule', title: 'Direct entry required' },
  REVERT_NOT_BIDIRECTIONAL: { code: 'LDG-0165', kind: 'rule', title: 'Revert needs bidirectional' },
  ENTRY_SIDE_REQUIRED: { code: 'LDG-0166', kind: 'rule', title: 'Entry side required' },
  ACCOUNT_RULE_DAMAGED: { code: 'LDG-0113', kind: 'rule', title: 'Stored account rule damaged' },
  TRANSACTION_ROUTE_REQUIRED: {
    code: 'LDG-0114',
    kind: 'rule',
    title: 'Transaction route required',
  },
  TRANSACTION_ROUTE_INVALID: {
    code: 'LDG-0115',
    kind: 'validation',
    title: 'Transaction route id invalid',
  },
  ROUTE_LEGS_DIFFER: { code: 'LDG-0116', kind: 'rule', title: 'Route legs do not match' },
  OUTSIDE_TEMPLATE: { code: 'LDG-0117', kind: 'rule', title: 'Operation route not in template' },
  ALIAS_RULE: { code: 'LDG-0118', kind: 'rule', title: 'Alias rule not met' },
  ACCOUNT_TYPE_RULE: { code: 'LDG-0119', kind: 'rule', title: 'Account type rule not met' },
  ROUTE_NOT_BIDIRECTIONAL: { code: 'LDG-0150', kind: 'rule', title: 'Route not bidirectional' },
  COUNTERPART_MISSING: { code: 'LDG-0151', kind: 'rule', title: 'Counterpart missing' },
  DIRECTION_AGAINST_ROUTE: { code: 'LDG-0152', kind: 'rule', title: 'Direction against route' },
  NO_OVERDRAFT_ENTRY: { code: 'LDG-0492', kind: 'rule', title: 'No overdraft entry on route' },
  NO_ROUTE_FOR_ACTION: { code: 'LDG-0157', kind: 'rule', title: 'No route for the action' },

  // Money
  VALUE_NOT_POSITIVE: { code: 'LDG-0125', kind: 'rule', title: 'Value must be positive' },
  LEG_QUANTITY: { code: 'LDG-0072', kind: 'validation', title: 'Leg must have one quantity' },
  TOTALS_DIFFER: { code: 'LDG-0073', kind: 'rule', title: 'Totals differ' },
  ACCOUNT_ON_BOTH_SIDES: { code: 'LDG-0090', kind: 'rule', title: 'Account on both sides' },
  ACCOUNTS_NOT_ELIGIBLE: { code: 'LDG-0019', kind: 'rule', title: 'Accounts not eligible' },
  ACCOUNT_CLOSED: { code: 'LDG-0519', kind: 'rule', title: 'Account closed' },
  ACCOUNT_BLOCKED: { code: 'LDG-0502', kind: 'rule', title: 'Account blocked' },
  EXCEPTION_NOT_USABLE: { code: 'LDG-0508', kind: 'rule', title: 'Exception not usable' },
  SIDE_NOT_PERMITTED: {
    code: 'LDG-0024',
    kind: 'rule',
    title: 'Balance does not permit this side',
  },
  INTERNAL_BALANCE: {
    code: 'LDG-0168',
    kind: 'rule',
    title: 'Internal balance not addressable',
  },
  OVERDRAFT_LIMIT: { code: 'LDG-0167', kind: 'rule', title: 'Overdraft limit exceeded' },
  INSUFFICIENT_FUNDS: { code: 'LDG-0018', kind: 'rule', title: 'Insufficient funds' },
  DATE_IN_FUTURE: { code: 'LDG-0121', kind: 'validation', title: 'Date in the future' },
  DATE_WITH_PENDING: {
    code: 'LDG-0122',
    kind: 'validation',
    title: 'Date not allowed on pending',
  },
  EXTERNAL_SOURCE_PENDING: {
    code: 'LDG-0098',
    kind: 'rule',
    title: 'External source cannot be pending',
  },
  STATUS_NOT_ALLOWED: { code: 'LDG-0099', kind: 'clash', title: 'Status does not allow this' },
  REVERTED_ALREADY: { code: 'LDG-0087', kind: 'clash', title: 'Reversal exists' },
  REVERSAL_OF_REVERSAL: { code: 'LDG-0088', kind: 'clash', title: 'Is itself a reversal' },
  LEGS_IN_SEVERAL_SCOPES: { code: 'LDG-0499', kind: 'rule', title: 'Legs in several scopes' },
  EXCEPTION_NOT_SUPPORTED: {
    code: 'LDG-0509',
    kind: 'validation',
    title: 'Exception not supported here',
  },
  BATCH_SIZE: { code: 'LDG-0513', kind: 'validation', title: 'Batch size' },
  BATCH_LEGS: { code: 'LDG-0514', kind: 'validation', title: 'Batch legs' },
  BATCH_TOO_LARGE: { code: 'LDG-0515', kind: 'rule', title: 'Batch expansion too large' },
  BATCH_STRUCTURE: { code: 'LDG-0516', kind: 'validation', title: 'Batch structure' },

  DSL_INVALID: { code: 'LDG-0048', kind: 'validation', title: 'DSL file not valid' },
  DSL_EMPTY: { code: 'LDG-0049', kind: 'validation', title: 'DSL file empty' },

  // Transactions over several ledgers
  CROSS_LEDGER_DISABLED: { code: 'LDG-0249', kind: 'rule', title: 'Cross-ledger not enabled' },
  GROUP_ASSETS: { code: 'LDG-0250', kind: 'rule', title: 'Group has several assets' },
  GROUP_ORGANIZATIONS: {
    code: 'LDG-0251',
    kind: 'rule',
    title: 'Cross-organization with routes',
  },
  GROUP_MEMBER: { code: 'LDG-0252', kind: 'rule', title: 'Group member needs v2' },
  GROUP_INCONSISTENT: { code: 'LDG-0253', kind: 'rule', title: 'Group inconsistent' },
  GROUP_FINISHED: { code: 'LDG-0254', kind: 'rule', title: 'Group already finished' },
  BRIDGE_ROUTE_MISSING: { code: 'LDG-0255', kind: 'rule', title: 'Bridge route missing' },
  BRIDGE_ROUTE_AMBIGUOUS: { code: 'LDG-0256', kind: 'rule', title: 'Bridge route ambiguous' },
  TRANSACTION_BUSY: { code: 'LDG-0486', kind: 'clash', title: 'Transaction busy' },
  ACCOUNT_HELD: { code: 'LDG-0526', kind: 'clash', title: 'Account held by another action' },

  // Repetition, load, dependencies
  IDEMPOTENCY_KEY_IN_USE: { code: 'LDG-0084', kind: 'clash', title: 'Idempotency key in use' },
  TOO_MANY_REQUESTS: { code: 'LDG-0900', kind: 'overload', title: 'Too many requests' },
  LIST_TOO_LARGE: { code: 'LDG-0531', kind: 'rule', title: 'List too large to read' },
  UNAVAILABLE: { code: 'LDG-0501', kind: 'unavailable', title: 'Dependency unavailable' },
  INTERNAL: { code: 'LDG-0046', kind: 'fault', title: 'Internal error' },
} as const satisfies Record<string, { code: string; kind: RefusalKind; title: string }>;

export type RefusalName = keyof typeof refusals;

/** The class of a cause; it decides the HTTP status (contract §1.8). */
export type RefusalKind =
  | 'validation'
  | 'unauthenticated'
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

/** One thing found wrong: where in the request, why, and the value that was there. */
export type Finding = Readonly<{ location: string; message: string; value?: unknown }>;

export type RefusalDetails = Readonly<{
  /** What happened here, in a sentence. */
  detail: string;
  /** The kind of resource it is about, when that is not the one the operation addresses. */
  entityType?: string;
  findings?: readonly Finding[];
  retryAfterSeconds?: number;
}>;

/** An expected "no". Nothing was appended. */
export class Refusal extends Error {
  readonly refusal: RefusalName;
  readonly details: RefusalDetails;
  constructor(refusal: RefusalName, details: RefusalDetails) {
    super(details.detail);
    this.name = 'Refusal';
    this.refusal = refusal;
    this.details = details;
  }

  /** The same as the whole sees it that it is a part of: every location below `place`. */
  within(place: string): Refusal {
    const { detail, findings = [{ location: '', message: detail }] } = this.details;
    const located = findings.map((found) => ({
      ...found,
      location: found.location === '' ? place : `${place}.${found.location}`,
    }));
    return new Refusal(this.refusal, { ...this.details, findings: located });
  }
}

/** Whether the same may be accepted when it is asked again, whatever is stored. */
export const isPassing = ({ refusal }: Refusal): boolean =>
  ['unavailable', 'overload', 'fault'].includes(refusals[refusal].kind);

export const refuse = (
  name: RefusalName,
  detail: string,
  more: Omit<RefusalDetails, 'detail'> = {},
): Refusal => new Refusal(name, { detail, ...more });
