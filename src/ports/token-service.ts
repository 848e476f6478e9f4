import type { AccessPolicies } from './policies.ts';
import type { PublicKey } from './token-signer.ts';

/** The services of the handlers that issue tokens and decide by them. */
export type TokenServices = Readonly<{
  tokens: TokenService;
  policies: AccessPolicies;
  issuer: () => string;
  /** True while several tenants are served, of which the client of a login names one. */
  hasTenants: boolean;
  /** Returns the keys that verify tokens. Errors: Unavailable. */
  publicKeys: () => Promise<readonly PublicKey[]>;
}>;

/** The response to a login (contract access §3). */
export type TokenRecord = Readonly<{
  accessToken: string;
  /** For users only. */
  idToken?: string;
  tokenType: 'Bearer';
  /** In seconds. */
  expiresIn: number;
  refreshToken: string;
  scope: string;
}>;

/** A client that was authenticated, and its tenant by the id that the tenant's events record. */
export type TokenClient = Readonly<{ clientId: string; tenantId: string }>;

export type PasswordLogin = Readonly<{
  username: string;
  password: string;
  /** The client that the user logs in with. With several tenants, the user is one of its tenant. */
  client?: TokenClient;
  /** Repeated in the id token. */
  nonce?: string;
  /** The address of the connection. */
  address: string;
}>;

export type RefreshRequest = Readonly<{
  refreshToken: string;
  /** The client that was authenticated with the request; it must be that of the session. */
  clientId?: string;
  /** Words of the session's scope; by default, all of them. */
  scope?: string;
  /** The client that the request names; sessions of other tenants are none of its business. */
  client?: TokenClient;
  address: string;
}>;

/**
 * Issues tokens and ends their sessions. Errors: Unavailable; with several tenants TENANT_NOT_FOUND, TENANT_SUSPENDED and
 * TENANTS_UNAVAILABLE for that of the client or of the session, once either is verified.
 */
export interface TokenService {
  /** Returns undefined for an unknown client or a wrong secret. */
  clientOf(clientId: string, secret: string): Promise<TokenClient | undefined>;

  /** Returns undefined for a wrong user or password, or while the user is locked, which look alike. */
  byPassword(login: PasswordLogin): Promise<TokenRecord | undefined>;

  /** Issues tokens to a client that was authenticated; undefined if it no longer exists. */
  byClient(client: TokenClient): Promise<TokenRecord | undefined>;

  /** Returns a TokenRecord as JSON, the same text for the same request. */
  refresh(request: RefreshRequest): Promise<string | RefreshFault>;

  /** Ends the session of an access token or id token, which may have expired; more than once is as good as once. */
  end(token: string): Promise<'ended' | TokenFault>;
}

/** The refresh token is not accepted, or the scope has words that it does not grant. */
export type RefreshFault = Readonly<{ fault: 'token' | 'scope' }>;

/** The text is not a token, or not one that was issued here. */
export type TokenFault = 'unreadable' | 'invalid';
