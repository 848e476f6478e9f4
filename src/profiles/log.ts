import type { LogLevel } from './settings.ts';

/** Says what the people who run this process should know: a line of JSON on stderr. */
export type Log = (level: 'warn' | 'error', message: string, error?: unknown) => void;

/** Nothing below a warning is ever said, so that only `error` leaves anything out. */
export const createLog =
  (least: LogLevel): Log =>
  (level, message, error) => {
    if (least === 'error' && level === 'warn') return;
    const cause = error instanceof Error ? (error.stack ?? error.message) : error;
    process.stderr.write(JSON.stringify({ level, message, cause }) + '\n');
  };
