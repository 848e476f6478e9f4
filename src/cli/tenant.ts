import { askControlSocket } from '#src/adapters/embedded/control-socket.ts';
import { FolderLocked, lockFolder, type FolderLock } from '#src/adapters/embedded/folder-lock.ts';
import { LostLog, mustHaveItsLog } from '#src/adapters/embedded/lost-log.ts';
import { systemIds } from '#src/adapters/system.ts';
import { openGuardedClock } from '#src/bootstrap/guarded-clock.ts';
import { createLogs } from '#src/bootstrap/log.ts';
import {
  EXIT_CONFIG,
  loadSettings,
  SettingsError,
  type Settings,
} from '#src/bootstrap/settings.ts';
import { isEmbedded } from '#src/bootstrap/store-urls.ts';
import { startProcess, type Running } from '#src/bootstrap/start.ts';
import { openEventStore, openLog, openServerLog } from '#src/bootstrap/stores.ts';
import {
  answerTenantRequest,
  type TenantAnswer,
  type TenantRequest,
} from '#src/bootstrap/tenant-control.ts';
import type { FirstAccess } from '#commands/access/processes/first-access.ts';
import { createTenantRegister, readTenants } from '#commands/tenants/processes/tenant-register.ts';
import type { AccessComponentSettings } from '#src/components/access/settings.ts';
import { Damaged, Unavailable } from '#src/ports/errors.ts';
import type { EventStore } from '#src/ports/event-store.ts';
import { CliError, EXIT, failed, readArguments, type Command } from './command.ts';
import { print, warn } from './output.ts';

export const tenantCommand: Command = {
  name: 'tenant',
  takes: '<add ID | suspend ID | list [--json]>',
  does: 'add or suspend a tenant of a deployment with MULTI_TENANT_ENABLED=true',
  help: `Uses the stores of the settings, which are read as serve reads them.

add adds a tenant, and lets one that was suspended in again. suspend refuses the requests
of a tenant from then on and ends its event streams; its data stay. list prints the id
and the status of each tenant, with --json as one document.

With ACCESS_ADMIN_USERNAME, ACCESS_ADMIN_EMAIL, ACCESS_ADMIN_PASSWORD, ACCESS_ADMIN_CLIENT_ID
and ACCESS_ADMIN_CLIENT_SECRET in its environment, add also creates the first administrator
and the first application of the tenant, unless it has an administrator. Neither is printed.

Servers follow within 5 seconds. With a data folder, the command asks the server that runs
on it with MULTI_TENANT_ENABLED=true; any other server must be stopped first.`,

  async run(args) {
    const [action = '', ...rest] = args;
    const type = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
    if (type === undefined && action !== 'list') {
      throw new CliError('The action must be add, suspend or list.');
    }
    const names = type === undefined ? [] : ['The id of the tenant'];
    const options = type === undefined ? LIST_OPTIONS : {};
    const { positionals, values } = readArguments(rest, names, options);
    const [id = ''] = positionals;
    let settings;
    try {
      settings = loadSettings(warn);
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      warn(error.message);
      return EXIT_CONFIG;
    }
    if (type === undefined) return list(settings, 'json' in values && values.json === true);
    const first = type === 'AddTenant' ? firstIn(settings) : undefined;
    const request = { type, id, ...(first && { first }) };
    const answer = await (first === undefined ? change : changeThroughServer)(settings, request);
    if ('refused' in answer) throw new CliError(answer.refused);
    if ('failed' in answer)
      throw new CliError(`The tenant could not be changed: ${answer.failed}.`);
    const state = type === 'AddTenant' ? 'active' : 'suspended';
    print(`The tenant ${id} is ${state}${answer.changed ? '' : ', as before'}.`);
    if (answer.administrator !== undefined) print(ADMINISTRATORS[answer.administrator]);
    return EXIT.fine;
  },
};

const LIST_OPTIONS = { json: { type: 'boolean' } } as const;
const ACTIONS: Readonly<Record<string, TenantRequest['type']>> = {
  add: 'AddTenant',
  suspend: 'SuspendTenant',
};

