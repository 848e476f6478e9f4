import type { AddressInfo } from 'node:net';
import { FolderFault } from '#src/adapters/embedded/folder-fault.ts';
import { FolderLocked } from '#src/adapters/embedded/folder-lock.ts';
import { LostLog } from '#src/adapters/embedded/lost-log.ts';
import { collectAtRest } from '#src/bootstrap/collect-at-rest.ts';
import { isEmbedded, shownUrl } from '#src/bootstrap/store-urls.ts';
import { Damaged } from '#src/ports/errors.ts';
import { logWritten } from '#src/bootstrap/log.ts';
import { startProcess } from '#src/bootstrap/start.ts';
import {
  EXIT_CONFIG,
  loadSettings,
  SettingsError,
  type Settings,
} from '#src/bootstrap/settings.ts';
import { readArguments, type Command } from './command.ts';
import { stopRequested } from './stop-request.ts';
import { outliveStdout, warn } from './output.ts';

export const serveCommand: Command = {
  name: 'serve',
  takes: '',
  does: 'run the server, as npm start does',
  help: `Settings come from environment variables and an .env file; if any is invalid, all problems
are listed and the exit code is 78. A data folder that cannot be used because of its disk
or of damage is exit code 74. SIGTERM finishes the accepted requests and exits within
10 seconds.`,

  async run(args) {
    readArguments(args, [], {});
    return process.exit(await serve());
  },
};

/** Runs the server until it is asked to end. Returns the exit code. */
export async function serve(): Promise<number> {
  outliveStdout(); // It has only the address, and whoever asked for that may be gone.
  // Listen from the first moment on, because a stop may be requested before the server is ready.
  const asked = stopRequested();
  try {
    const settings = loadSettings(warn);
    const { address, listeners, ready, stop } = await startProcess(settings, () => {
      process.exit(EXIT_IO);
    });
    const isReady = await Promise.race([ready.then(() => true), asked]);
    if (isReady) {
      const others = Object.entries(listeners).map(([name, one]) => ` and ${urlOf(one)} (${name})`);
      const urls = [urlOf(address), ...others].join('');
      process.stdout.write(`Quipu is ready at ${urls}, ${whereabouts(settings)}\n`);
      collectAtRest();
    }
    await asked;
    setTimeout(() => process.exit(isReady ? 1 : 0), STOP_MS_MAX).unref();
    await stop();
    await logWritten();
    return 0;
  } catch (error) {
    const mistake = mistakeIn(error);
    if (mistake === undefined) throw error;
    warn(mistake);
    const isDisk = error instanceof FolderFault ? !error.isSetup : error instanceof Damaged;
    return isDisk ? EXIT_IO : EXIT_CONFIG;
  }
}

const urlOf = ({ family, address, port }: AddressInfo): string =>
  `http://${family === 'IPv6' ? `[${address}]` : address}:${String(port)}`;

/** Describes the stores: `data in ./data`, or the servers, and the roles of this process if it does not have all. */
function whereabouts({ eventStoreUrl, readStoreUrl, dataDir, roles }: Settings): string {
  const folder = `data in ${dataDir}`;
  if (isEmbedded(eventStoreUrl) && isEmbedded(readStoreUrl)) return folder;
  const events = isEmbedded(eventStoreUrl) ? folder : `events in ${shownUrl(eventStoreUrl)}`;
  const reads = isEmbedded(readStoreUrl) ? folder : `read models in ${shownUrl(readStoreUrl)}`;
  return `${events}, ${reads}, as ${[...roles].join(', ')}`;
}

/** Returns the message of an error that the operator can fix. */
function mistakeIn(error: unknown): string | undefined {
  const isOurs = [SettingsError, FolderLocked, FolderFault, LostLog, Damaged].some(
    (kind) => error instanceof kind,
  );
  if (isOurs && error instanceof Error) return error.message;
  const {
    code,
    address,
    port,
    hostname,
    setting = 'PORT',
  } = error as NodeJS.ErrnoException &
    Readonly<{ address?: string; port?: number; hostname?: string; setting?: string }>;
  if (code === 'EADDRINUSE') return `Something else listens on ${address}:${port}; set ${setting}.`;
  if (code === 'ENOTFOUND' && hostname !== undefined)
    return `The host ${hostname} has no address; set HOST.`;
  if (code === 'EADDRNOTAVAIL') return `This machine has no address ${address}; set HOST.`;
  return code === 'EACCES' && port !== undefined
    ? `Port ${port} may not be used; set ${setting}.`
    : undefined;
}

/** The exit code for a failed disk (sysexits, EX_IOERR). */
const EXIT_IO = 74;
/** A normal stop takes less; work that is cut off was not acknowledged. */
const STOP_MS_MAX = 9_500;
