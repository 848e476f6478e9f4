import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

/** A command of the `quipu` program. */
export type Command = Readonly<{
  name: string;
  /** The arguments and options, as shown after the name. */
  takes: string;
  /** One line, for the list of commands. */
  does: string;
  /** The text that --help prints below the usage line. */
  help: string;
  /** The members of the document that --json prints, as --help shows them; absent if there is no result to print. */
  document?: string;
  run: (args: readonly string[], output: ResultOutput) => Promise<CommandResult>;
}>;

/** The output of a command, which prints its result there. */
export type ResultOutput = Readonly<{
  /** True if the document of the result is printed once the command has ended. */
  isJson: boolean;
  /** Prints a line of the result for people; with --json it prints nothing. */
  print: (line: string) => void;
}>;

export type CommandResult = Readonly<{
  exitCode: number;
  /** The result for programs. */
  document?: object;
}>;

export const EXIT = {
  fine: 0,
  /** A difference was found and printed. */
  difference: 1,
  /** The command could not do its work, or there was nothing to check. */
  failed: 2,
} as const;

/** The reason why a command cannot do its work, written for the person who ran it. */
export class CliError extends Error {
  readonly exitCode: number;

  constructor(
    message: string,
    { exitCode = EXIT.failed, ...options }: ErrorOptions & Readonly<{ exitCode?: number }> = {},
  ) {
    super(message, options);
    this.name = 'CliError';
    this.exitCode = exitCode;
  }
}

/** Creates an error that explains what failed, with the system's own error. */
export const failed = (what: string, cause: unknown): CliError =>
  new CliError(`${what}: ${cause instanceof Error ? cause.message : String(cause)}.`, { cause });

/** Parses exactly the named arguments, and options. Errors: CliError for missing, empty or unexpected ones. */
export function readArguments<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  names: readonly string[],
  options: Options,
) {
  const { values, positionals } = parsed(args, options);
  const missing = names.find((_, n) => (positionals[n] ?? '') === '');
  if (missing !== undefined) throw new CliError(`${missing} is missing.`);
  const extra = positionals[names.length];
  if (extra !== undefined) throw new CliError(`Unexpected argument "${extra}".`);
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
