import type { ClaimedRecord } from '#commands/ledger/unique/claim.ts';
import { isTransactional, recordIn, textsIn } from '#commands/ledger/unique/claimant.ts';
import { refuse } from '#src/events/settings/refusals.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import { organizationJournal } from '#src/kernel/journal-name.ts';
import type { Entity } from '#src/kernel/unique-values.ts';

/** Opaque positions, in order. */
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

/** `characters`: of its values. */
export type FoundRecords = Map<Uuid, ClaimedRecord & { characters: number }>;

/**
 * The records of a tenant that ever said something under the key, by the journals that may have such; ledgers by that of
 * their organization.
 */
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

  /** Reads the log as far as it goes by now. Errors: Unavailable, INDEX_NOT_BUILT. */
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

  /** A ledger's journal is about little else than other records. */
  #mayShow({ type }: ReadEvent): boolean {
    return this.#entity !== 'ledger' || type.startsWith('Ledger');
  }

  #note(found: FoundRecords, { revision, type, data: text }: ReadEvent): void {
    const data = JSON.parse(text) as LoggedData;
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

/** What a reversal begins with; it says what its original said. */
const BEGINNINGS = ['TransactionPosted', 'TransactionHeld', 'GroupPrepared'];

export const tooMany = () =>
  refuse('INDEX_NOT_BUILT', 'There are more values than can be looked through in 30 s.');

const READ_CHUNK = 512;
/** Some 200 bytes each. */
const EVENTS_MAX = 1_000_000;
