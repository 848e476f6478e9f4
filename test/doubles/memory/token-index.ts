import type { Uuid } from '#src/kernel/ids.ts';
import { recordInName, recordSecretName } from '#src/kernel/record-secret.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import { Destroyed } from '#src/ports/secret-store.ts';
import type {
  RecordAddress,
  SearchToken,
  TakenToken,
  TokenEntry,
  TokenIndex,
} from '#src/ports/token-index.ts';
import type { MemorySecretData } from './secret-store.ts';

/** The index maps each record to its tokens, and each claimed token to the record that holds it. */
export type MemoryTokenData = Readonly<{
  tokens: Map<string, Set<SearchToken>>;
  claims: Map<SearchToken, string>;
}>;

export const newMemoryTokenData = (): MemoryTokenData => ({ tokens: new Map(), claims: new Map() });

export function memoryTokenIndex(
  scheduler: Scheduler,
  secrets: MemorySecretData = new Map(),
  { tokens, claims } = newMemoryTokenData(),
): TokenIndex {
  const takenFrom = (name: string, entry: TokenEntry): TakenToken | undefined => {
    for (const { token, expected } of entry.claims) {
      const by = claims.get(token) ?? name;
      const recordId = recordIn(by);
      if (by !== name && recordId !== expected) return { token, recordId };
    }
    return undefined;
  };
  const enter = (name: string, entry: TokenEntry): void => {
    tokens.set(name, new Set([...(tokens.get(name) ?? []), ...entry.tokens]));
    for (const { token } of entry.claims) claims.set(token, name);
  };
  const claimsOf = (name: string): SearchToken[] =>
    [...claims].flatMap(([token, by]) => (by === name ? [token] : []));
  const pass = async (record: RecordAddress): Promise<string> => {
    await scheduler.yield();
    return recordSecretName(record.organizationId, record.recordId);
  };

  return {
    async add(record, secret, entry) {
      const name = await pass(record);
      if (secrets.has(name)) throw new Destroyed(name);
      const taken = takenFrom(name, entry);
      if (taken !== undefined) return taken;
      secrets.set(name, { value: secret.slice(), version: 1 });
      enter(name, entry);
      return undefined;
    },

    async extend(record, entry) {
      const name = await pass(record);
      if ((secrets.get(name) ?? 'destroyed') === 'destroyed') throw new Destroyed(name);
      const taken = takenFrom(name, entry);
      if (taken === undefined) enter(name, entry);
      return taken;
    },

    async retain(record, kept) {
      const name = await pass(record);
      const left = [...(tokens.get(name) ?? [])].filter((token) => kept.tokens.includes(token));
      tokens.set(name, new Set(left));
      for (const token of claimsOf(name)) if (!kept.claims.includes(token)) claims.delete(token);
    },

    async erase(record) {
      const name = await pass(record);
      secrets.set(name, 'destroyed');
      tokens.delete(name);
      for (const token of claimsOf(name)) claims.delete(token);
    },

    async find(organizationId, token, { after, limit }) {
      const from = await pass({ organizationId, recordId: after ?? ('' as Uuid) });
      return [...tokens]
        .flatMap(([name, held]) => (held.has(token) && name > from ? [name] : []))
        .sort()
        .slice(0, limit)
        .map(recordIn);
    },

    async holder(token) {
      await scheduler.yield();
      const name = claims.get(token);
      return name === undefined ? undefined : recordIn(name);
    },

    async *list() {
      await scheduler.yield();
      for (const name of [...new Set([...tokens.keys(), ...claims.values()])].sort()) {
        const held = [...(tokens.get(name) ?? [])].sort();
        const claimed = claimsOf(name).sort();
        if (held.length + claimed.length === 0) continue;
        yield { ...recordInName(name)!, tokens: held, claims: claimed };
      }
    },

    close: async () => {},
  };
}

const recordIn = (name: string): Uuid => recordInName(name)!.recordId;
