import { inspect } from 'node:util';
import { FolderFault, folderFault, isDiskFault } from '#src/adapters/embedded/folder-fault.ts';
import { FolderLocked } from '#src/adapters/embedded/folder-lock.ts';
import { NoLog } from '#src/adapters/embedded/log-file.ts';
import { Ambiguous, Unavailable } from '#src/ports/errors.ts';
import { EXIT, CliError, type Command } from './command.ts';
import { outliveStdout, print, READER_GONE, stdoutFailed, stdoutFault, warn } from './output.ts';

/** Each command is loaded when it runs: verifying a file needs nothing of the server. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serveCommand,
  verify: async () => (await import('./verify.ts')).verifyCommand,
  replay: async () => (await import('./replay.ts')).replayCommand,
  backup: async () => (await import('./backup.ts')).backupCommand,
  restore: async () => (await import('./restore.ts')).restoreCommand,
  export: async () => (await import('./export.ts')).exportCommand,
  copy: async () => (await import('./copy.ts')).copyCommand,
  rewrap: async () => (await import('./rewrap.ts')).rewrapCommand,
  import: async () => (await import('./import.ts')).importCommand,
  tenant: async () => (await import('./tenant.ts')).tenantCommand,
};

/** The option of every command that prints a result; the commands themselves never see it. */
const JSON_OPTION = '--json';

outliveStdout();
process.exitCode = await printed(await run(...process.argv.slice(2)));

/** A result that could not be written is not a success. A reader that has closed has read what it wanted. */
async function printed(exitCode: number): Promise<number> {
  const fault = await stdoutFault();
  if (fault === undefined || fault.code === READER_GONE) return exitCode;
  warn(`quipu: ${stdoutFailed(fault).message}`);
  return exitCode === EXIT.fine ? EXIT.failed : exitCode;
}

async function run(word = '', ...args: readonly string[]): Promise<number> {
  if (!Object.hasOwn(commands, word)) {
    if (['--version', '-v', 'version'].includes(word)) {
      const { programDocument, programText } = await import('#src/bootstrap/about.ts');
      print(
        args.includes(JSON_OPTION) ? JSON.stringify(await programDocument()) : await programText(),
      );
      return EXIT.fine;
    }
    const isHelp = ['--help', '-h', 'help'].includes(word);
    if (!isHelp && word !== '') warn(`Unknown command "${word}".\n`);
    (isHelp ? print : warn)(await overview());
    return isHelp ? EXIT.fine : EXIT.failed;
  }
  const command = await commands[word]!();
  if (args.includes('--help') || args.includes('-h')) {
    print(helpOf(command));
    return EXIT.fine;
  }
  const isJson = command.document !== undefined && args.includes(JSON_OPTION);
  try {
    const { exitCode, document } = await command.run(
      isJson ? args.filter((arg) => arg !== JSON_OPTION) : args,
      { isJson, print: isJson ? () => undefined : print },
    );
    if (isJson) print(JSON.stringify(document));
    return exitCode;
  } catch (thrown) {
    const isDisk = !(thrown instanceof CliError) && isDiskFault(thrown);
    const error = isDisk ? folderFault(thrown, 'The disk') : thrown;
    const isSaid = [CliError, NoLog, FolderLocked, FolderFault, Unavailable, Ambiguous].some(
      (kind) => error instanceof kind,
    );
    const message = messageOf(error);
    if (!isSaid) warn(inspect(error)); // A defect: its stack is for those who repair it.
    if (isJson) print(JSON.stringify({ error: message }));
    else if (isSaid) warn(`quipu ${command.name}: ${message}`);
    return error instanceof CliError ? error.exitCode : EXIT.failed;
  }
}

/** A store's own error does not say what happened below it. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isOfStore = error instanceof Unavailable || error instanceof Ambiguous;
  return isOfStore && error.cause instanceof Error
    ? `${error.message}: ${error.cause.message}`
    : error.message;
}

function helpOf(command: Command): string {
  const { name, help, document } = command;
  const json =
    document === undefined
      ? ''
      : `\n\n--json prints one document to stdout instead:\n${document}\nor { error } if the command fails.`;
  return `quipu ${name} ${takenBy(command)}\n\n${help}${json}`;
}

function takenBy({ takes, document }: Command): string {
  return `${takes}${document === undefined ? '' : ` [${JSON_OPTION}]`}`.trim();
}

async function overview(): Promise<string> {
  const all = await Promise.all(Object.values(commands).map((load) => load()));
  const list = all.map(
    (command) => `${`  ${command.name} ${takenBy(command)}`.trimEnd()}\n      ${command.does}`,
  );
  return [
    'Usage: quipu <command> …',
    '',
    ...list,
    '',
    'quipu <command> --help shows details, quipu --version the version and commit.',
    'Exit codes: 0 success, 1 a difference was found and printed, 2 the command failed or there',
    'was nothing to check, 78 invalid settings.',
  ].join('\n');
}
