import type { Summary } from '#src/verify/journal.ts';
import { EXIT, readArguments, type Command } from './command.ts';
import { counted, progressOf, print } from './output.ts';
import { sourceOf } from './source.ts';
import { printDifference, verified } from './verifying.ts';

export const verifyCommand: Command = {
  name: 'verify',
  takes: '<data folder | URL | file | ->',
  does: 'check every event: hash chain, double entry, balances before and after',
  help: `A data folder is read whole, also while a server runs on it. A URL is that of one
ledger's journal, or of a server: then the journals of all its ledgers are read.
A file holds lines as GET …/journal or export writes them; - reads them from stdin.

Prints each journal with the hash of its last event: keep them, and a later run
shows whether a journal was cut or written anew since.`,

  async run(args) {
    const { positionals } = readArguments(args, ['A data folder, URL or file'], {});
    const source = sourceOf(positionals[0] ?? '');
    const checked = await verified(source, progressOf('Events verified'));
    if (printDifference(checked)) return EXIT.difference;
    const { events, journals } = checked;
    for (const journal of journals) printJournal(journal);
    print(`Sound: ${counted(events, 'event')} in ${counted(journals.length, 'journal')}.`);
    return EXIT.fine;
  },
};

function printJournal({ journal, events, transactions, hash, unknown }: Summary): void {
  const moved = transactions === 0 ? '' : `, ${transactions} transactions`;
  print(`${journal}: ${events} events${moved}, last hash ${hash}`);
  for (const [type, count] of unknown) {
    print(`  ${type}, ${count} times: its hashes are sound; there are no rules for it here`);
  }
}
