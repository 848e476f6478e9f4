import { BUILDING_MS } from '#commands/settings/metadata-index.ts';
import { journalOfSettings } from '#commands/settings/settings.ts';
import { parseInstant, type Micros } from '#src/kernel/instant.ts';
import type { EventMetadata } from '#src/kernel/event-metadata.ts';
import type { SettingsEvent } from '#src/events/settings/settings.ts';
import type { Journals } from '#src/journal/journals.ts';
import type { Clock } from '#src/ports/clock.ts';
import type { EventStore } from '#src/ports/event-store.ts';
import type { JournalIndex } from '#src/ports/journal-index.ts';

export type IndexSources = Readonly<{
  index: Pick<JournalIndex, 'list' | 'find'>;
  store: Pick<EventStore, 'read'>;
  clock: Clock;
}>;

/**
 * Takes unique indexes back that nobody builds any more: begun two minutes ago, or before `alone`, since when there is
 * no other process. Who asked for one got no answer, and asks again. Errors: Unavailable.
 */
export async function resumeIndexes(
  journals: Pick<Journals, 'submit'>,
  { index, store, clock }: IndexSources,
  alone: Micros | undefined,
): Promise<void> {
  for (const { journal, key } of await index.list('open')) {
    if (!journal.startsWith('settings-')) continue;
    const at = (await index.find(journal, 'open', [key])).get(key);
    const [stored] = at === undefined ? [] : await store.read(journal, at, 1);
    if (stored === undefined) continue;
    const { actor, tenantId, requestId, recordedAt } = JSON.parse(stored.metadata) as EventMetadata;
    const begun = parseInstant(recordedAt);
    const isOld = clock.now() - begun >= BUILDING_MS * 1000;
    if (!isOld && (alone === undefined || begun >= alone)) continue;
    const { id } = (JSON.parse(stored.data) as SettingsEvent['data']).index;
    await journals.submit(journalOfSettings(tenantId), {
      command: { type: 'GiveUpMetadataIndex', id },
      context: { actor, tenantId, requestId },
    });
  }
}
