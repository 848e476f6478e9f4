import type { IncomingHttpHeaders } from 'node:http';
import { isLoopbackName } from './allowed-hosts.ts';

/** The web pages that may read replies: all, those listed, or, by default, those of this machine. */
export type AllowedOrigins = '*' | 'loopback' | readonly string[];

/** Returns the headers of a reply to a request that came from a web page (contract ledger §1.2). */
export function corsHeaders(origin: string, allowed: AllowedOrigins): Record<string, string> {
  if (allowed === '*') return { 'Access-Control-Allow-Origin': '*', ...EXPOSED };
  return isAllowed(origin, allowed)
    ? { 'Access-Control-Allow-Origin': origin, Vary: 'Origin', ...EXPOSED }
    : VARY;
}

/** Returns the headers of the reply to a preflight; `wanted` are the headers that it names. */
export const preflightHeaders = (wanted: string | undefined): Record<string, string> => ({
  'Access-Control-Allow-Methods': 'GET,POST,HEAD,PUT,DELETE,PATCH',
  ...(wanted && { 'Access-Control-Allow-Headers': wanted }),
  'Access-Control-Max-Age': '600',
});

/**
 * Returns whether a write comes from another site, by its headers. Browsers send some such requests for any page
 * without a preflight: those with text or a form as body, and those without a body. Programs that are not browsers send
 * neither header.
 */
export function isCrossSiteWrite(
  method: string | undefined,
  headers: IncomingHttpHeaders,
  allowed: AllowedOrigins,
): boolean {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  if (origin === undefined && site === undefined) return false;
  if (allowed === '*' || SAFE_METHODS.has(method ?? '')) return false;
  if (origin !== undefined) return !isAllowed(origin, allowed);
  return site === 'cross-site' || site === 'same-site';
}

export const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

const isAllowed = (origin: string, allowed: Exclude<AllowedOrigins, '*'>): boolean =>
  allowed === 'loopback' ? isLoopback(origin) : allowed.includes(origin);

const isLoopback = (origin: string): boolean => {
  const url = URL.parse(origin);
  return url !== null && isLoopbackName(url.hostname);
};

const EXPOSED = {
  'Access-Control-Expose-Headers':
    'X-Request-Id, X-Consistency-Token, X-Idempotency-Replayed, X-Total-Count, X-Erasure-Certificate, Retry-After',
};
const VARY = { Vary: 'Origin' };
