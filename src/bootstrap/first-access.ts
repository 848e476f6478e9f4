import { createFirstAccess } from '#commands/access/processes/first-access.ts';
import { accessServices } from '#commands/access/processes/services.ts';
import { SINGLE_TENANT } from '#src/kernel/tenant.ts';
import type { AccessComponentSettings } from '#src/components/access/settings.ts';
import type { Journals } from '#src/journal/journals.ts';
import type { ProcessServices } from '#src/journal/process.ts';
import { createSteps } from '#src/journal/steps.ts';
import type { Ids } from '#src/ports/ids.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import type { Settings } from './settings.ts';

type FirstAccessPorts = Readonly<{
  journals: Journals;
  components: ProcessServices;
  ids: Ids;
  scheduler: Scheduler;
}>;

/** Lets a deployment begin with the administrator and the application of its settings. Errors: Refusal, Unavailable. */
export async function beginAccess(
  settings: Pick<Settings, 'components'>,
  { journals, components, ids, scheduler }: FirstAccessPorts,
): Promise<void> {
  const { first } = settings.components['access'] as AccessComponentSettings;
  const services = accessServices(components);
  const tenantId = SINGLE_TENANT;
  if (first !== undefined) {
    const context = { actor: START, tenantId, requestId: ids.next() };
    const steps = createSteps(journals, { context, key: undefined }, { ids, scheduler });
    const fact = (name: Parameters<Journals['fact']>[0]) => journals.fact(name, tenantId);
    await createFirstAccess({ ...steps, fact }, services, first);
  }
  await services.directory.reached();
}

const START = { type: 'system', id: 'first-access' } as const;
