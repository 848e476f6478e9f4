import { PublishFailed } from '#src/ports/publisher.ts';
import { within } from './within.ts';

/** Shares connections by key, and closes those that nobody has used for a while. */
export type SharedConnections<Connection> = Readonly<{
  /** Runs work with the connection of a key, which it opens if there is none. Errors: those of `open` and the work. */
  use<Result>(
    key: string,
    open: () => Promise<Connection>,
    work: (connection: Connection) => Promise<Result>,
  ): Promise<Result>;
  /** Gives up a connection that failed; the next use opens another. */
  drop(key: string): void;
  /** Closes all connections; uses of them fail. */
  close(): Promise<void>;
}>;

type ConnectionOptions<Connection> = Readonly<{
  close(connection: Connection): Promise<void>;
  idleMs: number;
}>;

export function createSharedConnections<Connection>({
  close,
  idleMs,
}: ConnectionOptions<Connection>): SharedConnections<Connection> {
  type Entry = { readonly opening: Promise<Connection>; uses: number; idle?: NodeJS.Timeout };
  const entries = new Map<string, Entry>();

  let closed = false;

  const drop = (key: string, entry = entries.get(key)): Promise<void> | undefined => {
    if (entry === undefined || entries.get(key) !== entry) return undefined;
    entries.delete(key);
    clearTimeout(entry.idle);
    return entry.opening.then(close).catch(() => {}); // It may have failed, which its users know.
  };

  return {
    async use(key, open, work) {
      if (closed) throw new PublishFailed('context_canceled', 'The target is closed');
      const entry = entries.get(key) ?? { opening: open(), uses: 0 };
      entries.set(key, entry);
      entry.uses += 1;
      clearTimeout(entry.idle);
      try {
        const connection = await entry.opening.catch((error: unknown) => {
          void drop(key, entry);
          throw error;
        });
        return await work(connection);
      } finally {
        entry.uses -= 1;
        if (entry.uses === 0 && entries.get(key) === entry) {
          entry.idle = setTimeout(() => void drop(key, entry), idleMs).unref();
        }
      }
    },
    drop(key) {
      void drop(key);
    },
    async close() {
      closed = true;
      const closing = [...entries.keys()].map(async (key) => drop(key));
      await within(CLOSE_MS, Promise.all(closing)).catch(() => {}); // A peer need not confirm it.
    },
  };
}

const CLOSE_MS = 5000;
