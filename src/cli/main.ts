import { FolderFault } from '#src/adapters/embedded/folder-fault.ts';
import { FolderLocked } from '#src/adapters/embedded/folder-lock.ts';
import { NoLog } from '#src/adapters/embedded/log-file.ts';
import { EXIT, Trouble, type Command } from './command.ts';
import { say, tell } from './output.ts';

/** Loaded when they are asked for: none of them needs what the server needs. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serveCommand,
  verify: async () => (await import('./verify.ts')).verifyCommand,
  replay: async () => (await import('./replay.ts')).replayCommand,
  backup: async () => (await import('./backup.ts')).backupCommand,
  restore: async () => (await import('./restore.ts')).restoreCommand,
  export: async () => (await import('./export.ts')).exportCommand,
  copy: async () => (await import('./copy.ts')).copyCommand,
  import: async () => (await import('./import.ts')).importCommand,
};

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.fine); // Whoever read has seen enough.
  throw error;
});
process.exitCode = await run(...process.argv.slice(2));

async function run(word = '', ...args: readonly string[]): Promise<number> {
  if (!Object.hasOwn(commands, word)) {
    const asked = ['--help', '-h', 'help'].includes(word);
    if (!asked && word !== '') tell(`What is ${word}?\n`);
    (asked ? say : tell)(await overview());
    return asked ? EXIT.fine : EXIT.trouble;
  }
  const command = await commands[word]!();
  if (args.includes('--help') || args.includes('-h')) {
    say(`quipu ${command.name} ${command.takes}\n\n${command.help}`);
    return EXIT.fine;
  }
  try {
    return await command.run(args);
  } catch (error) {
    const isSaid = [Trouble, NoLog, FolderLocked, FolderFault].some(
      (kind) => error instanceof kind,
    );
    if (!(isSaid && error instanceof Error)) throw error;
    tell(`quipu ${command.name}: ${error.message}`);
    return EXIT.trouble;
  }
}

async function overview(): Promise<string> {
  const all = await Promise.all(Object.values(commands).map((load) => load()));
  const list = all.map(({ name, takes, does }) => `  ${name} ${takes}\n      ${does}`);
  return [
    'quipu <command> …',
    '',
    ...list,
    '',
    'quipu <command> --help tells more. Exit codes: 0 fine, 1 a difference was found and named,',
    '2 it could not be done, 78 settings are wrong.',
  ].join('\n');
}
