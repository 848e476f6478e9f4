import { platformRefusals, type PlatformRefusalName } from '#src/kernel/errors.ts';

/**
 * Returns the codes of access routes by their word, `AUT` or `IDE`: those that the contract lists (access §13), and the number
 * of every other check. A route whose word is not that of its component declares them as its own `codes`.
 */
export function accessCodes(
  word: 'AUT' | 'IDE',
  numbers: Readonly<Partial<Record<PlatformRefusalName, string>>>,
): Readonly<Record<string, string>> {
  const kept = KEPT.map((name) => [name, platformRefusals[name].code.slice(-4)] as const);
  return Object.fromEntries(
    [...kept, ...Object.entries(numbers)].map(([name, number]) => [name, `${word}-${number}`]),
  );
}

/** Requests that are refused before their route is known get the codes of the platform. */
const KEPT = [
  ...(['TOKEN_WITHOUT_SUBJECT', 'PRIVILEGES_INSUFFICIENT', 'PERMISSION_CHECK_FAILED'] as const),
  ...(['KEYS_UNAVAILABLE', 'METHOD_NOT_ALLOWED', 'TOO_LARGE', 'TOO_DEEP'] as const),
  ...(['TOO_MANY_REQUESTS', 'LIST_TOO_LARGE', 'UNAVAILABLE'] as const),
  ...(['TENANT_NOT_PROVISIONED', 'TENANT_SUSPENDED', 'TENANT_NOT_FOUND'] as const),
  ...(['TENANTS_UNAVAILABLE'] as const),
] satisfies readonly PlatformRefusalName[];

/** The codes of tokens and permissions. */
export const tokenCodes = accessCodes('AUT', {
  REQUIRED_FIELDS: '0001',
  PATH_INVALID: '0002',
  QUERY_INVALID: '0004',
  INTERNAL: '0005',
  TOKEN_MISSING: '0006',
  TOKEN_INVALID: '0007',
  PERMISSION_CHECK_FAILED: '0008',
  BODY_UNREADABLE: '0009',
  MALFORMED_FIELD: '0009',
  UNEXPECTED_FIELDS: '0009',
  TOKEN_WITHOUT_SUBJECT: '1003',
});

/** The codes of users, groups and applications. */
export const identityCodes = accessCodes('IDE', {
  REQUIRED_FIELDS: '0001',
  MALFORMED_FIELD: '0002',
  PATH_INVALID: '0003',
  UNEXPECTED_FIELDS: '0004',
  QUERY_INVALID: '0005',
  LIMIT_TOO_HIGH: '0005',
  SORT_ORDER_INVALID: '0005',
  BOTH_DATES_NEEDED: '0005',
  DATE_FORMAT: '0005',
  END_BEFORE_START: '0005',
  WINDOW_TOO_LONG: '0005',
  INTERNAL: '0006',
  BODY_UNREADABLE: '0007',
  TOKEN_MISSING: '0008',
  TOKEN_INVALID: '0009',
});
