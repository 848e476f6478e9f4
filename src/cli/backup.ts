import { copyLog } from '#src/adapters/embedded/log-copy.ts';
import { readArguments, type Command } from './command.ts';
import { counted, withProgress } from './output.ts';
import { eventsOfFolder } from './source-folder.ts';
import { createLogIn } from './new-log.ts';
import { resultIfDifferent, soundResult, verifySource } from './pipeline.ts';

export const backupCommand: Command = {
  name: 'backup',
  takes: '<data folder> <empty folder>',
  does: 'copy the log while the server runs, and verify the copy',
  help: `Copies the log as it was at one moment; everything else in a data folder is built
from the log. The copy gets its name only when it is complete, verified and flushed to
disk, so a folder that contains log.db is a good backup. Restore it with restore.`,
  document: '{ sound, logId, events, journals } or { sound, difference }',

  async run(args, { print }) {
    const { positionals } = readArguments(args, ['The data folder', 'The empty folder'], {});
    const [from = '', to = ''] = positionals;
    return createLogIn(to, async (partial) => {
      const { logId } = await withProgress('Pages copied', (report) =>
        copyLog(from, partial, report),
      );
      const checked = await verifySource(eventsOfFolder(partial));
      const different = resultIfDifferent(checked, print, 'No backup was kept.');
      if (different !== undefined) return different;
      print(`Backed up ${counted(checked.events, 'event')} of log ${logId}: sound.`);
      return soundResult(checked, { logId });
    });
  },
};
