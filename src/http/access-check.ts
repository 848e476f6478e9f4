import { hash } from 'node:crypto';
import { Refusal, refuse } from '#src/kernel/errors.ts';
import type { Actor } from '#src/kernel/event-metadata.ts';
import type { Micros } from '#src/kernel/instant.ts';
import { isForAnyCaller, type Permission } from '#src/kernel/permission.ts';
import { SINGLE_TENANT } from '#src/kernel/tenant.ts';
import { PermissionCheckFailed, type Authorizer, type Principal } from '#src/ports/authorizer.ts';
import type { Clock } from '#src/ports/clock.ts';
import { Unavailable } from '#src/ports/errors.ts';
import {
  KeysUnavailable,
  TokenInvalid,
  type TokenClaims,
  type TokenVerifier,
} from '#src/ports/token-verifier.ts';
import type { TenantCheck } from './tenant-check.ts';

export type AccessCheckOptions = Readonly<{
  verifier: TokenVerifier;
  authorizer: Authorizer;
  clock: Clock;
  /** The claim that names the client, and the one that says `application` for tokens of applications. */
  claims: Readonly<{ client: string; type: string }>;
  /** Undefined while one tenant is served. */
  tenants: TenantCheck | undefined;
}>;

/** A caller that may do what it asked for, until its token expires, and the tenant id that its events record. */
export type Admitted = Readonly<{ actor: Actor; tenantId: string; expiresAt: Micros }>;

/** The check in front of every operation: who asks, and whether that is permitted (contract access §12). */
export class AccessCheck {
  readonly #options: AccessCheckOptions;
  /** By the hash of the token, in the order of their verification. */
  readonly #known = new Map<string, KnownPrincipal>();

  constructor(options: AccessCheckOptions) {
    this.#options = options;
  }

  /**
   * Returns the caller, at once if its token was verified before and the decision is known. Errors: TOKEN_MISSING,
   * TOKEN_INVALID, TOKEN_WITHOUT_SUBJECT, PRIVILEGES_INSUFFICIENT, KEYS_UNAVAILABLE, PERMISSION_CHECK_FAILED, UNAVAILABLE; with several
   * tenants, those of TenantCheck.
   */
  admit(authorization: string | undefined, permission: Permission): Admitted | Promise<Admitted> {
    const token = tokenIn(authorization);
    const tokenHash = hash('sha256', token, 'base64url');
    const known = this.#known.get(tokenHash);
    if (known !== undefined && this.#options.clock.now() < known.knownUntil) {
      return this.#entered(known, permission, token);
    }
    return this.#admitNew(token, tokenHash, permission);
  }

