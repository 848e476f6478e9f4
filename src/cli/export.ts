import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { namedJournalLine } from '#src/resources/ledger/journal.ts';
import {
  CliError,
  EXIT,
  failed,
  readArguments,
  type Command,
  type CommandResult,
} from './command.ts';
import { allPiped, counted, pipe, warn, writeAll } from './output.ts';
import type { EventSource } from './event-source.ts';
import { isFolder, sourceOf } from './open-source.ts';
import { passEvents, resultIfDifferent } from './pipeline.ts';

export const exportCommand: Command = {
  name: 'export',
  takes: '<data folder | URL> [--journal NAME] [--out FILE]',
  does: 'write events as lines of JSON, as they are stored',
  help: `Writes lines as GET …/journal does, with the name of the journal first, as "stream".
A data folder is written in the order of its log, as it is when the command starts.
--journal selects one journal. Without --out, lines go to stdout. verify and import read
them. --json needs --out.`,
  document: '{ events } or { sound, difference }',

  async run(args, { isJson }) {
    const { positionals, values } = readArguments(args, ['The data folder or URL'], {
      journal: { type: 'string' },
      out: { type: 'string' },
    });
    const [word = ''] = positionals;
    if (!/^https?:\/\//.test(word) && !isFolder(word)) {
      throw new CliError(`${word} is neither a data folder nor a URL.`);
    }
    const { journal, out } = values;
    if (isJson && out === undefined) {
      throw new CliError('--json needs --out FILE: without it, the events go to stdout.');
    }
    if (out === '') throw new CliError('--out needs the name of a file.');
    const print = isJson ? ignore : warn;
    const write = (to: WriteText) => writeEvents(sourceOf(word), journal, to, print);
    const result = out === undefined ? await writeStdout(write) : await writeFile(out, write);
    if (result.exported !== undefined) print(`Exported ${counted(result.exported, 'event')}.`);
    return result;
  },
};

const ignore = (): void => undefined;

/** `exported` is the number of events, unless there was a difference. */
type ExportResult = CommandResult & Readonly<{ exported?: number }>;
type WriteText = (text: string) => Promise<void> | void;

async function writeEvents(
  source: EventSource,
  only: string | undefined,
  write: WriteText,
  print: (line: string) => void,
): Promise<ExportResult> {
  let lines = 0;
  const passed = await passEvents(source, 'Events read', {
    async take(items) {
      const wanted = items.filter(({ journal }) => only === undefined || journal === only);
      lines += wanted.length;
      const texts = wanted.map(({ journal = '', event }) => namedJournalLine(journal, event));
      if (texts.length > 0) await write(texts.join(''));
    },
  });
  const different = resultIfDifferent(passed, print);
  if (different !== undefined) return different;
  if (only !== undefined && lines === 0) throw new CliError(`There is no journal ${only}.`);
  return { exitCode: EXIT.fine, document: { events: lines }, exported: lines };
}

async function writeStdout(
  work: (write: WriteText) => Promise<ExportResult>,
): Promise<ExportResult> {
  const result = await work(pipe);
  await allPiped();
  return result;
}

/** The file gets its name only when it is complete and flushed to disk. */
async function writeFile(
  path: string,
  work: (write: WriteText) => Promise<ExportResult>,
): Promise<ExportResult> {
  if (existsSync(path)) throw new CliError(`${path} already exists.`);
  const partial = `${path}.partial`;
  if (existsSync(partial)) {
    throw new CliError(`${partial} was left by an interrupted command; remove it first.`);
  }
  const file = opened(partial);
  try {
    const result = await work((text) => {
      writeAll(file, text);
    });
    fsyncSync(file);
    if (result.exitCode === EXIT.fine) renameSync(partial, path);
    return result;
  } finally {
    closeSync(file);
    rmSync(partial, { force: true });
  }
}

function opened(path: string): number {
  try {
    return openSync(path, 'wx');
  } catch (cause) {
    throw failed(`${path} cannot be written`, cause);
  }
}
