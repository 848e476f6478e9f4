import { createHash } from 'node:crypto';
import type { MemoryLog } from '#test/doubles/memory/log.ts';
import type { EventMetadata } from '#src/kernel/event-metadata.ts';
import { START, type Position, type StoredEvent } from '#src/ports/event-store.ts';

/** An event with its texts read, by code that shares nothing with the program's own. */
export type Recorded = Readonly<{
  stored: StoredEvent;
  metadata: EventMetadata;
  data: Readonly<Record<string, unknown>>;
}>;

type Stream = {
  revision: number;
  hash: string;
  recordedAt: string;
  tenantId: string;
  /** Every use of every idempotency key, in order. */
  keys: Map<string, Recorded[]>;
};

/** Reads the log as it grows and insists on what every journal promises: order, chain, time, tenant, keys. */
export class LogOracle {
  readonly #log: MemoryLog;
  readonly #take: (event: Recorded) => void;
  readonly #streams = new Map<string, Stream>();
  readonly #byRequest = new Map<string, Recorded[]>();
  #position: Position = START;

  constructor(log: MemoryLog, take: (event: Recorded) => void) {
    this.#log = log;
    this.#take = take;
  }

  /** Takes what is new. Throws at the first broken promise. */
  follow(): void {
    for (const stored of this.#log.readAll(this.#position, 10_000)) {
      const event = read(stored);
      this.#check(event);
      this.#take(event);
      this.#position = stored.position;
    }
  }

  /** The last revision of a journal; -1 when it does not exist. */
  headOf(journal: string): number {
    return this.#streams.get(journal)?.revision ?? -1;
  }

  /** When its last event was recorded. */
  timeOf(journal: string): string {
    return this.#streams.get(journal)?.recordedAt ?? '';
  }

  /** What one attempt of a request left. */
  causedBy(requestId: string): readonly Recorded[] {
    return this.#byRequest.get(requestId) ?? [];
  }

  usesOf(journal: string, key: string): readonly Recorded[] {
    return this.#streams.get(journal)?.keys.get(key) ?? [];
  }

  *keys(): Iterable<Readonly<{ journal: string; key: string; uses: readonly Recorded[] }>> {
    for (const [journal, { keys }] of this.#streams) {
      for (const [key, uses] of keys) yield { journal, key, uses };
    }
  }

  journals(): readonly string[] {
    return [...this.#streams.keys()];
  }

  #check(event: Recorded): void {
    const { stored, metadata } = event;
    const stream = this.#streams.get(stored.stream) ?? emptyStream(metadata.tenantId);
    this.#streams.set(stored.stream, stream);
    const at = `${stored.stream} revision ${stored.revision}`;
    assertThat(stored.revision === stream.revision + 1, `${at} follows ${stream.revision}`);
    assertThat(metadata.prevHash === stream.hash, `${at} is not chained to its predecessor`);
    assertThat(metadata.hash === hashOf(stored), `${at} has a wrong hash`);
    assertThat(
      metadata.recordedAt > stream.recordedAt,
      `${at}: recorded at ${metadata.recordedAt}, after ${stream.recordedAt}`,
    );
    assertThat(metadata.tenantId === stream.tenantId, `${at} is of another tenant`);
    this.#checkRequest(event, at);
    this.#checkKey(stream, event, at);
    stream.revision = stored.revision;
    stream.hash = metadata.hash;
    stream.recordedAt = metadata.recordedAt;
  }

  /** What one request causes in a journal stands together. */
  #checkRequest(event: Recorded, at: string): void {
    const id = `${event.metadata.requestId} ${event.stored.stream}`;
    const caused = this.#byRequest.get(event.metadata.requestId) ?? [];
    const last = caused.findLast(({ stored }) => stored.stream === event.stored.stream)?.stored;
    // Reserving and settling are two commands, what is done in a group is several in each journal, and so is the making of
    // an index.
    const several = /^(LedgerName|Metadata)/.test(event.stored.type);
    const steps = several || groupOf(event) !== undefined;
    assertThat(
      last === undefined || steps || last.revision === event.stored.revision - 1,
      `${at}: ${id} was applied twice, first at ${last?.revision ?? -1}`,
    );
    caused.push(event);
    this.#byRequest.set(event.metadata.requestId, caused);
  }

  #checkKey({ keys }: Stream, event: Recorded, at: string): void {
    const { idempotencyKey: key, recordedAt } = event.metadata;
    if (key === undefined) return;
    const uses = keys.get(key) ?? [];
    const last = uses.at(-1);
    const expiry = last?.metadata.idempotencyExpiresAt;
    assertThat(
      last === undefined || (expiry !== undefined && expiry <= recordedAt) || releases(event, last),
      `${at}: the key ${key} was used before, at ${last?.stored.revision ?? -1}`,
    );
    uses.push(event);
    keys.set(key, uses);
  }
}

/** The group that an event is a step of. */
export function groupOf({ stored, data }: Recorded): string | undefined {
  if (stored.stream.startsWith('group-')) return stored.stream.slice('group-'.length);
  return (data['transaction'] as Readonly<{ groupId?: string }> | undefined)?.groupId;
}

/** A part that is given up frees the key of the request that prepared it. */
const releases = (event: Recorded, last: Recorded): boolean =>
  ['TransactionCanceled', 'GroupReleased'].includes(event.stored.type) &&
  groupOf(event) === groupOf(last) &&
  event.metadata.requestHash === last.metadata.requestHash &&
  event.metadata.idempotencyExpiresAt === event.metadata.recordedAt;

export function assertThat(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}

const emptyStream = (tenantId: string): Stream => ({
  revision: -1,
  hash: '0'.repeat(64),
  recordedAt: '',
  tenantId,
  keys: new Map(),
});

const read = (stored: StoredEvent): Recorded => ({
  stored,
  metadata: JSON.parse(stored.metadata) as EventMetadata,
  data: JSON.parse(stored.data) as Record<string, unknown>,
});

/** The definition of the chain in design §2, word by word. */
function hashOf({ type, data, metadata }: StoredEvent): string {
  const { hash: _, ...open } = JSON.parse(metadata) as EventMetadata;
  const chained = createHash('sha256').update(open.prevHash).update(type).update(data);
  return chained.update(JSON.stringify(open)).digest('hex');
}
