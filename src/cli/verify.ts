import type { Summary } from '#src/verify/journal.ts';
import { CliError, EXIT, readArguments, type Command } from './command.ts';
import { journalText, readKeptHashes, soundText } from './kept-hashes.ts';
import { counted, print, warn } from './output.ts';
import { sourceOf } from './open-source.ts';
import { printDifference, verifySource, type Verification } from './pipeline.ts';

export const verifyCommand: Command = {
  name: 'verify',
  takes: '<data folder | URL | file | -> [--expect FILE] [--json]',
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

--json prints one document instead: sound, the difference if there is one, and the
events, last hash and details of each journal. --expect does not read it.

Exits with 0 if everything is sound, with 1 after printing the first difference,
and with 2 if nothing was verified, for example because there are no events.`,

  async run(args) {
    const { positionals, values } = readArguments(args, ['A data folder, URL or file'], {
      expect: { type: 'string' },
      json: { type: 'boolean' },
    });
    const [word = ''] = positionals;
    const kept = values.expect === undefined ? undefined : readKeptHashes(values.expect);
    const checked = await verifySource(sourceOf(word), undefined, { kept });
    const { difference, events, journals } = checked;
    if (difference === undefined && events === 0) {
      throw new CliError(`${shown(word)} holds no events: nothing was verified.`);
    }
    if (values.json === true) {
      print(documentOf(checked, kept?.size ?? 0));
      return difference === undefined ? EXIT.fine : EXIT.difference;
    }
    if (printDifference(checked)) return EXIT.difference;
    for (const journal of journals) printJournal(journal);
    print(soundText(events, journals.length, kept?.size ?? 0));
    return EXIT.fine;
  },
};

const shown = (word: string): string => (word === '-' ? 'The input' : word);

/** The journals of a log that is not sound are left out: what follows the difference was not verified. */
function documentOf({ difference, events, journals }: Verification, keptHashes: number): string {
  if (difference !== undefined) return JSON.stringify({ sound: false, difference });
  const listed = journals.map(({ unknown, ...journal }) => ({
    ...journal,
    unknown: Object.fromEntries(unknown),
  }));
  return JSON.stringify({ sound: true, events, keptHashes, journals: listed });
}

function printJournal(summary: Summary): void {
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
