import { copyLog, cutLog, numberOf } from '#src/adapters/embedded/log-copy.ts';
import { openLogFile } from '#src/adapters/embedded/log-file.ts';
import { systemIds } from '#src/adapters/system.ts';
import { CliError, readArguments, type Command } from './command.ts';
import { counted, withProgress } from './output.ts';
import { eventsOfFolder } from './source-folder.ts';
import { createLogIn } from './new-log.ts';
import { resultIfDifferent, soundResult, verifySource } from './pipeline.ts';

export const restoreCommand: Command = {
  name: 'restore',
  takes: '<backup> <empty folder> [--to-revision N | JOURNAL@N]',
  does: 'create a data folder from a backup, complete or up to an event',
  help: `--to-revision N keeps the first N events of the log. JOURNAL@N, such as ledger-…@41,
keeps everything in all journals that was recorded up to that event. A shortened log
gets a new id: cursors and consistency tokens of the original are not valid for it. A
server builds the read models when it starts. Personal data, passwords and secrets are not
in the log: before the start, put the secrets.db and keys of the original into the folder.`,
  document: '{ sound, logId, of, events, journals } or { sound, difference }',

  async run(args, { print }) {
    const { positionals, values } = readArguments(args, ['The backup', 'The empty folder'], {
      'to-revision': { type: 'string' },
    });
    const [from = '', to = ''] = positionals;
    openLogFile(from).close(); // Without a log, nothing is created.
    return createLogIn(to, async (partial) => {
      const { logId, events } = await withProgress('Pages copied', (report) =>
        copyLog(from, partial, report),
      );
      const last = lastOf(values['to-revision'], partial, events);
      const cut = last < events;
      const newLogId = cut ? systemIds().next() : logId;
      if (cut) cutLog(partial, last, newLogId);
      const checked = await verifySource(eventsOfFolder(partial));
      const different = resultIfDifferent(checked, print, 'Nothing was restored.');
      if (different !== undefined) return different;
      const of = cut ? ` of ${events}, as the new log ${newLogId}` : ` of log ${logId}`;
      print(`Restored ${counted(last, 'event')}${of}: sound.`);
      return soundResult(checked, { logId: newLogId, of: events });
    });
  },
};

/** Returns the number of the last event to keep. */
function lastOf(wanted: string | undefined, dir: string, events: number): number {
  if (wanted === undefined) return events;
  const [, journal, digits = ''] = /^(?:(.+)@)?(\d{1,15})$/.exec(wanted) ?? [];
  if (digits === '') throw new CliError(`--to-revision must be N or JOURNAL@N, not ${wanted}.`);
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
