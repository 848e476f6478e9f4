import { journalOfLedger, journalOfOrganization } from '#commands/ledger/journals.ts';
import type { ClaimedRecord } from '#commands/ledger/unique/claim.ts';
import { isTransactional, recordIn, textsIn } from '#commands/ledger/unique/holder.ts';
import type { DomainEvent, JournalOf } from '#src/domain/decider.ts';
import { refuse } from '#src/domain/errors.ts';
import type { Revision, Uuid } from '#src/domain/ids.ts';
import { categoryOf, ownerOf } from '#src/domain/journal-name.ts';
import type { Entity } from '#src/domain/unique-values.ts';
import type { MetadataIndexRecord, SettingsEvent } from '#src/events/settings.ts';
import { journalOfSettings } from './settings.ts';

/** How the making of a unique index reaches the journals, and the log that has all values there are. */
export type BuildSteps = Readonly<{
  submit: <Command, Event extends DomainEvent>(
    journal: JournalOf<Command, Event>,
    command: Command,
  ) => Promise<Readonly<{ events: readonly Event[]; revision: Revision }>>;
  /** Resolves when whatever was decided without knowing of the index is in the log. */
  settled: () => Promise<void>;
  log: Log;
  elapsedMs: () => number;
}>;

/** Opaque positions, in order. */
type Log = Readonly<{
  readAll: (after: never, limit: number) => Promise<readonly Logged[]>;
  end: () => Promise<string>;
}>;
type Logged = Readonly<{
  stream: string;
  revision: Revision;
  position: string;
  type: string;
  data: string;
  metadata: string;
}>;

/**
 * Second part of the making of a unique index: its first event binds every write from now on; what was written before is
 * read from the log and claimed, journal by journal, in each for what its state says today. Then the index is built. If
 * it cannot be, it is taken back. Errors: INDEX_NOT_BUILT, Unavailable.
 */
export async function buildIndex(
  steps: BuildSteps,
  index: MetadataIndexRecord,
  tenantId: string,
): Promise<Readonly<{ event: SettingsEvent; revision: Revision }>> {
  const settings = journalOfSettings(tenantId);
  const endMs = steps.elapsedMs() + BUILD_MS;
  const checkTime = (): void => {
    if (steps.elapsedMs() > endMs) throw tooMany();
  };
  try {
    await steps.settled();
    for (const [journal, found] of await valuesOf(index, tenantId, steps.log, checkTime)) {
      for (const records of inPieces(found)) {
        checkTime();
        const { entityName: entity, metadataKey: key } = index;
        const command = { type: 'ClaimMetadata', entity: entity as Entity, key, records } as const;
        const id = ownerOf(journal);
        await (categoryOf(journal) === 'ledger'
          ? steps.submit(journalOfLedger(id), command)
          : steps.submit(journalOfOrganization(id), command));
      }
    }
    const { events, revision } = await steps.submit(settings, {
      type: 'FinishMetadataIndex',
      id: index.id,
    });
    const [event] = events;
    if (event === undefined) throw new Error('A built index is one event');
    return { event, revision };
  } catch (error) {
    // Should this fail as well, whoever finds the index too old to be in the making takes it back.
    await steps.submit(settings, { type: 'GiveUpMetadataIndex', id: index.id }).catch(() => {});
    throw error;
  }
}

type Found = Map<Uuid, ClaimedRecord & { characters: number }>;

/** Records of the tenant that ever said something under the key, by their journals. */
async function valuesOf(
  { entityName, metadataKey: key }: MetadataIndexRecord,
  tenantId: string,
  { readAll, end }: Log,
  checkTime: () => void,
): Promise<Map<string, Found>> {
  const entity = entityName as Entity;
  const journals = new Map<string, Found>();
  const member = `"${key}":`;
  const last = await end();
  let count = 0;
  for (let after = ''; after < last;) {
    const events = await readAll(after as never, READ_CHUNK);
    for (const event of events) {
      after = event.position;
      if (!event.data.includes(member) || !/^(ledger|organization)-/.test(event.stream)) continue;
      if ((JSON.parse(event.metadata) as { tenantId: string }).tenantId !== tenantId) continue;
      const found = journals.get(event.stream) ?? new Map<Uuid, never>();
      journals.set(event.stream, found);
      note(found, event, entity, key);
      count += 1;
    }
    if (count > EVENTS_MAX) throw tooMany();
    checkTime();
    if (events.length === 0) break;
  }
  return journals;
}

function note(found: Found, { revision, type, data: text }: Logged, entity: Entity, key: string) {
  const data = JSON.parse(text) as Readonly<{ transaction?: Reversal }>;
  const texts = textsIn({ type, data }, entity, key);
  const record = recordIn({ type, data }, entity);
  if (record?.id === undefined || texts.length === 0) return;
  const known = found.get(record.id);
  const isReversal = isTransactional(entity) && data.transaction?.parentTransactionId !== undefined;
  const copied = isReversal && BEGINNINGS.includes(type) ? texts : known?.copied;
  const characters = texts.reduce((sum, value) => sum + value.length, 0);
  found.set(record.id, {
    id: record.id,
    at: revision,
    texts,
    characters,
    ...(copied && { copied }),
  });
}

type Reversal = Readonly<{ parentTransactionId?: Uuid }>;

/** What a reversal begins with; it says what its original said. */
const BEGINNINGS = ['TransactionPosted', 'TransactionHeld', 'GroupPrepared'];

/** Each fits one append, however long the values are. */
function* inPieces(found: Found): Iterable<readonly ClaimedRecord[]> {
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

const tooMany = () =>
  refuse('INDEX_NOT_BUILT', 'There are more values than can be looked through in 30 s.');

const BUILD_MS = 30_000;
const READ_CHUNK = 512;
/** Some 200 bytes each. */
const EVENTS_MAX = 1_000_000;
const PIECE_MAX = 500;
/** Of up to four bytes each, written twice. */
const PIECE_CHARACTERS = 64 * 1024;
