/**
 * Writes lines for operators, and never waits for their reader. Fields hold no body, no secret and no personal data;
 * `requestId` names the request concerned, and `cause` is the error or its text.
 */
export type Log = Readonly<Record<'debug' | 'info' | 'warn' | 'error', WriteLine>> &
  Readonly<{
    /** Returns a log that adds fields to each line. They are serialized once. */
    child: (fields: LogFields) => Log;
  }>;

export type LogFields = Readonly<Record<string, unknown>>;

interface WriteLine {
  (message: string): void;
  (fields: LogFields, message: string): void;
}

export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLog,
};
