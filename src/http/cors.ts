/** Which web pages may read our answers: all, those listed, or, by default, those of this machine. */
export type AllowedOrigins = '*' | 'loopback' | readonly string[];

/** The headers of an answer to a request that came from a web page (contract ledger §1.2). */
export function corsHeaders(origin: string, allowed: AllowedOrigins): Record<string, string> {
  if (allowed === '*') return { 'Access-Control-Allow-Origin': '*', ...EXPOSED };
  const known = allowed === 'loopback' ? isLoopback(origin) : allowed.includes(origin);
  return known ? { 'Access-Control-Allow-Origin': origin, Vary: 'Origin', ...EXPOSED } : VARY;
}

/** What a preflight asks for; `wanted` are the headers it names. */
export const preflightHeaders = (wanted: string | undefined): Record<string, string> => ({
  'Access-Control-Allow-Methods': 'GET,POST,HEAD,PUT,DELETE,PATCH',
  ...(wanted && { 'Access-Control-Allow-Headers': wanted }),
  'Access-Control-Max-Age': '600',
});

function isLoopback(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { hostname } = new URL(origin);
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  );
}

const EXPOSED = {
  'Access-Control-Expose-Headers':
    'X-Request-Id, X-Consistency-Token, X-Idempotency-Replayed, X-Total-Count, Retry-After',
};
const VARY = { Vary: 'Origin' };
