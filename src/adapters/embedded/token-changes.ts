import type { DatabaseSync } from 'node:sqlite';
import type { Uuid } from '#src/kernel/ids.ts';
import { recordInName } from '#src/kernel/record-secret.ts';
import type { SearchToken, TakenToken, TokenEntry } from '#src/ports/token-index.ts';
import type { StoredSecret } from './secrets-file.ts';
import { prepareQuery } from './sqlite.ts';

/** A change of the record with a name; the bytes of a secret are the characters of a text. */
export type TokenChange = Readonly<{ name: string }> &
  (
    | Readonly<{ kind: 'add'; secret: string; entry: TokenEntry }>
    | Readonly<{ kind: 'extend'; entry: TokenEntry }>
    | Readonly<{ kind: 'retain'; kept: Readonly<Record<'tokens' | 'claims', readonly string[]>> }>
    | Readonly<{ kind: 'erase' }>
  );

/** A change that is not `done` has written nothing. */
export type TokenChangeResult = 'done' | 'destroyed' | TakenToken;

/** Returns a function that carries out a change within a transaction of the caller. */
export function prepareTokenChanges(db: DatabaseSync): (change: TokenChange) => TokenChangeResult {
  const statements = statementsFor(db);
  const { secretOf, holderOf, tokensOf, claimsOf } = statements;

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

  const add = (name: string, secret: string, entry: TokenEntry): TokenChangeResult => {
    if (secretOf.get(name) !== undefined) return 'destroyed';
    const taken = takenFrom(name, entry);
    if (taken !== undefined) return taken;
    statements.setSecret.run(name, 1, Buffer.from(secret, 'latin1'));
    enter(name, entry);
    return 'done';
  };
  const extend = (name: string, entry: TokenEntry): TokenChangeResult => {
    const [, value] = secretOf.get(name) ?? [];
    if (!value) return 'destroyed';
    const taken = takenFrom(name, entry);
    if (taken !== undefined) return taken;
    enter(name, entry);
    return 'done';
  };
  const retain = (
    name: string,
    kept: Readonly<Record<'tokens' | 'claims', readonly SearchToken[]>>,
  ): TokenChangeResult => {
    for (const [token] of tokensOf.all(name)) {
      if (!kept.tokens.includes(token)) statements.removeToken.run(token, name);
    }
    for (const [token] of claimsOf.all(name)) {
      if (!kept.claims.includes(token)) statements.removeClaim.run(token);
    }
    return 'done';
  };
  const erase = (name: string): TokenChangeResult => {
    statements.setSecret.run(name, 0, null);
    statements.removeTokens.run(name);
    statements.removeClaims.run(name);
    return 'done';
  };

  return (change) => {
    const { name } = change;
    switch (change.kind) {
      case 'add':
        return add(name, change.secret, change.entry);
      case 'extend':
        return extend(name, change.entry);
      case 'retain':
        return retain(name, change.kept);
      case 'erase':
        return erase(name);
    }
  };
}

function statementsFor(db: DatabaseSync) {
  const query = <Row extends readonly unknown[]>(sql: string) => prepareQuery<Row>(db, sql);
  return {
    secretOf: query<StoredSecret>('SELECT version, value FROM secrets WHERE name = ?'),
    holderOf: query<[string]>('SELECT record FROM claims WHERE token = ?'),
    tokensOf: query<[string]>('SELECT token FROM tokens WHERE record = ?'),
    claimsOf: query<[string]>('SELECT token FROM claims WHERE record = ?'),
    setSecret: db.prepare('INSERT OR REPLACE INTO secrets VALUES (?, ?, ?)'),
    addToken: db.prepare('INSERT OR IGNORE INTO tokens VALUES (?, ?)'),
    setClaim: db.prepare('INSERT OR REPLACE INTO claims VALUES (?, ?)'),
    removeToken: db.prepare('DELETE FROM tokens WHERE token = ? AND record = ?'),
    removeClaim: db.prepare('DELETE FROM claims WHERE token = ?'),
    removeTokens: db.prepare('DELETE FROM tokens WHERE record = ?'),
    removeClaims: db.prepare('DELETE FROM claims WHERE record = ?'),
  };
}

const recordIn = (name: string): Uuid => recordInName(name)!.recordId;
