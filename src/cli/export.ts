import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { namedJournalLine } from '#src/resources/ledger/journal.ts';
import { describeDifference } from '#src/verify/difference.ts';
import { EXIT, readArguments, CliError, type Command } from './command.ts';
import { counted, pipe, progressOf, warn } from './output.ts';
import { isDifference, type EventSource } from './reads.ts';
import { isFolder, sourceOf } from './source.ts';

export const exportCommand: Command = {
  name: 'export',
  takes: '<data folder | URL> [--journal NAME] [--out FILE]',
  does: 'write events as lines of JSON, as they are stored',
  help: `Writes lines as GET …/journal does, with the name of the journal first, as "stream".
A data folder is written in the order of its log, as it is when the command starts.
--journal selects one journal. Without --out, lines go to stdout. verify and import read
them.`,

  async run(args) {
    const { positionals, values } = readArguments(args, ['The data folder or URL'], {
      journal: { type: 'string' },
      out: { type: 'string' },
    });
    const [word = ''] = positionals;
    if (!/^https?:\/\//.test(word) && !isFolder(word)) {
      throw new CliError(`${word} is neither a data folder nor a URL.`);
    }
    if (values.out === undefined) return written(sourceOf(word), values.journal, pipe);
    return intoFile(values.out, (write) => written(sourceOf(word), values.journal, write));
  },
};

type Write = (text: string) => Promise<void> | void;

async function written(
  source: EventSource,
  only: string | undefined,
  write: Write,
): Promise<number> {
  const progress = progressOf('Events read');
  let events = 0;
  let lines = 0;
  for await (const reads of source) {
    let text = '';
    for (const read of reads) {
      if (isDifference(read)) {
        warn(`Different: ${describeDifference(read)}`);
        return EXIT.difference;
      }
      events += 1;
      if (only !== undefined && read.journal !== only) continue;
      lines += 1;
      text += namedJournalLine(read.journal ?? '', read.event);
    }
    if (text !== '') await write(text);
    progress.at(events);
  }
  progress.end();
  if (only !== undefined && lines === 0) throw new CliError(`There is no journal ${only}.`);
  warn(`Exported ${counted(lines, 'event')}.`);
  return EXIT.fine;
}

/** The file gets its name only when it is complete and flushed to disk. */
async function intoFile(path: string, work: (write: Write) => Promise<number>): Promise<number> {
  if (existsSync(path)) throw new CliError(`${path} already exists.`);
  const partial = `${path}.partial`;
  const file = opened(partial);
  try {
    const code = await work((text) => {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
    });
    fsyncSync(file);
    if (code === EXIT.fine) renameSync(partial, path);
    return code;
  } finally {
    closeSync(file);
    rmSync(partial, { force: true });
  }
}

function opened(path: string): number {
  try {
    return openSync(path, 'wx');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CliError(`${path} cannot be written: ${why}.`, { cause });
  }
}
