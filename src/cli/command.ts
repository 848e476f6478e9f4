import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

/** One word of the command line. */
export type Command = Readonly<{
  name: string;
  /** What follows the name. */
  takes: string;
  /** One line, for the list of commands. */
  does: string;
  /** The rest of its help. */
  help: string;
  /** Answers the exit code. */
  run: (args: readonly string[]) => Promise<number>;
}>;

export const EXIT = {
  fine: 0,
  /** Something is not as it must be; the first difference was named. */
  difference: 1,
  /** It could not be done: a wrong word, a folder that is none, a server that does not answer. */
  failed: 2,
} as const;

/** What keeps a command from doing its work, in words for whoever typed it. */
export class CliError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CliError';
  }
}

/** So many words, and options; errors: CliError for any others. */
export function readArguments<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  names: readonly string[],
  options: Options,
) {
  const { values, positionals } = parsed(args, options);
  const missing = names[positionals.length];
  if (missing !== undefined) throw new CliError(`${missing} is missing.`);
  const extra = positionals[names.length];
  if (extra !== undefined) throw new CliError(`What is ${extra}?`);
  return { values, positionals };
}

function parsed<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new CliError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
