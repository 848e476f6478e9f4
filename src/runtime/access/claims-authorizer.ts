import { namespaceOf, type Namespaces } from '#src/kernel/permission.ts';
import type { Authorizer } from '#src/ports/authorizer.ts';
import type { TokenClaims } from '#src/ports/token-verifier.ts';
import { groupsOf } from './groups.ts';
import { isGranted } from './policies.ts';

export type ClaimsOptions = Readonly<{
  /** The claim with entries `namespace:resource:action`, in which `*` stands for every word. */
  permissionsClaim: string;
  /** The groups that roles of the provider stand for, by role. */
  roleGroups: ReadonlyMap<string, string>;
  namespaces: Namespaces;
}>;

/** Reads permissions from the claims of tokens, for providers that know nothing of ours (contract access §12). */
export function claimsAuthorizer({
  permissionsClaim,
  roleGroups,
  namespaces,
}: ClaimsOptions): Authorizer {
  const groups = groupsOf(namespaces.core);
  return {
    decisionSeconds: Infinity,
    allows({ claims }, permission) {
      const asked = [namespaceOf(permission, namespaces), permission.resource, permission.action];
      return (
        wordsIn(claims[permissionsClaim]).some((entry) => isListed(entry, asked)) ||
        rolesIn(claims).some((role) => {
          const group = groups.get(roleGroups.get(role) ?? '');
          return group !== undefined && isGranted(group, permission, asked[0]!);
        })
      );
    },
  };
}

function isListed(entry: string, asked: readonly string[]): boolean {
  const words = entry.split(':');
  return (
    words.length === asked.length && words.every((word, n) => word === '*' || word === asked[n])
  );
}

/** Roles are in `roles` or `groups`; Keycloak has them in `realm_access.roles`. */
function rolesIn({ roles, groups, realm_access: realm }: TokenClaims): readonly string[] {
  const ofRealm = (realm as Readonly<{ roles?: unknown }> | null | undefined)?.roles;
  return [roles, groups, ofRealm].flatMap(wordsIn);
}

/** A claim is a list of texts, or one text with spaces between its words. */
function wordsIn(claim: unknown): readonly string[] {
  if (typeof claim === 'string') return claim.split(' ').filter((word) => word !== '');
  if (!Array.isArray(claim)) return [];
  return claim.filter((word) => typeof word === 'string');
}
