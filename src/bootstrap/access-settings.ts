import type { Namespaces } from '#src/kernel/permission.ts';
import type { SettingReader } from '#src/kernel/setting-reader.ts';
import { groupsOf } from '#src/runtime/access/groups.ts';

/** Access management: whose tokens are accepted, and who decides on permissions (contract access §12). */
export type AccessSettings = Readonly<{
  issuer: string;
  jwksUrl: string | undefined;
  audience: string | undefined;
  claims: Readonly<{ client: string; type: string }>;
  decisions: DecisionSettings;
  namespaces: Namespaces;
}>;

type DecisionSettings =
  | Readonly<{ by: 'claims'; permissionsClaim: string; roleGroups: ReadonlyMap<string, string> }>
  | Readonly<{
      by: 'remote';
      address: string;
      serviceToken: string | undefined;
      decisionSeconds: number;
    }>
  | Readonly<{ by: 'none' }>;

/** Reads the settings of access management, whose names must all be read; undefined while it is off. */
export function readAccessSettings(
  reader: SettingReader,
  platform: string,
): AccessSettings | undefined {
  const { mistakes } = reader;
  const isOn = reader.flag('PLUGIN_AUTH_ENABLED');
  const address = urlIn(reader, 'PLUGIN_AUTH_ADDRESS') ?? urlIn(reader, 'PLUGIN_AUTH_HOST');
  const issuer = reader.text('OIDC_ISSUER') || address;
  const mode = reader.text('AUTHZ_MODE', address === undefined ? '' : 'remote');
  const core = reader.text('AUTH_CORE_NAMESPACE', platform);
  const settings = {
    jwksUrl: urlIn(reader, 'OIDC_JWKS_URL'),
    audience: reader.text('OIDC_AUDIENCE') || undefined,
    claims: {
      client: reader.text('OIDC_CLIENT_CLAIM', 'azp'),
      type: reader.text('OIDC_TYPE_CLAIM', 'type'),
    },
    namespaces: { core, isFolded: reader.choice('AUTH_NAMESPACES', ['split', 'core']) === 'core' },
  };
  const claims = {
    by: 'claims',
    permissionsClaim: reader.text('OIDC_PERMISSIONS_CLAIM', 'permissions'),
    roleGroups: roleGroupsIn(reader, core),
  } as const;
  const remote = {
    by: 'remote',
    address: address ?? '',
    serviceToken: reader.text('AUTH_SERVICE_TOKEN') || undefined,
    decisionSeconds: reader.integer('AUTH_CACHE_TTL', 0, 0, 86_400),
  } as const;
  if (reader.flag('MULTI_TENANT_ENABLED')) {
    mistakes.push('MULTI_TENANT_ENABLED=true is not supported: this release serves one tenant');
  }
  if (!isOn) return undefined;

  if (issuer === undefined) {
    mistakes.push(
      'PLUGIN_AUTH_ENABLED=true requires OIDC_ISSUER, the provider whose tokens are accepted, or PLUGIN_AUTH_ADDRESS',
    );
  } else if (!isHttpUrl(issuer)) {
    mistakes.push(`OIDC_ISSUER=${issuer} must be a URL with http or https`);
  }
  const decisions = [claims, remote, { by: 'none' } as const].find(({ by }) => by === mode);
  if (decisions === undefined) {
    mistakes.push(
      mode === ''
        ? 'PLUGIN_AUTH_ENABLED=true requires AUTHZ_MODE: claims, remote or none'
        : `AUTHZ_MODE=${mode} must be one of claims, remote, none`,
    );
  } else if (decisions.by === 'remote' && address === undefined) {
    mistakes.push('AUTHZ_MODE=remote requires PLUGIN_AUTH_ADDRESS');
  }
  return { ...settings, issuer: issuer ?? '', decisions: decisions ?? { by: 'none' } };
}

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
