import { journalOfLedger, journalOfOrganization } from '#commands/ledger/journals.ts';
import type { ClaimedRecord, ClaimMetadata } from '#commands/ledger/unique/claim.ts';
import { showLedger } from '#commands/ledger/processes/show-ledger.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { Process } from '#src/journal/process.ts';
import { categoryOf, ownerOf } from '#src/kernel/journal-name.ts';
import { valueText, type Entity } from '#src/kernel/unique-values.ts';
import { indexBuild } from '#src/events/settings/open-processes.ts';
import type { MetadataIndexRecord, SettingsEvent } from '#src/events/settings/settings.ts';
import {
  foundRecord,
  LoggedValues,
  tooMany,
  type FoundRecords,
  type EventReader,
} from './logged-values.ts';
import { BUILDING_MS } from '#commands/settings/metadata-index.ts';
import { journalOfSettings, type SettingsJournal } from '#commands/settings/settings.ts';
import { OTHERS_KNOW_MS } from '#src/journal/facts-settled.ts';
import type { Steps, Submit } from '#src/journal/steps.ts';

/** The means by which the build of a unique index reaches the journals and the log. */
export type BuildSteps = Pick<Steps, 'submit' | 'sleep' | 'elapsedMs'> &
  Readonly<{
    /** Resolves when earlier decisions of this process are in the log; false if other processes write too. */
    settled: () => Promise<boolean>;
    log: EventReader;
  }>;

/**
 * Builds a unique index after its creation, whose event already constrains every new write. Values written before are
 * read from the log and claimed, journal by journal, as far as records still have them; then the index is marked as
 * built. If it cannot be built, it is taken back. Errors: INDEX_CONFLICT if records share a value or the index was
 * dropped meanwhile, INDEX_NOT_BUILT if time runs out, Unavailable.
 */
export async function buildIndex(
  steps: BuildSteps,
  index: MetadataIndexRecord,
  tenantId: string,
): Promise<Readonly<{ event: SettingsEvent; revision: Revision }>> {
  const settings = journalOfSettings(tenantId);
  try {
    await claimAll(steps, index, tenantId);
    const { events, revision } = await steps.submit(settings, {
      type: 'FinishMetadataIndex',
      id: index.id,
    });
    const [event] = events;
    if (event === undefined) throw new Error('A built index is one event');
    return { event, revision };
  } catch (error) {
    // If this fails too, a later request finds the index abandoned and takes it back.
    await steps.submit(settings, { type: 'GiveUpMetadataIndex', id: index.id }).catch(() => {});
    throw error;
  }
}

/** An interrupted build is taken back, because its request got no response and will be repeated. */
export const indexBuildProcess: Process<SettingsEvent> = {
  open: indexBuild,
  abandonedAfterMs: BUILDING_MS,
  resume({ submit }, { journal: name, event }) {
    const journal: SettingsJournal = { name };
    return submit(journal, { type: 'GiveUpMetadataIndex', id: event.data.index.id });
  },
};

async function claimAll(
  { submit, settled, log, sleep, elapsedMs }: BuildSteps,
  { entityName, metadataKey: key }: MetadataIndexRecord,
  tenantId: string,
): Promise<void> {
  const entity = entityName as Entity;
  const endMs = elapsedMs() + BUILD_MS;
  const checkTime = (): void => {
    if (elapsedMs() > endMs) throw tooMany();
  };
  const claim = (journal: string, more: Pick<ClaimMetadata, 'records' | 'fence'>) => {
    checkTime();
    const command = { type: 'ClaimMetadata', entity, key, ...more } as const;
    const id = ownerOf(journal);
    return categoryOf(journal) === 'ledger'
      ? submit(journalOfLedger(id), command)
      : submit(journalOfOrganization(id), command);
  };

  const isAlone = await settled();
  if (!isAlone) await sleep(OTHERS_KNOW_MS);
  const values = new LoggedValues(entity, key, tenantId);
  await values.readOn(log, checkTime);
  if (!isAlone) {
    const journals = [...values.journals.keys()];
    while (journals.length > 0) {
      const some = journals.splice(0, AT_ONCE);
      await Promise.all(some.map((journal) => claim(journal, { records: [], fence: true })));
    }
    await values.readOn(log, checkTime);
  }
  for (const [journal, found] of values.journals) {
    if (entity === 'ledger') await showAll(submit, journal, found, key, checkTime);
    for (const records of inPieces(found)) await claim(journal, { records });
  }
}

/** Takes ledgers' values from their organization's journal, because they are claimed there. */
async function showAll(
  submit: Submit,
  journal: string,
  found: FoundRecords,
  key: string,
  checkTime: () => void,
): Promise<void> {
  const ids = [...found.keys()];
  while (ids.length > 0) {
    checkTime();
    const show = async (ledgerId: Uuid): Promise<void> => {
      const shown = await showLedger(submit, { organizationId: ownerOf(journal), ledgerId });
      const text = valueText(shown?.ledger.metadata?.[key]);
      if (shown === undefined) found.delete(ledgerId);
      else found.set(ledgerId, foundRecord(ledgerId, shown.at, text === undefined ? [] : [text]));
    };
    await Promise.all(ids.splice(0, AT_ONCE).map(show));
  }
}

/** Splits records so that each piece fits one append, however long their values are. */
function* inPieces(found: FoundRecords): Iterable<readonly ClaimedRecord[]> {
  let piece: ClaimedRecord[] = [];
  let length = 0;
  for (const { characters, ...record } of found.values()) {
    if (piece.length > 0 && (piece.length >= PIECE_MAX || length + characters > PIECE_CHARACTERS)) {
      yield piece;
      piece = [];
      length = 0;
    }
    piece.push(record);
    length += characters;
  }
  if (piece.length > 0) yield piece;
}

const BUILD_MS = 30_000;
const AT_ONCE = 16;
const PIECE_MAX = 500;
/** A character takes up to four bytes, and each value is written twice. */
const PIECE_CHARACTERS = 64 * 1024;
