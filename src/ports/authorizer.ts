import type { Actor } from '#src/kernel/event-metadata.ts';
import type { Permission } from '#src/kernel/permission.ts';
import type { TokenClaims } from './token-verifier.ts';

/** The owner of a verified token. */
export type Principal = Readonly<{ actor: Actor; claims: TokenClaims }>;

/** A principal whose tenant was admitted; `tenantId` is the id that its events record. */
export type TenantPrincipal = Principal & Readonly<{ tenantId: string }>;

export interface Authorizer {
  /** The time in seconds for which a decision may be used again; Infinity if it depends on the token alone. */
  readonly decisionSeconds: number;
  /** Decides on a permission with its declared namespace. Errors: Unavailable, PermissionCheckFailed. */
  allows(
    caller: TenantPrincipal,
    permission: Permission,
    token: string,
  ): boolean | Promise<boolean>;
}

/** The service that decides on permissions refuses to do so; an operator must correct its settings or ours. */
export class PermissionCheckFailed extends Error {
  override readonly name = 'PermissionCheckFailed';
}
