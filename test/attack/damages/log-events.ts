import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** An event as the file has it; nothing is read through the program. */
export type LoggedEvent = Readonly<{
  position: number;
  stream: string;
  revision: number;
  id: string;
  type: string;
  data: string;
  metadata: string;
}>;

/** Errors: SQLite's, where the file cannot be read. */
export function readEvents(dataDir: string): LoggedEvent[] {
  const db = new DatabaseSync(join(dataDir, 'log.db'), { timeout: 10_000 });
  try {
    return db
      .prepare(
        `SELECT position, coalesce(name, '') AS stream, revision, id, type, data, metadata
         FROM events LEFT JOIN streams USING (stream) ORDER BY position`,
      )
      .all()
      .map((row) => ({ ...row }) as LoggedEvent);
  } finally {
    db.close();
  }
}

export const sameEvent = (a: LoggedEvent, b: LoggedEvent | undefined): boolean =>
  b !== undefined && MEMBERS.every((member) => a[member] === b[member]);

const MEMBERS = ['position', 'stream', 'revision', 'id', 'type', 'data', 'metadata'] as const;
