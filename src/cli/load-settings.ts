import {
  EXIT_CONFIG,
  loadSettings,
  SettingsError,
  type Settings,
} from '#src/bootstrap/settings.ts';
import { CliError } from './command.ts';
import { warn } from './output.ts';

/** Reads the settings as the server does. Errors: CliError with exit code 78, which names every problem. */
export function loadServerSettings(): Settings {
  try {
    return loadSettings(warn);
  } catch (cause) {
    if (!(cause instanceof SettingsError)) throw cause;
    throw new CliError(cause.message, { cause, exitCode: EXIT_CONFIG });
  }
}
