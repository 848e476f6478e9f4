import { journalOfLedger, journalOfOrganization } from '#commands/ledger/journals.ts';
import type { ClaimedRecord, ClaimMetadata } from '#commands/ledger/unique/claim.ts';
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
  /** Resolves when whatever this process decided without knowing of the index is in the log. False: others write too. */
  settled: () => Promise<boolean>;
  log: Log;
  sleep: (ms: number) => Promise<void>;
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
 * it cannot be, it is taken back. Errors: INDEX_CONFLICT when records share a value or it was dropped meanwhile,
 * INDEX_NOT_BUILT when there is no time left, Unavailable.
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
    // Should this fail as well, whoever finds the index too old to be in the making takes it back.
    await steps.submit(settings, { type: 'GiveUpMetadataIndex', id: index.id }).catch(() => {});
    throw error;
  }
}

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
  const values = new Values(entity, key, tenantId);
  await values.readOn(log, checkTime);
  if (!isAlone) {
    const journals = [...values.journals.keys()];
    while (journals.length > 0) {
      const some = journals.splice(0, FENCES_AT_ONCE);
      await Promise.all(some.map((journal) => claim(journal, { records: [], fence: true })));
    }
    await values.readOn(log, checkTime);
  }
  for (const [journal, found] of values.journals) {
    for (const records of inPieces(found)) await claim(journal, { records });
  }
}

type Found = Map<Uuid, ClaimedRecord & { characters: number }>;

/** The records of a tenant that ever said something under the key, by the journals that may have such. */
class Values {
  readonly journals = new Map<string, Found>();
  readonly #entity: Entity;
  readonly #key: string;
  readonly #tenantId: string;
  readonly #others = new Set<string>();
  #after = '';
  #count = 0;

  constructor(entity: Entity, key: string, tenantId: string) {
    this.#entity = entity;
    this.#key = key;
    this.#tenantId = tenantId;
  }

  /** Reads the log as far as it goes by now. Errors: Unavailable, INDEX_NOT_BUILT. */
  async readOn(log: Log, checkTime: () => void): Promise<void> {
    const member = `"${this.#key}":`;
    const last = await log.end();
    while (this.#after < last) {
      const events = await log.readAll(this.#after as never, READ_CHUNK);
      for (const event of events) {
        this.#after = event.position;
        const found = this.#foundIn(event);
        if (found === undefined || !event.data.includes(member)) continue;
        note(found, event, this.#entity, this.#key);
        this.#count += 1;
      }
      if (this.#count > EVENTS_MAX) throw tooMany();
      checkTime();
      if (events.length === 0) break;
    }
  }

  #foundIn({ stream, metadata }: Logged): Found | undefined {
    const known = this.journals.get(stream);
    if (known !== undefined || this.#others.has(stream)) return known;
    const mayHave = this.#entity.endsWith('_route') ? /^(ledger|organization)-/ : /^ledger-/;
    const isOurs = (JSON.parse(metadata) as { tenantId: string }).tenantId === this.#tenantId;
    if (!mayHave.test(stream) || !isOurs) {
      this.#others.add(stream);
      return undefined;
    }
    const found: Found = new Map();
    this.journals.set(stream, found);
    return found;
  }
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
/** Other processes believe for a second at most that there is no index; see FACT_MS of the writer. */
const OTHERS_KNOW_MS = 1500;
const FENCES_AT_ONCE = 16;
const READ_CHUNK = 512;
/** Some 200 bytes each. */
const EVENTS_MAX = 1_000_000;
const PIECE_MAX = 500;
/** Of up to four bytes each, written twice. */
const PIECE_CHARACTERS = 64 * 1024;
