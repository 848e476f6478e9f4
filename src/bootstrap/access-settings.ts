import type { Namespaces } from '#src/kernel/permission.ts';
import type { RateLimitSettings } from '#src/http/rate-limits.ts';
import type { SettingReader } from '#src/kernel/setting-reader.ts';
import { isTenantId } from '#src/kernel/tenant.ts';
import { groupsOf } from '#src/runtime/access/groups.ts';

/** Access management: whose tokens are accepted, and who decides on permissions (contract access §12). */
export type AccessSettings = Readonly<{
  issuer: string;
  jwksUrl: string | undefined;
  audience: string | undefined;
  claims: Readonly<{ client: string; type: string }>;
  /** Undefined while one tenant is served. */
  tenancy: TenancySettings | undefined;
  decisions: DecisionSettings;
  namespaces: Namespaces;
}>;

export type TenancySettings = Readonly<{
  /** The claim that names the tenant. */
  claim: string;
  /** The tenant that owns what was recorded before there were several; undefined if none was named. */
  defaultTenant: string | undefined;
}>;

type DecisionSettings =
  | Readonly<{ by: 'claims'; permissionsClaim: string; roleGroups: ReadonlyMap<string, string> }>
  | Readonly<{
      by: 'remote';
      address: string;
      serviceToken: string | undefined;
      decisionSeconds: number;
    }>
  /** The directory of this process, about tokens that are issued here. */
  | Readonly<{ by: 'local' }>
  | Readonly<{ by: 'none' }>;

/** The tokens that are issued here, and what their subjects may do. */
export type IssuerSettings = Readonly<{
  namespaces: Namespaces;
  /** By default, the address at which the access routes are served. */
  issuer: string | undefined;
  audience: string | undefined;
  /** The life of an access token and of a refresh token. */
  accessSeconds: number;
  refreshSeconds: number;
  rateLimits: RateLimitSettings;
}>;

/** Reads the settings of tokens that are issued here, whether access management is on or off. */
export function readIssuerSettings(
  reader: SettingReader,
  platform: string,
  access: AccessSettings | undefined,
): IssuerSettings {
  const isOwn = access === undefined || access.decisions.by === 'local';
  const rate = (name: string, fallback: number): number =>
    reader.integer(`AUTH_RATE_LIMIT_${name}`, fallback, 1, 1_000_000);
  return {
    namespaces: namespacesIn(reader, platform),
    issuer: isOwn ? urlIn(reader, 'OIDC_ISSUER') : undefined,
    audience: reader.text('OIDC_AUDIENCE') || undefined,
    accessSeconds: reader.integer('AUTH_ACCESS_TTL_S', 3600, 1, 86_400),
    refreshSeconds: reader.integer('AUTH_REFRESH_TTL_S', 86_400, 1, 2_592_000),
    rateLimits: {
      limits: {
        general: rate('GENERAL', 100),
        token: rate('TOKEN', 10),
        permissions: rate('PERMISSIONS', 60),
      },
      serviceToken: reader.text('AUTH_SERVICE_TOKEN') || undefined,
    },
  };
}

