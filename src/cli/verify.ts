import type { Summary } from '#src/verify/journal.ts';
import { CliError, readArguments, type Command, type ResultOutput } from './command.ts';
import { journalText, readKeptHashes, soundText } from './kept-hashes.ts';
import { counted, warn } from './output.ts';
import { sourceOf } from './open-source.ts';
import { resultIfDifferent, soundResult, verifySource } from './pipeline.ts';

export const verifyCommand: Command = {
  name: 'verify',
  takes: '<data folder | URL | file | -> [--expect FILE]',
  does: 'check every event: hash chain, double entry, balances, idempotency keys',
  help: `Verifies a data folder (also while a server runs on it), the journal of one ledger
by its URL, all ledgers of a server by the server's URL, or a file with lines as
GET …/journal or export writes them; - reads the lines from stdin.

Prints the hash of each journal's last event. Save the output:

  quipu verify data > monday.txt

--expect FILE compares with one or more saved outputs. A journal that has grown
since is fine; one that is missing, was truncated or was rewritten is a
difference. Compare like with like: a server's URL shows the journals of its
ledgers, a data folder shows all journals.

Exits with 0 if everything is sound, with 1 after printing the first difference,
and with 2 if nothing was verified, for example because there are no events.`,
  document: '{ sound, keptHashes, events, journals } or { sound, difference }',

  async run(args, { print }) {
    const { positionals, values } = readArguments(args, ['A data folder, URL or file'], {
      expect: { type: 'string' },
    });
    const [word = ''] = positionals;
    const kept = values.expect === undefined ? undefined : readKeptHashes(values.expect);
    const checked = await verifySource(sourceOf(word), undefined, { kept });
    const { difference, events, journals } = checked;
    if (difference === undefined && events === 0) {
      throw new CliError(`${shown(word)} holds no events: nothing was verified.`);
    }
    const different = resultIfDifferent(checked, print);
    if (different !== undefined) return different;
    for (const journal of journals) printJournal(journal, print);
    const keptHashes = kept?.size ?? 0;
    print(soundText(events, journals.length, keptHashes));
    return soundResult(checked, { keptHashes });
  },
};

const shown = (word: string): string => (word === '-' ? 'The input' : word);

function printJournal(summary: Summary, print: ResultOutput['print']): void {
  print(journalText(summary));
  for (const [type, count] of summary.unknown) {
    print(
      `  ${counted(count, 'event')} of type ${type}: only hashes were verified, this release has no rules for it`,
    );
  }
  if (summary.forgottenKeys > 0) {
    warn(
      `${summary.journal}: ${counted(summary.forgottenKeys, 'idempotency key')} could not be compared with all later ones`,
    );
  }
}
