import { lockFolder } from '#src/adapters/embedded/folder-lock.ts';
import { systemClock } from '#src/adapters/system.ts';
import { createProtection } from '#src/bootstrap/protection.ts';
import { createSecrets } from '#src/bootstrap/secrets.ts';
import type { Settings } from '#src/bootstrap/settings.ts';
import { isEmbedded } from '#src/bootstrap/store-urls.ts';
import { Damaged, Unavailable } from '#src/ports/errors.ts';
import {
  EXIT,
  failed,
  readArguments,
  type Command,
  type CommandResult,
  type ResultOutput,
} from './command.ts';
import { loadServerSettings } from './load-settings.ts';
import { counted, countOf, warn, withProgress } from './output.ts';
import { stopRequested } from './stop-request.ts';

export const rewrapCommand: Command = {
  name: 'rewrap',
  takes: '',
  does: 'wrap the keys of personal data again, once their wrapping key was rotated',
  help: `Reads the settings of the server, and wraps every key of a record and of searches with the
newest version of the wrapping key of its organization, in Vault or in the settings. Records
stay as they are. Once it has exited with 0, older versions are not needed any more, except
for backups of the secrets that were made before.

If it is interrupted, or the key service does not respond, run it again: keys that are done
are left as they are. On a data folder, stop the server first; with MongoDB it may run.`,
  document: '{ rewrapped, complete }',

  async run(args, { print }) {
    readArguments(args, [], {});
    const settings = loadServerSettings();
    try {
      return await rewrap(settings, print);
    } catch (error) {
      const isKnown = error instanceof Unavailable || error instanceof Damaged;
      throw isKnown ? failed('Not all keys were wrapped again', error) : error;
    }
  },
};

async function rewrap(settings: Settings, print: ResultOutput['print']): Promise<CommandResult> {
  await using open = new AsyncDisposableStack();
  if (isEmbedded(settings.readStoreUrl)) {
    const lock = lockFolder(settings.dataDir);
    open.defer(() => {
      lock.release();
    });
  }
  const secrets = createSecrets(settings);
  open.defer(() => secrets.close());
  const existing = await secrets.openExisting();
  if (existing === undefined) {
    print('There are no keys of personal data.');
    return { exitCode: EXIT.fine, document: { rewrapped: 0, complete: true } };
  }
  const protection = createProtection({
    ...{ settings: settings.protection, places: settings, secrets, clock: systemClock, warn },
    rewraps: 'never',
  });
  open.defer(() => protection.close());
  const stopping = new AbortController();
  void stopRequested().then(() => {
    stopping.abort();
  });
  const { keys } = await protection.open();
  const all = await countOf(existing.list());
  const rewrapped = await withProgress('Secrets checked', (report) =>
    keys.rewrap(stopping.signal, (checked) => {
      report(checked, all);
    }),
  );
  if (stopping.signal.aborted) {
    warn(`Stopped after ${counted(rewrapped, 'key')}; run it again to wrap the others.`);
    return { exitCode: EXIT.failed, document: { rewrapped, complete: false } };
  }
  print(`Wrapped ${counted(rewrapped, 'key')} again. All keys have the newest version.`);
  return { exitCode: EXIT.fine, document: { rewrapped, complete: true } };
}
