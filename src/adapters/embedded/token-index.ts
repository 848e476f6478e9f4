import type { DatabaseSync } from 'node:sqlite';
import { batchPerTurn } from '#src/adapters/threads/batch-per-turn.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { recordInName, recordSecretName } from '#src/kernel/record-secret.ts';
import { Destroyed } from '#src/ports/secret-store.ts';
import type { RecordAddress, TakenToken, TokenEntry, TokenIndex } from '#src/ports/token-index.ts';
import { openSecretsFile, reachSecrets, truncateLog, type StoredSecret } from './secrets-file.ts';
import { inTransaction, prepareQuery } from './sqlite.ts';

/**
 * Opens the search tokens of a data folder, which are in `secrets.db` with the secrets of their records. Changes that
 * are requested in one turn of the event loop share a transaction and its flush to disk.
 */
export function openEmbeddedTokenIndex(dir: string): TokenIndex {
  const db = openSecretsFile(dir);
  const { secretOf, holderOf, tokensOf, claimsOf, ...statements } = statementsFor(db);
  const change = createSharedTransactions(db);

  const takenFrom = (name: string, { claims }: TokenEntry): TakenToken | undefined => {
    for (const { token, expected } of claims) {
      const [by = name] = holderOf.get(token) ?? [];
      const recordId = recordIn(by);
      if (by !== name && recordId !== expected) return { token, recordId };
    }
    return undefined;
  };
  const enter = (name: string, { tokens, claims }: TokenEntry): void => {
    for (const token of tokens) statements.addToken.run(token, name);
    for (const { token } of claims) statements.setClaim.run(token, name);
  };

  return {
    add: (record, value, entry) =>
      change(() => {
        const name = nameOf(record);
        if (secretOf.get(name) !== undefined) throw new Destroyed(name);
        const taken = takenFrom(name, entry);
        if (taken !== undefined) return taken;
        statements.setSecret.run(name, 1, value);
        enter(name, entry);
        return undefined;
      }),

    extend: (record, entry) =>
      change(() => {
        const name = nameOf(record);
        const [, value] = secretOf.get(name) ?? [];
        if (!value) throw new Destroyed(name);
        const taken = takenFrom(name, entry);
        if (taken === undefined) enter(name, entry);
        return taken;
      }),

    async retain(record, kept) {
      await change(() => {
        const name = nameOf(record);
        for (const [token] of tokensOf.all(name)) {
          if (!kept.tokens.includes(token)) statements.removeToken.run(token, name);
        }
        for (const [token] of claimsOf.all(name)) {
          if (!kept.claims.includes(token)) statements.removeClaim.run(token);
        }
        return undefined;
      });
    },

    async erase(record) {
      await change(() => {
        const name = nameOf(record);
        statements.setSecret.run(name, 0, null);
        statements.removeTokens.run(name);
        statements.removeClaims.run(name);
        return undefined;
      });
      reachSecrets(() => {
        truncateLog(db);
      });
    },

    async find(organizationId, token, { after, limit }) {
      const from = recordSecretName(organizationId, after ?? ('' as Uuid));
      return reachSecrets(() => statements.find.all(token, from, limit)).map(([name]) =>
        recordIn(name),
      );
    },

    async holder(token) {
      const [name] = reachSecrets(() => holderOf.get(token)) ?? [];
      return name === undefined ? undefined : recordIn(name);
    },

    async *list() {
      let after = '';
      for (;;) {
        const page = reachSecrets(() =>
          statements.namesAfter.all(after, after).map(([name]) => ({
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
    },
  };
}

function statementsFor(db: DatabaseSync) {
  const query = <Row extends readonly unknown[]>(sql: string) => prepareQuery<Row>(db, sql);
  return {
    secretOf: query<StoredSecret>('SELECT version, value FROM secrets WHERE name = ?'),
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
    setSecret: db.prepare('INSERT OR REPLACE INTO secrets VALUES (?, ?, ?)'),
    addToken: db.prepare('INSERT OR IGNORE INTO tokens VALUES (?, ?)'),
    setClaim: db.prepare('INSERT OR REPLACE INTO claims VALUES (?, ?)'),
    removeToken: db.prepare('DELETE FROM tokens WHERE token = ? AND record = ?'),
    removeClaim: db.prepare('DELETE FROM claims WHERE token = ?'),
    removeTokens: db.prepare('DELETE FROM tokens WHERE record = ?'),
    removeClaims: db.prepare('DELETE FROM claims WHERE record = ?'),
  };
}

/** Checks before it writes: a change that throws Destroyed has written nothing. */
type TokenChange = () => TakenToken | undefined;

type WaitingChange = Readonly<{
  work: TokenChange;
  resolve: (taken: TakenToken | undefined) => void;
  reject: (error: unknown) => void;
}>;

/** Returns a function that runs a change together with others of the turn. Errors: Unavailable, Destroyed. */
function createSharedTransactions(db: DatabaseSync) {
  const run = ({ work, resolve, reject }: WaitingChange): (() => void) => {
    try {
      const taken = work();
      return () => {
        resolve(taken);
      };
    } catch (error) {
      if (!(error instanceof Destroyed)) throw error;
      return () => {
        reject(error);
      };
    }
  };
  const send = batchPerTurn<WaitingChange>((changes) => {
    try {
      const settlements = reachSecrets(() => inTransaction(db, () => changes.map(run)));
      for (const settle of settlements) settle();
    } catch (error) {
      for (const { reject } of changes) reject(error);
    }
  }, setImmediate);

  return (work: TokenChange): Promise<TakenToken | undefined> =>
    new Promise((resolve, reject) => {
      send({ work, resolve, reject });
    });
}

const nameOf = ({ organizationId, recordId }: RecordAddress): string =>
  recordSecretName(organizationId, recordId);

const recordIn = (name: string): Uuid => recordInName(name)!.recordId;
