import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { reach } from '#src/adapters/eventstoredb/event-store-here.ts';
import { LOG_STREAM } from '#src/adapters/eventstoredb/stored.ts';
import { START, type NewEvent } from '#src/ports/event-store.ts';
import { readOn } from '#test/contracts/samples.ts';
import { openBook, posted, transfer, type Book } from '#test/e2e/books.ts';
import type { EventStoreDouble } from '#test/doubles/eventstore/start.ts';
import type { Client } from './client.ts';
import { quipu, type Said } from './quipu.ts';

/** An event without its position, which is another one in another log. */
export type Placeless = NewEvent & Readonly<{ stream: string; revision: number }>;

/** The log of a folder as its file has it, in its order. */
export function eventsInFolder(dir: string): Placeless[] {
  return inLog(dir, (db) =>
    db
      .prepare(
        `SELECT name AS stream, revision, id, type, data, metadata
         FROM events JOIN streams USING (stream) ORDER BY position`,
      )
      .all()
      .map((row) => ({ ...row }) as Placeless),
  );
}

export const logIdOf = (dir: string): string =>
  inLog(dir, (db) => String(db.prepare('SELECT id FROM log').get()?.['id']));

export function inLog<Result>(dir: string, work: (db: DatabaseSync) => Result): Result {
  const db = new DatabaseSync(join(dir, 'log.db'), { timeout: 30_000 });
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/** What a double holds, in its order, and the id of its log; undefined while it has none. */
export async function eventsOnServer({ url }: Pick<EventStoreDouble, 'url'>) {
  const store = reach(url, 5000);
  try {
    const [name] = await store.read(LOG_STREAM, 0, 1);
    const { logId } = JSON.parse(name?.data ?? '{}') as { logId?: string };
    const events = await readOn(store, START);
    return { logId, events: events.map(({ position: _, ...event }) => event) };
  } finally {
    await store.close();
  }
}

/** Ledgers of several organizations that are written to at once, so that the log interleaves their journals. */
export async function writeBooks(client: Client, transfers = 60): Promise<readonly Book[]> {
  const books: Book[] = [];
  for (let n = 0; n < 3; n += 1) {
    books.push(await openBook(client, { accounts: ['@bob'], funds: { '@alice': '100000' } }));
  }
  await Promise.all(
    books.map(async ({ at }) => {
      for (let n = 1; n <= transfers; n += 1) {
        await posted(client, at, { ...transfer('@alice', '@bob', `${n}.25`), description: WORDS });
      }
    }),
  );
  return books;
}

export const copied = (args: readonly string[]): Promise<Said> => quipu(['copy', ...args]);

/** Bytes that are easily lost on the way. */
const WORDS = 'naïve “ \\u0000 \u2028 😀 1.0e2';
