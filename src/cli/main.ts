import { FolderFault } from '#src/adapters/embedded/folder-fault.ts';
import { FolderLocked } from '#src/adapters/embedded/folder-lock.ts';
import { NoLog } from '#src/adapters/embedded/log-file.ts';
import { EXIT, CliError, type Command } from './command.ts';
import { print, warn } from './output.ts';

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

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.fine); // The reader has closed, as in `quipu … | head`.
  throw error;
});
process.exitCode = await run(...process.argv.slice(2));

async function run(word = '', ...args: readonly string[]): Promise<number> {
  if (!Object.hasOwn(commands, word)) {
    if (['--version', '-v', 'version'].includes(word)) {
      const { programText } = await import('#src/bootstrap/about.ts');
      print(await programText());
      return EXIT.fine;
    }
    const isHelp = ['--help', '-h', 'help'].includes(word);
    if (!isHelp && word !== '') warn(`Unknown command "${word}".\n`);
    (isHelp ? print : warn)(await overview());
    return isHelp ? EXIT.fine : EXIT.failed;
  }
  const command = await commands[word]!();
  if (args.includes('--help') || args.includes('-h')) {
    print(`quipu ${command.name} ${command.takes}\n\n${command.help}`);
    return EXIT.fine;
  }
  try {
    return await command.run(args);
  } catch (error) {
    const isSaid = [CliError, NoLog, FolderLocked, FolderFault].some(
      (kind) => error instanceof kind,
    );
    if (!(isSaid && error instanceof Error)) throw error;
    warn(`quipu ${command.name}: ${error.message}`);
    return EXIT.failed;
  }
}

async function overview(): Promise<string> {
  const all = await Promise.all(Object.values(commands).map((load) => load()));
  const list = all.map(
    ({ name, takes, does }) => `${`  ${name} ${takes}`.trimEnd()}\n      ${does}`,
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
