import type { DatabaseSync } from 'node:sqlite';
import type { Uuid } from '#src/kernel/ids.ts';
import { recordInName, recordSecretName } from '#src/kernel/record-secret.ts';
import { Destroyed } from '#src/ports/secret-store.ts';
import type { RecordAddress, TakenToken, TokenIndex } from '#src/ports/token-index.ts';
import { openSecretsFile, reachSecrets } from './secrets-file.ts';
import { prepareQuery } from './sqlite.ts';
import type { TokenChange } from './token-changes.ts';
import { TokenQueue } from './token-queue.ts';

/**
 * Opens the search tokens of a data folder, which are in `secrets.db` with the secrets of their records. A thread carries
 * out changes: all that wait for it share a transaction and its flush to disk. Look-ups run on the calling thread.
 */
export function openEmbeddedTokenIndex(dir: string): TokenIndex {
  const db = openSecretsFile(dir);
  const queue = new TokenQueue(dir);
  const { holderOf, tokensOf, claimsOf, find, namesAfter } = queriesFor(db);

  /** Returns as `add` of the port. */
  const change = async (requested: TokenChange): Promise<TakenToken | undefined> => {
    const result = await queue.change(requested);
    if (result === 'destroyed') throw new Destroyed(requested.name);
    return result === 'done' ? undefined : result;
  };

  return {
    add: async (record, value, entry) =>
      change({ kind: 'add', name: nameOf(record), secret: latin1(value), entry }),

    extend: async (record, entry) => change({ kind: 'extend', name: nameOf(record), entry }),

    async retain(record, kept) {
      await change({ kind: 'retain', name: nameOf(record), kept });
    },

    async erase(record) {
      await change({ kind: 'erase', name: nameOf(record) });
    },

    async find(organizationId, token, { after, limit }) {
      const from = recordSecretName(organizationId, after ?? ('' as Uuid));
      return reachSecrets(() => find.all(token, from, limit)).map(([name]) => recordIn(name));
    },

    async holder(token) {
      const [name] = reachSecrets(() => holderOf.get(token)) ?? [];
      return name === undefined ? undefined : recordIn(name);
    },

    async *list() {
      let after = '';
      for (;;) {
        const page = reachSecrets(() =>
          namesAfter.all(after, after).map(([name]) => ({
            ...recordInName(name)!,
            tokens: tokensOf.all(name).map(([token]) => token),
            claims: claimsOf.all(name).map(([token]) => token),
          })),
        );
        yield* page;
        const last = page.at(-1);
        if (last === undefined) return;
        after = nameOf(last);
      }
    },

    async close() {
      if (db.isOpen) db.close();
      await queue.close(); // The writer closes last, and folds the write-ahead log into the file.
    },
  };
}

function queriesFor(db: DatabaseSync) {
  const query = <Row extends readonly unknown[]>(sql: string) => prepareQuery<Row>(db, sql);
  return {
    holderOf: query<[string]>('SELECT record FROM claims WHERE token = ?'),
    tokensOf: query<[string]>('SELECT token FROM tokens WHERE record = ? ORDER BY token'),
    claimsOf: query<[string]>('SELECT token FROM claims WHERE record = ? ORDER BY token'),
    find: query<[string]>(
      'SELECT record FROM tokens WHERE token = ? AND record > ? ORDER BY record LIMIT ?',
    ),
    namesAfter: query<[string]>(
      `SELECT record FROM tokens WHERE record > ? UNION SELECT record FROM claims WHERE record > ?
       ORDER BY record LIMIT 100`,
    ),
  };
}

/** One character for each byte: the transfer of a view to another thread would copy all memory that it shares. */
const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

const nameOf = ({ organizationId, recordId }: RecordAddress): string =>
  recordSecretName(organizationId, recordId);

const recordIn = (name: string): Uuid => recordInName(name)!.recordId;
