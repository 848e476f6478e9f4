import { copyLog } from '#src/adapters/embedded/log-copy.ts';
import { readArguments, type Command } from './command.ts';
import { counted, print, withProgress } from './output.ts';
import { eventsOfFolder } from './source-folder.ts';
import { createLogIn } from './new-log.ts';
import { printDifference, verifySource } from './pipeline.ts';

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
    return createLogIn(to, async (partial) => {
      const { logId } = await withProgress('Pages copied', (report) =>
        copyLog(from, partial, report),
      );
      const checked = await verifySource(eventsOfFolder(partial));
      if (printDifference(checked, 'No backup was kept.')) return false;
      print(`Backed up ${counted(checked.events, 'event')} of log ${logId}: sound.`);
      return true;
    });
  },
};
