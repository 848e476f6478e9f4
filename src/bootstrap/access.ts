import type { AddressInfo } from 'node:net';
import { oidcTokenVerifier } from '#src/adapters/oidc/token-verifier.ts';
import { remoteAuthorizer } from '#src/adapters/oidc/remote-authorizer.ts';
import { SigningKeys } from '#src/adapters/oidc/signing-keys.ts';
import { createTokenIssuer } from '#src/adapters/oidc/token-issuer.ts';
import { AccessCheck } from '#src/http/access-check.ts';
import { TenantCheck } from '#src/http/tenant-check.ts';
import type { Authorizer } from '#src/ports/authorizer.ts';
import type { Clock } from '#src/ports/clock.ts';
import type { Directories } from '#src/ports/directory.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { SecretStore } from '#src/ports/secret-store.ts';
import type { TenantDirectory } from '#src/ports/tenant-directory.ts';
import { claimsAuthorizer } from '#src/runtime/access/claims-authorizer.ts';
import { issuedTokenVerifier, type IssuedTokens } from '#src/runtime/access/issued-tokens.ts';
import { localAuthorizer } from '#src/runtime/access/policies.ts';
import { Revocations } from '#src/runtime/access/revocations.ts';
import type { AccessSettings } from './access-settings.ts';
import type { Settings } from './settings.ts';

type AccessPorts = Readonly<{
  secrets: () => Promise<SecretStore>;
  clock: Clock;
  /** The address at which the access routes are served, as soon as the server listens. */
  address: () => AddressInfo | undefined;
  /** Undefined while one tenant is served, and until the journal of tenants is read. */
  tenants: () => TenantDirectory | undefined;
}>;

export type AccessChecks = Readonly<{
  /** Undefined while access management is off. */
  access: AccessCheck | undefined;
  /** The check by tokens that are issued here. */
  ownAccess: AccessCheck;
  issued: IssuedTokens;
  /** Tokens that are issued here are refused until the directories are known. */
  open: (directories: Directories) => void;
}>;

/** Creates the checks of callers, and the issuer of tokens. */
export function createAccessChecks(
  { access: settings, issuer }: Pick<Settings, 'access' | 'issuer'>,
  { secrets, clock, address, tenants }: AccessPorts,
): AccessChecks {
  let known: Directories | undefined;
  const directories: Pick<Directories, 'of'> = {
    of(tenantId) {
      if (known === undefined) throw new Unavailable('The directory is not read yet');
      return known.of(tenantId);
    },
  };
  const { audience, accessSeconds, refreshSeconds, namespaces } = issuer;
  const issuerOf = (): string => issuer.issuer ?? urlOf(address());
  const keys = new SigningKeys({ secrets, clock });
  const signer = createTokenIssuer({ keys, issuer: issuerOf, audience, clock });
  const revocations = new Revocations({ secrets, clock, tokenSeconds: accessSeconds });
  const ownTenants =
    settings?.tenancy && new TenantCheck({ claim: OWN_TENANT_CLAIM, directory: tenants });
  const ownAccess = new AccessCheck({
    verifier: issuedTokenVerifier(signer, { directories, revocations }),
    authorizer: localAuthorizer(directories, namespaces),
    clock,
    claims: { client: 'azp', type: 'type' },
    tenants: ownTenants,
  });
  return {
    access: checkOf(settings, ownAccess, clock, tenants),
    ownAccess,
    issued: {
      ...{ signer, revocations, tenants: ownTenants, issuer: issuerOf },
      ...{ audience, accessSeconds, refreshSeconds },
    },
    open(opened) {
      known = opened;
    },
  };
}

function checkOf(
  settings: AccessSettings | undefined,
  ownAccess: AccessCheck,
  clock: Clock,
  directory: () => TenantDirectory | undefined,
): AccessCheck | undefined {
  if (settings === undefined) return undefined;
  const authorizer = authorizerOf(settings);
  if (authorizer === undefined) return ownAccess;
  const verifier = oidcTokenVerifier({ ...settings, clock });
  const { claims, tenancy } = settings;
  const tenants = tenancy && new TenantCheck({ claim: tenancy.claim, directory });
  return new AccessCheck({ verifier, authorizer, clock, claims, tenants });
}

/** The claim of tokens that are issued here, whatever OIDC_TENANT_CLAIM is. */
const OWN_TENANT_CLAIM = 'tenantId';

/** Returns undefined for the decisions of the own directories. */
function authorizerOf({ decisions, namespaces }: AccessSettings): Authorizer | undefined {
  switch (decisions.by) {
    case 'claims':
      return claimsAuthorizer({ ...decisions, namespaces });
    case 'remote':
      return remoteAuthorizer({ ...decisions, namespaces });
    case 'none':
      return { decisionSeconds: Infinity, allows: () => true };
    case 'local':
      return undefined;
  }
}

/** An address that stands for every one of the machine is not one to connect to. */
function urlOf(bound: AddressInfo | undefined): string {
  if (bound === undefined) throw new Unavailable('The server does not listen yet');
  const { address, port, family } = bound;
  const isAny = ['0.0.0.0', '::'].includes(address);
  const host = isAny ? 'localhost' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
}
