import type { TokenClaims, VerifiedToken } from './token-verifier.ts';

/** An access token is for this API (RFC 9068); an id token tells a client about its user. */
export type IssuedTokenKind = 'access' | 'id';

/** The public part of a signing key, as a member of a JSON Web Key Set. */
export type PublicKey = Readonly<Record<string, unknown>>;

/** Signs the tokens that this program issues. Errors: Unavailable while there are no keys. */
export interface TokenSigner {
  /** Signs claims as a JWT, with the issuer added. */
  sign(claims: TokenClaims, kind: IssuedTokenKind): Promise<string>;
  /**
   * Reads a token of either kind that was issued here and may have expired. Undefined if the text is not a JWT. Errors:
   * TokenInvalid.
   */
  readIssued(token: string): Promise<VerifiedToken | undefined>;
  /** Returns the keys that verify, including those that will sign from tomorrow on. */
  publicKeys(): Promise<readonly PublicKey[]>;
}