const ADMINISTRATORS = {
  created: 'Its first administrator and application were created.',
  present: 'It has an administrator, so none was created.',
} as const;

/** Returns what a tenant is to begin with; the settings of a deployment of one tenant are not about others. */
function firstIn({ access, components }: Settings): FirstAccess | undefined {
  const { first } = components['access'] as AccessComponentSettings;
  if (first === undefined || access?.tenancy !== undefined) return first;
  warn('Without MULTI_TENANT_ENABLED=true, no administrator of the tenant is created.');
  return undefined;
}

/** Has the server on the data folder do it, or one that runs for as long as that takes and serves nothing. */
async function changeThroughServer(
  settings: Settings,
  request: TenantRequest,
): Promise<TenantAnswer> {
  const access: AccessComponentSettings = {
    ...(settings.components['access'] as AccessComponentSettings),
    first: undefined, // They are for the tenant of the request.
  };
  const components = { ...settings.components, access };
  const alone = { roles: new Set<never>(), host: '127.0.0.1', port: 0, listeners: {} };
  let server: Running;
  try {
    server = await startProcess({ ...settings, ...alone, components }, diskFailed);
  } catch (error) {
    if (error instanceof FolderLocked) return askServer(settings.dataDir, request, error);
    throw unopened(error);
  }
  await server.ready.catch((error: unknown) => {
    throw unopened(error);
  });
  try {
    return await server.changeTenant(request);
  } finally {
    await server.stop();
  }
}

async function change(settings: Settings, request: TenantRequest): Promise<TenantAnswer> {
  const { eventStoreUrl, dataDir } = settings;
  let lock: FolderLock | undefined;
  try {
    if (isEmbedded(eventStoreUrl)) {
      lock = lockFolder(dataDir);
      mustHaveItsLog(dataDir);
    }
    return await changeIn(await openToWrite(settings), settings, request);
  } catch (error) {
    if (error instanceof FolderLocked) return await askServer(dataDir, request, error);
    throw unopened(error);
  } finally {
    lock?.release();
  }
}

async function openToWrite(settings: Settings): Promise<EventStore> {
  const ids = systemIds();
  const onFatal = diskFailed;
  return (await openServerLog(settings, ids)) ?? openEventStore(settings, { ids, onFatal });
}

function diskFailed(error: Error): void {
  warn(`The disk failed: ${error.message}`);
}

const unopened = (error: unknown): unknown =>
  [SettingsError, LostLog, Damaged, Unavailable].some((kind) => error instanceof kind)
    ? failed('The log cannot be opened', error)
    : error;

async function changeIn(
  log: EventStore,
  settings: Settings,
  request: TenantRequest,
): Promise<TenantAnswer> {
  try {
    const logs = await createLogs(settings.logLevel);
    const { clock, stop } = await openGuardedClock(log, settings, logs('server'));
    stop();
    const register = createTenantRegister(log, { clock, ids: systemIds() });
    return await answerTenantRequest({ register, access: undefined }, request);
  } finally {
    await log.close();
  }
}

async function askServer(
  dataDir: string,
  request: TenantRequest,
  locked: FolderLocked,
): Promise<TenantAnswer> {
  try {
    return (await askControlSocket(dataDir, request)) as TenantAnswer;
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    const advice = 'Only a server with MULTI_TENANT_ENABLED=true takes this command while it runs.';
    throw new CliError(`${locked.message} ${advice}`, { cause: error });
  }
}

async function list(settings: Settings, asJson: boolean): Promise<number> {
  const log = await openLog(settings, systemIds());
  try {
    const { state, refresh } = readTenants(log);
    await refresh();
    const tenants = [...state.byId.values()];
    if (asJson) {
      print(
        JSON.stringify(tenants.map(({ id, status, recordedAs }) => ({ id, status, recordedAs }))),
      );
      return EXIT.fine;
    }
    for (const { id, status, recordedAs } of tenants) {
      const owner = recordedAs === id ? '' : '  owns the data from before multi-tenancy';
      print(`${id}  ${status}${owner}`);
    }
    return EXIT.fine;
  } catch (cause) {
    throw failed('The tenants cannot be read', cause);
  } finally {
    await log.close();
  }
}
