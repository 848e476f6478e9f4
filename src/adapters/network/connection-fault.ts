import { AddressRefused } from './address-guard.ts';

/** Tells faults of the address or of TLS, as Node reports them, from others. */
export function connectionFault(error: unknown): 'address_refused' | 'tls_error' | undefined {
  const code = codeOf(error);
  if (error instanceof AddressRefused || code === AddressRefused.CODE) return 'address_refused';
  return TLS.test(code) ? 'tls_error' : undefined;
}

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

/** The codes of Node and OpenSSL for handshakes and certificates. */
const TLS =
  /^(ERR_SSL_|ERR_TLS_|EPROTO$|UNABLE_TO_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH)/;
