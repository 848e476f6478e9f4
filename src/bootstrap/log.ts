import type { LogLevel } from './settings.ts';

/** Logs a message for operators, as a line of JSON on stderr. */
export type Log = (level: 'info' | 'warn' | 'error', message: string, error?: unknown) => void;

export const createLog =
  (least: LogLevel): Log =>
  (level, message, error) => {
    if (WEIGHT[level] < WEIGHT[least]) return;
    const cause = error instanceof Error ? (error.stack ?? error.message) : error;
    process.stderr.write(JSON.stringify({ level, message, cause }) + '\n');
  };

const WEIGHT: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };
