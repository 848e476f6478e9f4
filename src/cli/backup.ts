import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { copyLog } from '#src/adapters/embedded/log-copy.ts';
import { openLogFile } from '#src/adapters/embedded/log-file.ts';
import { keyFile } from '#src/adapters/environment-key/key-file.ts';
import { EXIT, readArguments, type Command } from './command.ts';
import { counted, warn, withProgress } from './output.ts';
import { eventsOfFolder } from './source-folder.ts';
import { createLogIn } from './new-log.ts';
import { resultIfDifferent, soundResult, verifySource } from './pipeline.ts';

export const backupCommand: Command = {
  name: 'backup',
  takes: '<data folder> <empty folder>',
  does: 'copy the log while the server runs, and verify the copy',
  help: `Copies the log as it was at one moment. The copy gets its name only when it is complete,
verified and flushed to disk, so a folder that contains log.db is a good backup. Restore it
with restore; a server then builds read models, index and snapshots from it.

Not in the log are secrets.db (the keys of personal data, passwords, secrets of applications
and of subscriptions) and keys, which opens it. Back them up apart from the log, while the
server is stopped, and put them into the restored folder before a server starts there.`,
  document: '{ sound, logId, events, journals } or { sound, difference }',

  async run(args, { print }) {
    const { positionals } = readArguments(args, ['The data folder', 'The empty folder'], {});
    const [from = '', to = ''] = positionals;
    openLogFile(from).close(); // Without a log, nothing is created.
    const result = await createLogIn(to, async (partial) => {
      const { logId } = await withProgress('Pages copied', (report) =>
        copyLog(from, partial, report),
      );
      const checked = await verifySource(eventsOfFolder(partial));
      const different = resultIfDifferent(checked, print, 'No backup was kept.');
      if (different !== undefined) return different;
      print(`Backed up ${counted(checked.events, 'event')} of log ${logId}: sound.`);
      return soundResult(checked, { logId });
    });
    if (result.exitCode === EXIT.fine) warnOfSecrets(from);
    return result;
  },
};

function warnOfSecrets(dir: string): void {
  const left = [join(dir, 'secrets.db'), keyFile(dir)].filter((path) => existsSync(path));
  if (left.length === 0) return;
  warn(
    `Not in the backup: ${left.join(' and ')}. Without them, personal data and logins cannot be restored: ` +
      'back them up apart from the log.',
  );
}
