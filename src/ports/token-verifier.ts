import type { Micros } from '#src/kernel/instant.ts';

/** The claims of a bearer token whose signature, issuer, audience and times were checked. */
export type VerifiedToken = Readonly<{
  claims: TokenClaims;
  /** From then on it is refused; the leeway for clocks is included. */
  expiresAt: Micros;
}>;
export type TokenClaims = Readonly<Record<string, unknown>>;

export interface TokenVerifier {
  /** Errors: TokenInvalid, KeysUnavailable. */
  verify(token: string): Promise<VerifiedToken>;
  /**
   * Returns whether a verified token of a tenant is refused by now, if its issuer can tell. `tenantId` is the id that the
   * tenant's events record. Errors: Unavailable.
   */
  isRevoked?(claims: TokenClaims, tenantId: string): boolean | Promise<boolean>;
}

/** The message says why, in words that its owner may read. */
export class TokenInvalid extends Error {
  override readonly name = 'TokenInvalid';
}

/** The keys of the issuer cannot be fetched, and those that are known are too old. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}
