import { askControlSocket } from '#src/adapters/embedded/control-socket.ts';
import { FolderLocked, lockFolder, type FolderLock } from '#src/adapters/embedded/folder-lock.ts';
import { LostLog, mustHaveItsLog } from '#src/adapters/embedded/lost-log.ts';
import { systemIds } from '#src/adapters/system.ts';
import { openGuardedClock } from '#src/bootstrap/guarded-clock.ts';
import { createLog } from '#src/bootstrap/log.ts';
import {
  EXIT_CONFIG,
  loadSettings,
  SettingsError,
  type Settings,
} from '#src/bootstrap/settings.ts';
import { isEmbedded } from '#src/bootstrap/store-urls.ts';
import { openEventStore, openLog, openServerLog } from '#src/bootstrap/stores.ts';
import {
  answerTenantRequest,
  type TenantAnswer,
  type TenantRequest,
} from '#src/bootstrap/tenant-control.ts';
import { createTenantRegister, readTenants } from '#commands/tenants/processes/tenant-register.ts';
import { Damaged, Unavailable } from '#src/ports/errors.ts';
import type { EventStore } from '#src/ports/event-store.ts';
import { CliError, EXIT, failed, readArguments, type Command } from './command.ts';
import { print, warn } from './output.ts';

export const tenantCommand: Command = {
  name: 'tenant',
  takes: '<add ID | suspend ID | list>',
  does: 'add or suspend a tenant of a deployment with MULTI_TENANT_ENABLED=true',
  help: `Uses the stores of the settings, which are read as serve reads them.

add adds a tenant, and lets one that was suspended in again. suspend refuses the requests
of a tenant from then on and ends its event streams; its data stay. list prints the id
and the status of each tenant.

Servers follow within 5 seconds. With a data folder, the command asks the server that runs
on it with MULTI_TENANT_ENABLED=true; any other server must be stopped first.`,

  async run(args) {
    const [action = '', ...rest] = args;
    const type = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
    if (type === undefined && action !== 'list') {
      throw new CliError('The action must be add, suspend or list.');
    }
    const names = type === undefined ? [] : ['The id of the tenant'];
    const [id = ''] = readArguments(rest, names, {}).positionals;
    let settings;
    try {
      settings = loadSettings(warn);
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      warn(error.message);
      return EXIT_CONFIG;
    }
    if (type === undefined) return list(settings);
    const answer = await change(settings, { type, id });
    if ('refused' in answer) throw new CliError(answer.refused);
    if ('failed' in answer)
      throw new CliError(`The tenant could not be changed: ${answer.failed}.`);
    const state = type === 'AddTenant' ? 'active' : 'suspended';
    print(`The tenant ${id} is ${state}${answer.changed ? '' : ', as before'}.`);
    return EXIT.fine;
  },
};

const ACTIONS: Readonly<Record<string, TenantRequest['type']>> = {
  add: 'AddTenant',
  suspend: 'SuspendTenant',
};

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
    if ([LostLog, Damaged, Unavailable].some((kind) => error instanceof kind)) {
      throw failed('The log cannot be opened', error);
    }
    throw error;
  } finally {
    lock?.release();
  }
}

async function openToWrite(settings: Settings): Promise<EventStore> {
  const onFatal = (error: Error): void => {
    warn(`The disk failed: ${error.message}`);
  };
  const ids = systemIds();
  return (await openServerLog(settings, ids)) ?? openEventStore(settings, { ids, onFatal });
}

async function changeIn(
  log: EventStore,
  settings: Settings,
  request: TenantRequest,
): Promise<TenantAnswer> {
  try {
    const { clock, stop } = await openGuardedClock(log, settings, createLog(settings.logLevel));
    stop();
    return await answerTenantRequest(
      createTenantRegister(log, { clock, ids: systemIds() }),
      request,
    );
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

async function list(settings: Settings): Promise<number> {
  const log = await openLog(settings, systemIds());
  try {
    const { state, refresh } = readTenants(log);
    await refresh();
    for (const { id, status, recordedAs } of state.byId.values()) {
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
