import { errors, type JWTPayload } from 'jose';
import type { Micros } from '#src/kernel/instant.ts';
import { TokenInvalid, type VerifiedToken } from '#src/ports/token-verifier.ts';

/** The claims of a JWT that was verified with a leeway of LEEWAY_S. */
export const verified = (claims: JWTPayload): VerifiedToken => ({
  claims,
  expiresAt: ((claims.exp! + LEEWAY_S) * 1e6) as Micros,
});

/** Turns an error of the library into TokenInvalid, and leaves others as they are. */
export const invalid = (error: unknown): unknown =>
  error instanceof errors.JOSEError ? new TokenInvalid(reasonOf(error)) : error;

/** Says what is wrong without repeating the token. */
function reasonOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed) {
    return `The claim ${error.claim} of the token is not acceptable.`;
  }
  if (error instanceof errors.JOSEAlgNotAllowed) {
    return 'The token is signed with an algorithm that is not accepted.';
  }
  if (KEY_ERRORS.some((kind) => error instanceof kind)) {
    return 'The token is signed with a key that the issuer does not have.';
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return 'The signature of the token is wrong.';
  }
  return 'The token is not a signed JWT.';
}

export const dateOf = (micros: Micros): Date => new Date(micros / 1000);

/** Clocks may differ by so many seconds. */
export const LEEWAY_S = 30;
const KEY_ERRORS = [errors.JWKSNoMatchingKey, errors.JOSENotSupported] as const;