/** Reads the settings of access management, whose names must all be read; undefined while it is off. */
export function readAccessSettings(
  reader: SettingReader,
  platform: string,
): AccessSettings | undefined {
  const { mistakes } = reader;
  const isOn = reader.flag('PLUGIN_AUTH_ENABLED');
  const address = urlIn(reader, 'PLUGIN_AUTH_ADDRESS') ?? urlIn(reader, 'PLUGIN_AUTH_HOST');
  const issuer = reader.text('OIDC_ISSUER') || address;
  const jwksUrl = urlIn(reader, 'OIDC_JWKS_URL');
  const isAlone = issuer === undefined && jwksUrl === undefined;
  const mode = reader.text('AUTHZ_MODE', address ? 'remote' : isAlone ? 'local' : '');
  const namespaces = namespacesIn(reader, platform);
  const settings = {
    jwksUrl,
    audience: reader.text('OIDC_AUDIENCE') || undefined,
    claims: {
      client: reader.text('OIDC_CLIENT_CLAIM', 'azp'),
      type: reader.text('OIDC_TYPE_CLAIM', 'type'),
    },
    namespaces,
  };
  const claims = {
    by: 'claims',
    permissionsClaim: reader.text('OIDC_PERMISSIONS_CLAIM', 'permissions'),
    roleGroups: roleGroupsIn(reader, namespaces.core),
  } as const;
  const remote = {
    by: 'remote',
    address: address ?? '',
    serviceToken: reader.text('AUTH_SERVICE_TOKEN') || undefined,
    decisionSeconds: reader.integer('AUTH_CACHE_TTL', 0, 0, 86_400),
  } as const;
  const tenancy = tenancyIn(reader, isOn);
  if (!isOn) return undefined;

  if (issuer === undefined && mode !== 'local') {
    mistakes.push(
      `AUTHZ_MODE=${mode} requires OIDC_ISSUER, the provider whose tokens are accepted, or PLUGIN_AUTH_ADDRESS`,
    );
  } else if (issuer !== undefined && !isHttpUrl(issuer)) {
    mistakes.push(`OIDC_ISSUER=${issuer} must be a URL with http or https`);
  }
  if (mode === 'local' && (jwksUrl ?? address) !== undefined) {
    mistakes.push(
      'AUTHZ_MODE=local accepts the tokens that are issued here: leave out OIDC_JWKS_URL and PLUGIN_AUTH_ADDRESS',
    );
  }
  const modes = [{ by: 'local' }, claims, remote, { by: 'none' }] as const;
  const decisions = modes.find(({ by }) => by === mode);
  if (decisions === undefined) {
    mistakes.push(
      mode === ''
        ? 'PLUGIN_AUTH_ENABLED=true requires AUTHZ_MODE: local, claims, remote or none'
        : `AUTHZ_MODE=${mode} must be one of local, claims, remote, none`,
    );
  } else if (decisions.by === 'remote' && address === undefined) {
    mistakes.push('AUTHZ_MODE=remote requires PLUGIN_AUTH_ADDRESS');
  }
  return { ...settings, issuer: issuer ?? '', tenancy, decisions: decisions ?? { by: 'none' } };
}

function tenancyIn(reader: SettingReader, hasTokens: boolean): TenancySettings | undefined {
  const isOn = reader.flag('MULTI_TENANT_ENABLED');
  const claim = reader.text('OIDC_TENANT_CLAIM', 'tenantId');
  const defaultTenant = reader.text('DEFAULT_TENANT') || undefined;
  if (!isOn) return undefined;
  if (!hasTokens) {
    reader.mistakes.push(
      'MULTI_TENANT_ENABLED=true requires PLUGIN_AUTH_ENABLED=true: a token names the tenant',
    );
  }
  if (defaultTenant !== undefined && !isTenantId(defaultTenant)) {
    reader.mistakes.push(
      `DEFAULT_TENANT=${defaultTenant} must be the id of a tenant: up to 128 letters, digits, dots, dashes and ` +
        'underscores, and not default',
    );
  }
  return { claim, defaultTenant };
}

const namespacesIn = (reader: SettingReader, platform: string): Namespaces => ({
  core: reader.text('AUTH_CORE_NAMESPACE', platform),
  isFolded: reader.choice('AUTH_NAMESPACES', ['split', 'core']) === 'core',
});

/** Reads `role=group` pairs with commas between them. */
function roleGroupsIn(reader: SettingReader, core: string): ReadonlyMap<string, string> {
  const groups = groupsOf(core);
  const pairs = reader.text('OIDC_ROLE_MAP').split(',').map((pair) => pair.trim()); // prettier-ignore
  return new Map(
    pairs
      .filter((pair) => pair !== '')
      .map((pair) => {
        const [role = '', group = '', ...more] = pair.split('=').map((part) => part.trim());
        if (role === '' || more.length > 0 || !groups.has(group)) {
          reader.mistakes.push(
            `OIDC_ROLE_MAP: ${pair} must be role=group with one of the groups ${[...groups.keys()].join(', ')}`,
          );
        }
        return [role, group];
      }),
  );
}

/** Reads an address without its trailing slashes. */
function urlIn(reader: SettingReader, name: string): string | undefined {
  const text = reader.text(name);
  if (text === '') return undefined;
  if (!isHttpUrl(text)) reader.mistakes.push(`${name}=${text} must be a URL with http or https`);
  return text.replace(/\/+$/, '');
}

const isHttpUrl = (text: string): boolean =>
  ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? '');
