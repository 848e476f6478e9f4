import { copyLog } from '#src/adapters/embedded/log-copy.ts';
import { EXIT, readArguments, type Command } from './command.ts';
import { counted, print, progressOf } from './output.ts';
import { eventsOfFolder } from './source-folder.ts';
import { makeLogIn } from './target.ts';
import { printDifference, verifySource } from './verify-source.ts';

export const backupCommand: Command = {
  name: 'backup',
  takes: '<data folder> <empty folder>',
  does: 'copy the log while the server runs, and verify the copy',
  help: `Copies the log as it was at one moment; everything else in a data folder is built
from the log. The copy gets its name only when it is complete, verified and flushed to
disk, so a folder that contains log.db is a good backup. Restore it with restore.`,

  async run(args) {
    const { positionals } = readArguments(args, ['The data folder', 'The empty folder'], {});
    const [from = '', to = ''] = positionals;
    let code: number = EXIT.difference;
    await makeLogIn(to, async (partial) => {
      const copying = progressOf('Pages copied');
      const { logId } = await copyLog(from, partial, copying.at);
      copying.end();
      const checked = await verifySource(eventsOfFolder(partial), progressOf('Events verified'));
      if (printDifference(checked, 'No backup was kept.')) return false;
      print(`Backed up ${counted(checked.events, 'event')} of log ${logId}: sound.`);
      code = EXIT.fine;
      return true;
    });
    return code;
  },
};
