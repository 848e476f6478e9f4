import { hostFault } from './address-guard.ts';

/** The parts of a target's address that connections are made from. */
export type TargetUrl = Readonly<{
  url: URL;
  /** Without the brackets of an IPv6 address. */
  host: string;
}>;

/**
 * Reads the URL of a target. Undefined if it is not one of the schemes, or if its host is not spelled the way it is
 * read, has user info or a fragment: parsers disagree on such URLs, so a check by one protects none of the others.
 */
export function readTargetUrl(text: string, schemes: readonly string[]): TargetUrl | undefined {
  const url = URL.parse(text);
  if (url === null || !schemes.includes(url.protocol.slice(0, -1))) return undefined;
  const [, written = ''] = AUTHORITY.exec(text) ?? [];
  const host = written.replace(/^\[(.*)\]$/, '$1');
  const isAsRead = written.toLowerCase() === url.hostname || isSameV6(written, url.hostname);
  if (!isAsRead || hostFault(host) !== undefined) return undefined;
  return { url, host };
}

/** Printable ASCII without user info and fragment; the host is captured. */
const AUTHORITY =
  /^[a-z+]+:\/\/([^/?#\\@:[\]\s]+|\[[0-9a-f.:]+\])(?::\d{1,5})?(?:[/?](?:(?![\\#])[!-~])*)?$/i;

/** URLs write IPv6 addresses in their shortest form; others are as good. */
const isSameV6 = (written: string, read: string): boolean =>
  URL.parse(`http://${written}/`)?.hostname === read && written.startsWith('[');