  async #admitNew(token: string, tokenHash: string, permission: Permission): Promise<Admitted> {
    const caller = await this.#verified(token);
    if (this.#known.size >= KNOWN_MAX) {
      for (const oldest of this.#known.keys()) {
        this.#known.delete(oldest);
        break;
      }
    }
    this.#known.set(tokenHash, caller);
    return this.#entered(caller, permission, token);
  }

  /** Checks the tenant, then whether the token was revoked there, then the permission. */
  #entered(
    caller: KnownPrincipal,
    permission: Permission,
    token: string,
  ): Admitted | Promise<Admitted> {
    const { tenants, verifier } = this.#options;
    const { actor, claims, expiresAt } = caller;
    const admit = (tenantId: string): Admitted | Promise<Admitted> => {
      const permitted = (isRevoked = false): Admitted | Promise<Admitted> => {
        if (isRevoked) throw refuse('TOKEN_INVALID', 'The token was revoked.');
        const admitted = { actor, tenantId, expiresAt };
        return (
          this.#permitted(caller, tenantId, permission, token)?.then(() => admitted) ?? admitted
        );
      };
      const isRevoked = verifier.isRevoked?.(claims, tenantId);
      return isRevoked instanceof Promise ? isRevoked.then(permitted) : permitted(isRevoked);
    };
    const tenantId = tenants?.admit(claims) ?? SINGLE_TENANT;
    return tenantId instanceof Promise ? tenantId.then(admit) : admit(tenantId);
  }

  /** Returns whether the tenant was suspended since it was admitted. */
  isSuspended(tenantId: string): boolean {
    return this.#options.tenants?.isSuspended(tenantId) === true;
  }

  async #verified(token: string): Promise<KnownPrincipal> {
    try {
      const { claims, expiresAt } = await this.#options.verifier.verify(token);
      const knownUntil = Math.min(expiresAt, this.#options.clock.now() + KNOWN_MICROS) as Micros;
      return { actor: this.#actorIn(claims), claims, expiresAt, knownUntil, decisions: new Map() };
    } catch (error) {
      if (error instanceof TokenInvalid) throw refuse('TOKEN_INVALID', error.message);
      if (error instanceof KeysUnavailable) {
        throw refuse('KEYS_UNAVAILABLE', 'The keys of the issuer cannot be fetched.');
      }
      throw error;
    }
  }

  #actorIn(claims: TokenClaims): Actor {
    const { client, type } = this.#options.claims;
    const id = textIn(claims['sub']);
    if (id === undefined) throw refuse('TOKEN_WITHOUT_SUBJECT', 'The token names no subject.');
    const clientId = textIn(claims[client] ?? claims['client_id']); // The latter by RFC 9068.
    const isApplication =
      claims[type] === undefined ? id === clientId : claims[type] === 'application';
    return {
      type: isApplication ? 'application' : 'user',
      id,
      ...(clientId !== undefined && { clientId }),
    };
  }

  /** Returns a promise if the decision has to be waited for. Errors: PRIVILEGES_INSUFFICIENT and those of `admit`. */
  #permitted(
    caller: KnownPrincipal,
    tenantId: string,
    permission: Permission,
    token: string,
  ): Promise<void> | undefined {
    const { authorizer, clock } = this.#options;
    const { decisions } = caller;
    if (isForAnyCaller(permission)) return undefined;
    const decision = decisions.get(permission);
    if (decision !== undefined && clock.now() < decision.until) {
      requireAllowed(decision.isAllowed, caller, permission);
      return undefined;
    }
    const decided = (isAllowed: boolean): void => {
      const until = clock.now() + authorizer.decisionSeconds * 1e6;
      decisions.set(permission, { isAllowed, until });
      requireAllowed(isAllowed, caller, permission);
    };
    const { actor, claims } = caller;
    const isAllowed = authorizer.allows({ actor, claims, tenantId }, permission, token);
    if (typeof isAllowed !== 'boolean') return isAllowed.then(decided, failed);
    decided(isAllowed);
    return undefined;
  }
}

type KnownPrincipal = Principal &
  Readonly<{
    expiresAt: Micros;
    /** From then on the token is verified again, because its key may have been withdrawn. */
    knownUntil: Micros;
    decisions: Map<Permission, PermissionDecision>;
  }>;
type PermissionDecision = Readonly<{ isAllowed: boolean; until: number }>;

function requireAllowed(isAllowed: boolean, { actor }: Principal, permission: Permission): void {
  if (!isAllowed) throw new PermissionRefused(actor, permission);
}

/** Carries the actor to those who keep refused requests. */
export class PermissionRefused extends Refusal {
  readonly actor: Actor;
  constructor(actor: Actor, { resource, action }: Permission) {
    super('PRIVILEGES_INSUFFICIENT', { detail: `The permission ${resource}:${action} is needed.` });
    this.actor = actor;
  }
}

function failed(error: unknown): never {
  if (error instanceof PermissionCheckFailed) {
    throw refuse('PERMISSION_CHECK_FAILED', `${error.message}.`);
  }
  if (error instanceof Unavailable) {
    throw new Refusal('UNAVAILABLE', { detail: `${error.message}.`, retryAfterSeconds: 1 });
  }
  throw error;
}

/** Existing clients send the bare token, too. Errors: TOKEN_MISSING. */
export function tokenIn(authorization = ''): string {
  const [, token = ''] = /^(?:bearer +)?([^ ]*) *$/i.exec(authorization) ?? [];
  if (token === '') throw refuse('TOKEN_MISSING', 'A bearer token is needed.');
  return token;
}

/** A subject and a client have at most 255 characters (OpenID Connect Core §2). */
const textIn = (claim: unknown): string | undefined =>
  typeof claim === 'string' && claim !== '' && claim.length <= 255 ? claim : undefined;

const KNOWN_MAX = 10_000;
const KNOWN_MICROS = 600_000_000;
