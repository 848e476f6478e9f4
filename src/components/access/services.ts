import type { AccessServices } from '#commands/access/processes/services.ts';
import type { TokenServices } from '#src/ports/token-service.ts';
import type { PlatformFacts } from '#src/components/component.ts';
import { groupsOf } from '#src/runtime/access/groups.ts';
import { createCredentials } from '#src/runtime/access/credentials.ts';
import { createPolicies } from '#src/runtime/access/policies.ts';
import { Sessions } from '#src/runtime/access/sessions.ts';
import { createTokenService } from '#src/runtime/access/token-service.ts';
import type { AccessComponentSettings } from './settings.ts';

/** Creates the services of users, groups and applications. */
export function createServices(
  { platform, exposesClientSecrets }: AccessComponentSettings,
  { directories, protection, issued, ids, ...sources }: PlatformFacts,
): AccessServices & TokenServices {
  const credentials = createCredentials({ ...sources, exposesClientSecrets });
  const sessions = new Sessions({ ...sources, refreshSeconds: issued.refreshSeconds });
  return {
    tokens: createTokenService({
      ...{ directories, credentials, sessions, issued },
      ...{ ids, clock: sources.clock },
    }),
    policies: createPolicies(platform, issued.tenants),
    issuer: issued.issuer,
    hasTenants: issued.tenants !== undefined,
    publicKeys: () => issued.signer.publicKeys(),
    directories,
    protection,
    credentials,
    groups: [...groupsOf(platform).keys()],
    products: [platform, ...PRODUCTS],
  };
}

/** The products besides the platform that applications are created for (contract access §8). */
const PRODUCTS = [
  ...['plugin-fees', 'plugin-crm', 'plugin-identity', 'routing', 'companion', 'streaming'],
];
