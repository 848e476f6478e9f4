import { Destroyed, type SecretStore } from '#src/ports/secret-store.ts';
import { openSecretsFile, reachSecrets, truncateLog, type StoredSecret } from './secrets-file.ts';
import { inTransaction, prepareQuery } from './sqlite.ts';

/**
 * Opens the secrets of a data folder, `secrets.db`. They cannot be derived from the log: a change is on disk when it
 * resolves. Destroyed or replaced values are overwritten with zeros in the file, and leave the write-ahead log at once.
 *
 * Errors: Unavailable, here and in every operation; a damaged file is not recreated.
 */
export function openEmbeddedSecretStore(dir: string): SecretStore {
  const db = openSecretsFile(dir);
  const select = prepareQuery<StoredSecret>(
    db,
    'SELECT version, value FROM secrets WHERE name = ?',
  );
  const selectAfter = prepareQuery<[string, ...StoredSecret]>(
    db,
    'SELECT name, version, value FROM secrets WHERE name > ? ORDER BY name LIMIT 100',
  );
  const replace = db.prepare('INSERT OR REPLACE INTO secrets VALUES (?, ?, ?)');

  /** Runs in one transaction, then clears every earlier value from the write-ahead log. */
  const changing = <Result>(work: () => Result): Result =>
    reachSecrets(() => {
      const result = inTransaction(db, work);
      truncateLog(db);
      return result;
    });
  const write = (name: string, version: number, value: Uint8Array): number => {
    replace.run(name, version, value);
    return version;
  };

  function* all(): Iterable<[name: string, ...StoredSecret]> {
    let after = '';
    for (;;) {
      const found = reachSecrets(() => selectAfter.all(after));
      if (found.length === 0) return;
      yield* found;
      after = found.at(-1)![0];
    }
  }

  return {
    async get(name) {
      const [version, value] = reachSecrets(() => select.get(name)) ?? [];
      return version === undefined || !value ? undefined : { version, value };
    },

    async compareAndSet(name, expected, value) {
      return changing(() => {
        const found = select.get(name);
        if (found?.[0] !== expected || found?.[1] === null) return undefined;
        return write(name, (expected ?? 0) + 1, value);
      });
    },

    async put(name, value) {
      const version = changing(() => {
        const found = select.get(name);
        return found?.[1] === null ? undefined : write(name, (found?.[0] ?? 0) + 1, value);
      });
      if (version === undefined) throw new Destroyed(name);
      return version;
    },

    async destroy(name) {
      changing(() => replace.run(name, 0, null));
    },

    async *list() {
      for (const [name, version, value] of all()) {
        if (value !== null) yield { name, secret: { version, value } };
      }
    },

    async *listDestroyed() {
      for (const [name, , value] of all()) if (value === null) yield name;
    },

    async close() {
      if (db.isOpen) db.close();
    },
  };
}
