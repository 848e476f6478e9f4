import { freeNames } from '#commands/ledger/processes/close-ledger.ts';
import { resumeLedger, type Submit } from '#commands/ledger/processes/open-ledger.ts';
import { resumeRename } from '#commands/ledger/processes/rename-ledger.ts';
import type { Revision } from '#src/kernel/ids.ts';
import { ownerOf } from '#src/kernel/journal-name.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { EventMetadata } from '#src/kernel/event-metadata.ts';
import type { OrganizationEvent } from '#src/events/ledger/organization.ts';
import type { Journals } from '#src/journal/journals.ts';
import type { EventStore } from '#src/ports/event-store.ts';
import type { JournalIndex } from '#src/ports/journal-index.ts';

/**
 * Finishes what a crash interrupted between two journals: ledgers that were to be opened, changed or deleted. The
 * journal index lists the events that began it. Called once the index has caught up with the log. One that cannot be
 * finished does not stop the others. Errors: AggregateError of all of those.
 */
export async function resumeLedgers(
  journals: Journals,
  { index, store }: Readonly<{ index: JournalIndex; store: EventStore }>,
): Promise<void> {
  const errors: unknown[] = [];
  for (const { journal, key } of await index.list('open')) {
    if (/^(group|settings)-/.test(journal)) continue; // See resume-groups.ts, resume-indexes.ts.
    try {
      const revision = (await index.find(journal, 'open', [key])).get(key);
      if (revision === undefined) continue;
      const [stored] = await store.read(journal, revision, 1);
      if (stored === undefined) throw new Error(`${journal} lacks revision ${String(revision)}`);

      const event = { type: stored.type, data: JSON.parse(stored.data) as object } as Begun;
      const { actor, tenantId, requestId } = JSON.parse(stored.metadata) as EventMetadata;
      const context = { actor, tenantId, requestId };
      await resume((to, command) => journals.submit(to, { command, context }), event, {
        journal,
        revision,
      });
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, errors.map(String).join('; '));
}

type Begun = OrganizationEvent | LedgerEvent;

async function resume(
  submit: Submit,
  event: Begun,
  { journal, revision }: Readonly<{ journal: string; revision: Revision }>,
): Promise<void> {
  switch (event.type) {
    case 'LedgerNameReserved':
      await resumeLedger(submit, event, revision);
      break;
    case 'LedgerRenameReserved':
    case 'LedgerMetadataReserved':
      await resumeRename(submit, ownerOf(journal), event, revision);
      break;
    case 'LedgerClosed': {
      const { id, organizationId } = event.data.ledger;
      await freeNames(submit, { organizationId, ledgerId: id });
      break;
    }
    default:
      throw new Error(`${journal} began nothing with ${event.type}`);
  }
}
