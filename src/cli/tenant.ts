import { askControlSocket } from '#src/adapters/embedded/control-socket.ts';
import { FolderLocked, lockFolder, type FolderLock } from '#src/adapters/embedded/folder-lock.ts';
import { openLogFile } from '#src/adapters/embedded/log-file.ts';
import { LostLog, mustHaveItsLog } from '#src/adapters/embedded/lost-log.ts';
import { systemIds } from '#src/adapters/system.ts';
import { openGuardedClock } from '#src/bootstrap/guarded-clock.ts';
import { createLogs } from '#src/bootstrap/log.ts';
import { SettingsError, type Settings } from '#src/bootstrap/settings.ts';
import { isEmbedded } from '#src/bootstrap/store-urls.ts';
import type { Running } from '#src/bootstrap/start.ts';
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
import {
  CliError,
  EXIT,
  failed,
  readArguments,
  type Command,
  type CommandResult,
  type ResultOutput,
} from './command.ts';
import { loadServerSettings } from './load-settings.ts';
import { warn } from './output.ts';

export const tenantCommand: Command = {
  name: 'tenant',
  takes: '<add ID | suspend ID | list>',
  does: 'add or suspend a tenant of a deployment with MULTI_TENANT_ENABLED=true',
  help: `Uses the stores of the settings, which are read as serve reads them.

add adds a tenant, and lets one that was suspended in again. suspend refuses the requests
of a tenant from then on and ends its event streams; its data stay. list prints the id
and the status of each tenant.

With ACCESS_ADMIN_USERNAME, ACCESS_ADMIN_EMAIL, ACCESS_ADMIN_PASSWORD, ACCESS_ADMIN_CLIENT_ID
and ACCESS_ADMIN_CLIENT_SECRET in its environment, add also creates the first administrator
and the first application of the tenant, unless it has an administrator. Neither is printed.

Servers follow within 5 seconds. With a data folder, the command asks the server that runs
on it with MULTI_TENANT_ENABLED=true; any other server must be stopped first.`,
  document: '{ id, status, changed, administrator }, or of list [{ id, status, recordedAs }]',

  async run(args, { print }) {
    const [action = '', ...rest] = args;
    const type = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
    if (type === undefined && action !== 'list') {
      throw new CliError('The action must be add, suspend or list.');
    }
    const names = type === undefined ? [] : ['The id of the tenant'];
    const [id = ''] = readArguments(rest, names, {}).positionals;
    const settings = loadServerSettings();
    if (type === undefined) return list(settings, print);
    const first = type === 'AddTenant' ? firstIn(settings) : undefined;
    const request = { type, id, ...(first && { first }) };
    const answer = await (first === undefined ? change : changeThroughServer)(settings, request);
    if ('refused' in answer) throw new CliError(answer.refused);
    if ('failed' in answer)
      throw new CliError(`The tenant could not be changed: ${answer.failed}.`);
    const status = type === 'AddTenant' ? 'active' : 'suspended';
    const { changed, administrator } = answer;
    print(`The tenant ${id} is ${status}${changed ? '' : ', as before'}.`);
    if (administrator !== undefined) print(ADMINISTRATORS[administrator]);
    return { exitCode: EXIT.fine, document: { id, status, changed, administrator } };
  },
};

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
  const { startProcess } = await import('#src/bootstrap/start.ts'); // The rest of the command needs no server.
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

async function list(settings: Settings, print: ResultOutput['print']): Promise<CommandResult> {
  if (isEmbedded(settings.eventStoreUrl)) openLogFile(settings.dataDir).close(); // It says why there is none.
  const log = await openLog(settings, systemIds());
  try {
    const { state, refresh } = readTenants(log);
    await refresh();
    const tenants = [...state.byId.values()];
    for (const { id, status, recordedAs } of tenants) {
      const owner = recordedAs === id ? '' : '  owns the data from before multi-tenancy';
      print(`${id}  ${status}${owner}`);
    }
    const document = tenants.map(({ id, status, recordedAs }) => ({ id, status, recordedAs }));
    return { exitCode: EXIT.fine, document };
  } catch (cause) {
    throw failed('The tenants cannot be read', cause);
  } finally {
    await log.close();
  }
}
