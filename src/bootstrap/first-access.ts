import { isIdentityTaken } from '#commands/access/processes/claims.ts';
import { createFirstAccess, type FirstAccess } from '#commands/access/processes/first-access.ts';
import type { AccessFact } from '#commands/access/access.ts';
import { accessServices } from '#commands/access/processes/services.ts';
import { accessJournal } from '#src/kernel/journal-name.ts';
import { SINGLE_TENANT } from '#src/kernel/tenant.ts';
import type { AccessComponentSettings } from '#src/components/access/settings.ts';
import type { Journals } from '#src/journal/journals.ts';
import type { ProcessServices } from '#src/journal/process.ts';
import { createSteps } from '#src/journal/steps.ts';
import type { Ids } from '#src/ports/ids.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import { SettingsError, type Settings } from './settings.ts';
import type { TenantAccess } from './tenant-control.ts';
import type { ServedTenants } from './tenants.ts';

export type FirstAccessPorts = Readonly<{
  journals: Journals;
  components: ProcessServices;
  ids: Ids;
  scheduler: Scheduler;
}>;

/**
 * Returns the first administrator and application of the settings, for whom there must be a tenant. Errors: SettingsError
 * while several tenants are served and DEFAULT_TENANT was never named.
 */
export function firstAccessIn(
  { components }: Pick<Settings, 'components'>,
  tenants: ServedTenants | undefined,
): FirstAccess | undefined {
  const { first } = components['access'] as AccessComponentSettings;
  if (first === undefined || tenants === undefined) return first;
  if (tenants.tenancy.defaultTenant !== undefined) return first;
  throw new SettingsError([
    'ACCESS_ADMIN_USERNAME and the like require DEFAULT_TENANT, the tenant of the administrator; ' +
      'those of other tenants are for quipu tenant add',
  ]);
}

/**
 * Lets a deployment begin with the administrator and the application of its settings. They belong to the default tenant if
 * there are several. Errors: SettingsError, Refusal, Unavailable.
 */
export async function beginDeployment(
  first: FirstAccess,
  tenants: ServedTenants | undefined,
  ports: FirstAccessPorts,
): Promise<void> {
  const owner = tenants?.tenancy.defaultTenant;
  if (owner !== undefined) await tenants?.directory.use(owner);
  try {
    await beginAccess(SINGLE_TENANT, first, ports);
  } catch (error) {
    if (!isIdentityTaken(error)) throw error;
    throw new SettingsError([`ACCESS_ADMIN_USERNAME and the like: ${error.message}`]);
  }
}

/**
 * Lets a tenant begin with an administrator and an application; `tenantId` is the id that its events record. Returns false if
 * it has an administrator. Errors: Refusal, Unavailable.
 */
async function beginAccess(
  tenantId: string,
  first: FirstAccess,
  { journals, components, ids, scheduler }: FirstAccessPorts,
): Promise<boolean> {
  const services = accessServices(components);
  const context = { actor: START, tenantId, requestId: ids.next() };
  const steps = createSteps(journals, { context, key: undefined }, { ids, scheduler });
  const fact = (name: Parameters<Journals['fact']>[0]) => journals.fact(name, tenantId);
  const isNew = await createFirstAccess({ ...steps, fact }, services, first);
  await (await services.directories.of(tenantId)).reached();
  return isNew;
}

/** Returns how `quipu tenant add` lets a tenant begin. */
export const tenantAccessOf = (ports: FirstAccessPorts): TenantAccess => ({
  async reserve(tenantId, { clientId, clientSecret }) {
    const { credentials } = accessServices(ports.components);
    return (await credentials.createSecret({ clientId, tenantId }, clientSecret)) !== undefined;
  },
  async hasBegun(tenantId) {
    const found = await ports.journals.fact(accessJournal(tenantId), tenantId);
    return (found as AccessFact | undefined)?.hasAdministrator() === true;
  },
  begin: (tenantId, first) => beginAccess(tenantId, first, ports),
});
const START = { type: 'system', id: 'first-access' } as const;
