import { resumeLedger } from '#commands/ledger/open-ledger.ts';
import type { EventMetadata } from '#src/events/metadata.ts';
import type { OrganizationEvent } from '#src/events/organization.ts';
import type { Journals } from '#src/journal/journals.ts';
import type { EventStore } from '#src/ports/event-store.ts';
import type { JournalIndex } from '#src/ports/journal-index.ts';

type Reserved = OrganizationEvent & { type: 'LedgerNameReserved' };

/**
 * Finishes the ledgers whose creation a crash interrupted: the journal index lists every reserved name that was not
 * settled. Called once the index has caught up with the log.
 */
export async function resumeLedgers(
  journals: Journals,
  { index, store }: Readonly<{ index: JournalIndex; store: EventStore }>,
): Promise<void> {
  for (const { journal, key } of await index.list('open')) {
    const revision = (await index.find(journal, 'open', [key])).get(key);
    if (revision === undefined) continue;
    const [stored] = await store.read(journal, revision, 1);
    if (stored?.type !== 'LedgerNameReserved') throw new Error(`${journal} did not reserve ${key}`);

    const reserved = { type: stored.type, data: JSON.parse(stored.data) as Reserved['data'] };
    const { actor, tenantId, requestId } = JSON.parse(stored.metadata) as EventMetadata;
    const context = { actor, tenantId, requestId };
    await resumeLedger(
      (to, command) => journals.submit(to, { command, context }),
      reserved as Reserved,
      revision,
    );
  }
}
