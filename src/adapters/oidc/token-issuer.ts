import { decodeProtectedHeader, errors, jwtVerify, SignJWT, type JWTHeaderParameters } from 'jose';
import type { Clock } from '#src/ports/clock.ts';
import type { IssuedTokenKind, TokenSigner } from '#src/ports/token-signer.ts';
import type { TokenVerifier } from '#src/ports/token-verifier.ts';
import type { SigningKeys } from './signing-keys.ts';
import { dateOf, invalid, LEEWAY_S, verified } from './verification.ts';

export type TokenIssuerOptions = Readonly<{
  keys: SigningKeys;
  /** The issuer, whose address may be known only once the server listens. */
  issuer: () => string;
  /** Required of every access token, if set. */
  audience?: string | undefined;
  clock: Clock;
}>;

/**
 * Signs tokens and verifies access tokens that were signed here. The type in the header keeps an id token, which clients
 * hand around, from being taken for an access token.
 */
export function createTokenIssuer({
  keys,
  issuer,
  audience,
  clock,
}: TokenIssuerOptions): TokenSigner & TokenVerifier {
  const keyOf = async ({ kid }: JWTHeaderParameters) => {
    const key = kid === undefined ? undefined : await keys.find(kid);
    if (key === undefined) throw new errors.JWKSNoMatchingKey();
    return key;
  };
  const options = () => ({ issuer: issuer(), algorithms: ['RS256'] });

  return {
    async sign(claims, kind) {
      const { kid, privateKey } = await keys.current();
      return new SignJWT({ iss: issuer(), ...claims })
        .setProtectedHeader({ alg: 'RS256', kid, typ: TYPES[kind] })
        .sign(privateKey);
    },

    async verify(token) {
      try {
        const { payload } = await jwtVerify(token, keyOf, {
          ...options(),
          ...(audience !== undefined && { audience }),
          typ: TYPES.access,
          clockTolerance: LEEWAY_S,
          requiredClaims: ['exp', 'jti', 'sid'],
          currentDate: dateOf(clock.now()),
        });
        return verified(payload);
      } catch (error) {
        throw invalid(error);
      }
    },

    async readIssued(token) {
      try {
        decodeProtectedHeader(token);
      } catch {
        return undefined;
      }
      try {
        const { payload } = await jwtVerify(token, keyOf, {
          ...options(),
          requiredClaims: ['exp', 'sid'],
          currentDate: new Date(0), // Its times do not matter; `nbf` is tolerated below.
          clockTolerance: Number.MAX_SAFE_INTEGER,
        });
        return verified(payload);
      } catch (error) {
        throw invalid(error);
      }
    },

    publicKeys: () => keys.publicKeys(),
  };
}

const TYPES: Readonly<Record<IssuedTokenKind, string>> = { access: 'at+jwt', id: 'JWT' };
