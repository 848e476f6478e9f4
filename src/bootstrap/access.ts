import { oidcTokenVerifier } from '#src/adapters/oidc/token-verifier.ts';
import { remoteAuthorizer } from '#src/adapters/oidc/remote-authorizer.ts';
import { AccessCheck } from '#src/http/access-check.ts';
import type { Authorizer } from '#src/ports/authorizer.ts';
import type { Clock } from '#src/ports/clock.ts';
import { claimsAuthorizer } from '#src/runtime/access/claims-authorizer.ts';
import type { AccessSettings } from './access-settings.ts';

/** Creates the check of callers; undefined while access management is off. */
export function createAccessCheck(
  settings: AccessSettings | undefined,
  clock: Clock,
): AccessCheck | undefined {
  if (settings === undefined) return undefined;
  const verifier = oidcTokenVerifier({ ...settings, clock });
  const { claims } = settings;
  return new AccessCheck({ verifier, authorizer: authorizerOf(settings), clock, claims });
}

function authorizerOf({ decisions, namespaces }: AccessSettings): Authorizer {
  switch (decisions.by) {
    case 'claims':
      return claimsAuthorizer({ ...decisions, namespaces });
    case 'remote':
      return remoteAuthorizer({ ...decisions, namespaces });
    case 'none':
      return { decisionSeconds: Infinity, allows: () => true };
  }
}
