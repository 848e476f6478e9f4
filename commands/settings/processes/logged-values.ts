import type { ClaimedRecord } from '#commands/ledger/unique/claim.ts';
import { isTransactional, recordIn, textsIn } from '#commands/ledger/unique/claimant.ts';
import { refuse } from '#src/events/settings/refusals.ts';
import { parseData } from '#src/kernel/event-data.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import { organizationJournal } from '#src/kernel/journal-name.ts';
import type { Entity } from '#src/kernel/unique-values.ts';

/** The log of all journals; positions are opaque and ordered. */
export type EventReader = Readonly<{
  readAll: (after: never, limit: number) => Promise<readonly ReadEvent[]>;
  end: () => Promise<string>;
}>;
type ReadEvent = Readonly<{
  stream: string;
  revision: Revision;
  position: string;
  type: string;
  data: string;
  metadata: string;
}>;

/** Records by their id; `characters` is the length of their values. */
export type FoundRecords = Map<Uuid, ClaimedRecord & { characters: number }>;

/** Finds records that ever had a value under the key, by journal; ledgers by their organization's. */
export class LoggedValues {
  readonly journals = new Map<string, FoundRecords>();
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

  /** Reads the log up to its current end. Errors: Unavailable, INDEX_NOT_BUILT. */
  async readOn(log: EventReader, checkTime: () => void): Promise<void> {
    const member = `"${this.#key}":`;
    const last = await log.end();
    while (this.#after < last) {
      const events = await log.readAll(this.#after as never, READ_CHUNK);
      for (const event of events) {
        this.#after = event.position;
        const found = this.#foundIn(event);
        if (found === undefined || !event.data.includes(member) || !this.#mayShow(event)) continue;
        this.#note(found, event);
        this.#count += 1;
      }
      if (this.#count > EVENTS_MAX) throw tooMany();
      checkTime();
      if (events.length === 0) break;
    }
  }

  #foundIn({ stream, metadata }: ReadEvent): FoundRecords | undefined {
    const known = this.journals.get(stream);
    if (known !== undefined || this.#others.has(stream)) return known;
    const mayHave = /_route$|^ledger$/.test(this.#entity) ? /^(ledger|organization)-/ : /^ledger-/;
    const isOurs = (JSON.parse(metadata) as { tenantId: string }).tenantId === this.#tenantId;
    if (!mayHave.test(stream) || !isOurs) {
      this.#others.add(stream);
      return undefined;
    }
    return this.#add(stream);
  }

  #add(journal: string): FoundRecords {
    const found: FoundRecords = new Map();
    this.journals.set(journal, found);
    return found;
  }

  /** Skips most events when looking for ledgers, because a ledger's journal is mostly about other records. */
  #mayShow({ type }: ReadEvent): boolean {
    return this.#entity !== 'ledger' || type.startsWith('Ledger');
  }

  #note(found: FoundRecords, { revision, type, data: text }: ReadEvent): void {
    const data = parseData(text) as LoggedData;
    const entity = this.#entity;
    const texts = textsIn({ type, data }, entity, this.#key);
    const record = recordIn({ type, data }, entity);
    if (record?.id === undefined || texts.length === 0) return;
    const { organizationId } = data.ledger ?? {};
    const above = organizationId && organizationJournal(organizationId);
    const of =
      entity === 'ledger' && above ? (this.journals.get(above) ?? this.#add(above)) : found;
    const isReversal =
      isTransactional(entity) && data.transaction?.parentTransactionId !== undefined;
    const copied = isReversal && BEGINNINGS.includes(type) ? texts : of.get(record.id)?.copied;
    of.set(record.id, { ...foundRecord(record.id, revision, texts), ...(copied && { copied }) });
  }
}

export const foundRecord = (id: Uuid, at: Revision, texts: readonly string[]) => {
  const characters = texts.reduce((sum, value) => sum + value.length, 0);
  return { id, at, texts, characters };
};

type LoggedData = Readonly<{
  transaction?: Readonly<{ parentTransactionId?: Uuid }>;
  ledger?: Readonly<{ organizationId?: Uuid }>;
}>;

/** The first events of a reversal, which copy the metadata of the original. */
const BEGINNINGS = ['TransactionPosted', 'TransactionHeld', 'GroupPrepared'];

export const tooMany = () =>
  refuse('INDEX_NOT_BUILT', 'There are more values than can be looked through in 30 s.');

const READ_CHUNK = 512;
/** Each takes about 200 bytes. */
const EVENTS_MAX = 1_000_000;
