import { copyLog, cutLog, numberOf } from '#src/adapters/embedded/log-copy.ts';
import { systemIds } from '#src/adapters/system.ts';
import { EXIT, readArguments, CliError, type Command } from './command.ts';
import { progressOf, print } from './output.ts';
import { eventsOfFolder } from './source-folder.ts';
import { makeLogIn } from './target.ts';
import { printDifference, verified } from './verifying.ts';

export const restoreCommand: Command = {
  name: 'restore',
  takes: '<backup> <empty folder> [--to-revision N | JOURNAL@N]',
  does: 'make a data folder of a backup, whole or up to an event',
  help: `--to-revision N keeps the first N events of the whole log; JOURNAL@N, such as
ledger-…@41, keeps all that was recorded up to that event of that journal, in
every journal. What is shortened becomes a log of its own: cursors and consistency
tokens of the original do not fit it. Read models are built when a server starts.`,

  async run(args) {
    const { positionals, values } = readArguments(args, ['The backup', 'The empty folder'], {
      'to-revision': { type: 'string' },
    });
    const [from = '', to = ''] = positionals;
    let code: number = EXIT.difference;
    await makeLogIn(to, async (partial) => {
      const copying = progressOf('Pages copied');
      const { logId, events } = await copyLog(from, partial, copying.at);
      copying.end();
      const last = lastOf(values['to-revision'], partial, events);
      const cut = last < events;
      const newLogId = cut ? systemIds().next() : logId;
      if (cut) cutLog(partial, last, newLogId);
      const checked = await verified(eventsOfFolder(partial), progressOf('Events verified'));
      if (printDifference(checked, 'Nothing was restored.')) return false;
      const of = cut ? ` of ${events}; it is log ${newLogId} from here on` : ` of log ${logId}`;
      print(`Restored ${last} events${of}: sound.`);
      code = EXIT.fine;
      return true;
    });
    return code;
  },
};

/** The number of the last event to keep. */
function lastOf(wanted: string | undefined, dir: string, events: number): number {
  if (wanted === undefined) return events;
  const [, journal, digits = ''] = /^(?:(.+)@)?(\d{1,15})$/.exec(wanted) ?? [];
  if (digits === '') throw new CliError(`--to-revision ${wanted} is neither N nor JOURNAL@N.`);
  const number = Number(digits);
  if (journal !== undefined) {
    const found = numberOf(dir, journal, number);
    if (found === undefined) throw new CliError(`The backup has no ${wanted}.`);
    return found;
  }
  if (number < 1 || number > events) {
    throw new CliError(`The backup has events 1 to ${events}, not ${number}.`);
  }
  return number;
}
