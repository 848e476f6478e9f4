/**
 * The headers of every reply. Browsers must not interpret a reply as anything else than its
 * Content-Type, must not run or load anything that it contains, must not show it inside another page, and must not tell
 * other sites its address. A page allows its own style by replacing the policy.
 */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  // Replies contain balances and personal data, which no cache may keep; a few say otherwise.
  'Cache-Control': 'no-store',
} as const;
