import pino, { type LoggerOptions } from 'pino';
import type { Log } from '#src/ports/log.ts';
import { createLineWriter, type LineWriter } from './line-writer.ts';
import type { LogLevel, Role } from './settings.ts';

/** Returns the log of a part of the process; each of its lines names that part. */
export type Logs = (role: Role | 'server') => Log;

/**
 * Creates the logs of this process, which all write to stderr: a line of JSON each, or readable text on a terminal. Errors and warnings are
 * handed over at once, other lines within 50 ms.
 */
export async function createLogs(level: LogLevel): Promise<Logs> {
  const lines = stderrLines();
  const format = process.stderr.isTTY ? await readable() : (line: string) => line;
  const destination = {
    [Symbol.for('pino.metadata')]: true, // Makes pino set lastLevel.
    lastLevel: 0,
    write(line: string) {
      lines.write(format(line));
      if (this.lastLevel >= WARN) lines.flush();
    },
  };
  const options: LoggerOptions = {
    level,
    base: null,
    messageKey: 'message',
    timestamp: timeMember,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { cause: causeText },
  };
  const root = pino(options, destination);
  return (role) => root.child({ role });
}

/** Resolves when stderr has taken every line, at the latest after half a second. */
export const logWritten = (): Promise<void> => stderrLines().drained();

const causeText = (cause: unknown): unknown =>
  cause instanceof Error ? (cause.stack ?? cause.message) : cause;

/** Formats the time once a millisecond. */
function timeMember(): string {
  const now = Date.now();
  if (now !== formattedMs) {
    formattedMs = now;
    formatted = `,"time":"${new Date(now).toISOString()}"`;
  }
  return formatted;
}
let formattedMs = NaN;
let formatted = '';

/** Returns the formatter for terminals, which nothing else loads. */
async function readable(): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty');
  const format = prettyFactory({
    colorize: true,
    messageKey: 'message',
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'role,requestId,method,route,status,ms,bytes',
    singleLine: true,
    messageFormat: (line, key) => {
      const { method, route, status, ms } = line as Readonly<Record<string, string>>;
      const message = String(line[key]);
      return message === 'request' ? `${method} ${route ?? '?'}: ${status} in ${ms} ms` : message;
    },
  });
  return (line) => format(line);
}

/** Returns the one writer on stderr. A reader that has gone must not end the process. */
function stderrLines(): LineWriter {
  if (writer !== undefined) return writer;
  const lines = createLineWriter(process.stderr, {
    onDropped: (count) =>
      `{"level":"warn"${timeMember()},"role":"server","message":"${count} lines were dropped, because stderr was not read"}\n`,
  });
  process.stderr.on('error', () => undefined);
  process.on('exit', lines.flush);
  return (writer = lines);
}
let writer: LineWriter | undefined;

const WARN = pino.levels.values['warn']!;
