import { copyLog } from '#src/adapters/embedded/log-copy.ts';
import { EXIT, readArguments, type Command } from './command.ts';
import { progressOf, print } from './output.ts';
import { eventsOfFolder } from './source-folder.ts';
import { makeLogIn } from './target.ts';
import { printDifference, verified } from './verifying.ts';

export const backupCommand: Command = {
  name: 'backup',
  takes: '<data folder> <empty folder>',
  does: 'copy the log while the server runs, and verify the copy',
  help: `The copy is the log as it was at one moment; everything else in a data folder is
built from it. It appears in the folder when it is whole, verified and on disk: a
log.db in it is a good backup. Bring it back with restore.`,

  async run(args) {
    const { positionals } = readArguments(args, ['The data folder', 'The empty folder'], {});
    const [from = '', to = ''] = positionals;
    let code: number = EXIT.difference;
    await makeLogIn(to, async (partial) => {
      const copying = progressOf('Pages copied');
      const { logId } = await copyLog(from, partial, copying.at);
      copying.end();
      const checked = await verified(eventsOfFolder(partial), progressOf('Events verified'));
      if (printDifference(checked, 'Nothing was kept.')) return false;
      print(`Backed up ${checked.events} events of log ${logId}: sound.`);
      code = EXIT.fine;
      return true;
    });
    return code;
  },
};
