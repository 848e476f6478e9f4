import { createTenantDirectory, SERVER } from '#commands/tenants/processes/tenant-directory.ts';
import {
  createTenantRegister,
  readTenants,
  type RegisterPorts,
  type TenantRegister,
} from '#commands/tenants/processes/tenant-register.ts';
import { TenantRefused } from '#commands/tenants/tenants.ts';
import { openControlSocket, type ControlSocket } from '#src/adapters/embedded/control-socket.ts';
import type { EventMetadata } from '#src/kernel/event-metadata.ts';
import { tenantsJournal } from '#src/kernel/journal-name.ts';
import { SINGLE_TENANT } from '#src/kernel/tenant.ts';
import { START, type EventStore } from '#src/ports/event-store.ts';
import { intact } from '#src/ports/intact.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import type { TenantDirectory } from '#src/ports/tenant-directory.ts';
import type { Log } from '#src/ports/log.ts';
import type { TenancySettings } from './access-settings.ts';
import { SettingsError } from './settings.ts';
import { isEmbedded, type StoreUrls } from './store-urls.ts';
import type { TenantAnswer } from './tenant-control.ts';

/** Multi-tenancy as all threads know it; plain data, so that it can cross threads. */
export type Tenancy = Readonly<{
  /** The tenant that owns what was recorded for a single one. */
  defaultTenant: string | undefined;
}>;

/** Returns the ids that the events of all tenants record: one, or those of the journal of tenants at each call. */
export function recordedTenants(
  log: Pick<EventStore, 'read'>,
  tenancy: Tenancy | undefined,
): () => Promise<readonly string[]> | readonly string[] {
  if (tenancy === undefined) return () => ONE_TENANT;
  const { state, refresh } = readTenants(log);
  return async () => {
    await refresh();
    return [...new Set([...state.byId.values()].map(({ recordedAs }) => recordedAs))];
  };
}

const ONE_TENANT: readonly string[] = [SINGLE_TENANT];

/** The tenants of a server; `register` is also what its command line changes. */
export type ServedTenants = Readonly<{
  tenancy: Tenancy;
  register: TenantRegister;
  directory: TenantDirectory & Readonly<{ close: () => void }>;
}>;

type TenantPorts = RegisterPorts & Readonly<{ scheduler: Scheduler }>;

/**
 * Opens the journal of tenants; undefined while one tenant is served. Data from before multi-tenancy get an owner, for good.
 * Errors: SettingsError if the settings would hide data or show them to others; Unavailable, Damaged.
 */
export async function openTenants(
  log: EventStore,
  settings: TenancySettings | undefined,
  { clock, ids, scheduler }: TenantPorts,
): Promise<ServedTenants | undefined> {
  const register = createTenantRegister(log, { clock, ids });
  await register.refresh();
  if (settings === undefined) {
    mustServeOneTenant(register);
    return undefined;
  }
  const { defaultTenant: named } = settings;
  if (named !== undefined) await nameDefaultTenant(register, named);
  const { defaultTenant } = register.state;
  if (defaultTenant === undefined && (await hasSingleTenantData(log))) {
    throw new SettingsError([
      'MULTI_TENANT_ENABLED=true requires DEFAULT_TENANT, the tenant that owns the existing data for good',
    ]);
  }
  return {
    tenancy: { defaultTenant },
    register,
    directory: createTenantDirectory(register, scheduler),
  };
}

/**
 * Lets the command line change tenants while the server has the data folder. With servers as stores, it changes the log
 * itself. Returns undefined if there is nothing to close.
 */
export async function openTenantControl(
  { eventStoreUrl, dataDir }: StoreUrls,
  answer: (request: unknown) => Promise<TenantAnswer>,
  log: Log,
): Promise<ControlSocket | undefined> {
  if (!isEmbedded(eventStoreUrl)) return undefined;
  try {
    return await openControlSocket(dataDir, answer);
  } catch (error) {
    log.warn({ cause: error }, 'quipu tenant cannot reach this server, stop it to change tenants');
    return undefined;
  }
}

function mustServeOneTenant({ state }: TenantRegister): void {
  const others = [...state.byId.values()].filter(
    ({ recordedAs, isUsed }) => isUsed && recordedAs !== SINGLE_TENANT,
  );
  if (others.length === 0) return;
  throw new SettingsError([
    `MULTI_TENANT_ENABLED=false would hide the data of ${others.length} tenants, such as ${others[0]!.id}: ` +
      'set MULTI_TENANT_ENABLED=true',
  ]);
}

async function nameDefaultTenant(register: TenantRegister, id: string): Promise<void> {
  try {
    await register.submit({ type: 'NameDefaultTenant', id }, SERVER);
  } catch (error) {
    if (!(error instanceof TenantRefused)) throw error;
    throw new SettingsError([`DEFAULT_TENANT=${id}: ${error.message}`]);
  }
}

/** Looks at the first event alone: several tenants and a single one never write the same log by turns. */
async function hasSingleTenantData(log: Pick<EventStore, 'readAll'>): Promise<boolean> {
  for (let after = START; ;) {
    const events = await log.readAll(after, PAGE);
    const first = events.find(({ stream }) => stream !== tenantsJournal);
    if (first !== undefined) {
      return (JSON.parse(intact(first).metadata) as EventMetadata).tenantId === SINGLE_TENANT;
    }
    const last = events.at(-1);
    if (last === undefined) return false;
    after = last.position;
  }
}

const PAGE = 100;
