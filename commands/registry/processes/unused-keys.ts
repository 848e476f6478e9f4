import { journalOfRegistry, type RegistryFact } from '#commands/registry/registry.ts';
import type { Journals } from '#src/journal/journals.ts';
import { ACCESS_SCOPE } from '#src/kernel/access-scope.ts';
import { formatInstant, type Micros } from '#src/kernel/instant.ts';
import { recordInName } from '#src/kernel/record-secret.ts';
import type { Clock } from '#src/ports/clock.ts';
import type { Ids } from '#src/ports/ids.ts';
import type { RecordKeys } from '#src/ports/record-keys.ts';
import type { SecretStore } from '#src/ports/secret-store.ts';

type KeyCleaning = Readonly<{
  keys: Pick<RecordKeys, 'list' | 'destroy'>;
  journals: Pick<Journals, 'submit' | 'fact'>;
  clock: Clock;
  ids: Ids;
}>;

/**
 * Destroys keys, with their tokens, of records that never came to be: a crash came between the key and the event. The
 * journal revokes such a record first, so that no late event needs the key. Keys of the last hour are left alone.
 * Returns how many were destroyed. Errors: Refusal, Unavailable.
 */
export async function destroyUnusedKeys({
  keys,
  journals,
  clock,
  ids,
}: KeyCleaning): Promise<number> {
  const before = formatInstant((clock.now() - SETTLED_MICROS) as Micros);
  let destroyed = 0;
  for await (const { since, ...record } of keys.list()) {
    if (since >= before || record.organizationId === ACCESS_SCOPE) continue; // Those of users are not of a registry.
    const { tenantId, organizationId, recordId: id } = record;
    const journal = journalOfRegistry(organizationId);
    const registry = (await journals.fact(journal.name, tenantId)) as RegistryFact | undefined;
    if (registry?.isRecord(id) === true) continue;
    await journals.submit(journal, {
      command: { type: 'RevokeHolder', organizationId, id },
      context: { actor: CLEANING, tenantId, requestId: ids.next() },
      idempotency: undefined,
    });
    await keys.destroy(record);
    destroyed += 1;
  }
  return destroyed;
}

/** Returns whether there is a key of any record. Errors: Unavailable. */
export async function hasRecordKeys(store: SecretStore): Promise<boolean> {
  for await (const { name } of store.list()) if (recordInName(name) !== undefined) return true;
  return false;
}

const CLEANING = { type: 'system', id: 'key-cleaning' } as const;
const SETTLED_MICROS = 3600 * 1_000_000;
