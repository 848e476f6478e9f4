import type { Decider, DomainEvent } from '#src/kernel/decider.ts';
import { parseData } from '#src/kernel/event-data.ts';
import { NONE, type Revision } from '#src/kernel/ids.ts';
import { parseInstant, type Micros } from '#src/kernel/instant.ts';
import type { EventMetadata } from '#src/kernel/event-metadata.ts';
import type { EventStore, Position, StoredEvent } from '#src/ports/event-store.ts';
import { damaged } from '#src/ports/intact.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import type { Snapshot, SnapshotStore } from '#src/ports/snapshot-store.ts';
import { follows, hashOf } from '#src/kernel/event-hash.ts';
import { GENESIS } from './chain.ts';
import { KeyFilter } from './key-filter.ts';
import type { KnownKey } from './recent-keys.ts';

/** The end of a journal, to which the next event is chained and which it may not precede in time. */
export type Head = {
  revision: Revision;
  hash: string;
  recordedAt: Micros;
  /** The tenant that owns the journal, which every event of it names. */
  tenantId: string | undefined;
};

/** A journal in memory. */
export type Resident<State> = {
  state: State;
  head: Head;
  keys: KeyFilter;
  /** The position of the last event that was loaded; undefined for an empty journal. */
  position?: Position;
  /** The number of events that were folded since the snapshot. */
  folded: number;
};

/** The ports that loading needs. */
export type ResidentSources = Readonly<{
  store: Pick<EventStore, 'read'>;
  snapshots: SnapshotStore;
  scheduler: Scheduler;
  /** Called after every chunk that was read, with the next revision to read. */
  onRead?: ((journal: string, next: Revision, isEnd: boolean) => void) | undefined;
}>;

export function emptyResident<State>(
  decider: Pick<Decider<State, never, never>, 'initialState'>,
): Resident<State> {
  return {
    state: decider.initialState(),
    head: { revision: NONE, hash: GENESIS, recordedAt: 0 as Micros, tenantId: undefined },
    keys: new KeyFilter(),
    folded: 0,
  };
}

/**
 * Loads a journal: the snapshot if there is a sound one, then every event after it. `visit` receives each event from
 * `visitFrom` on, including those that the snapshot covers. Yields at least every 5 ms.
 */
export async function loadResident<State, Event extends DomainEvent>(
  decider: Decider<State, never, Event>,
  journal: string,
  sources: ResidentSources,
  visit: (event: StoredEvent) => void = () => undefined,
  visitFrom: Revision = Number.POSITIVE_INFINITY,
): Promise<Resident<State>> {
  const resident = (await soundSnapshot(decider, journal, sources)) ?? emptyResident(decider);
  await foldOn(decider, journal, resident, sources, visit, visitFrom);
  return resident;
}

/** Folds the events after a resident state. Errors: Unavailable, Damaged; the state is then useless. */
export async function foldOn<State, Event extends DomainEvent>(
  decider: Decider<State, never, Event>,
  journal: string,
  resident: Resident<State>,
  sources: Omit<ResidentSources, 'snapshots'>,
  visit: (event: StoredEvent) => void,
  visitFrom: Revision,
): Promise<void> {
  let next = Math.min(resident.head.revision + 1, visitFrom);
  let last: StoredEvent | undefined;
  let sliceStarted = sources.scheduler.elapsedMs();

  for (;;) {
    const events = await sources.store.read(journal, next, READ_CHUNK);
    for (const event of events) {
      if (event.revision > resident.head.revision) {
        fold(decider, resident, event);
        last = event;
      }
      if (event.revision >= visitFrom) visit(event);
      if (sources.scheduler.elapsedMs() - sliceStarted > SLICE_MS) {
        await sources.scheduler.yield();
        sliceStarted = sources.scheduler.elapsedMs();
      }
    }
    next += events.length;
    const isEnd = events.length < READ_CHUNK;
    sources.onRead?.(journal, next, isEnd);
    if (isEnd) break;
  }
  if (last !== undefined) {
    settleHead(resident.head, last);
    resident.position = last.position;
  }
}

/** Converts a resident journal to a snapshot; the first two chunks hold its head and its keys. */
export function residentToSnapshot<State>(
  decider: Pick<Decider<State, never, never>, 'toSnapshot' | 'snapshotVersion'>,
  { state, head, keys }: Resident<State>,
): Snapshot {
  return {
    revision: head.revision,
    version: decider.snapshotVersion,
    chunks: [JSON.stringify(head), JSON.stringify(keys.toSnapshot()), ...decider.toSnapshot(state)],
  };
}

/** Finds the idempotency key of a stored event without parsing its metadata, because a replay does so for every event. */
export function keyOf(metadata: string): string | undefined {
  const at = metadata.indexOf(KEY_NAME);
  if (at < 0) return undefined;
  const from = at + KEY_NAME.length;
  const key = metadata.slice(from, metadata.indexOf('"', from));
  return key.includes('\\') ? (JSON.parse(metadata) as EventMetadata).idempotencyKey : key;
}

/** Returns the idempotency key of the request that caused a stored event, if it had one. */
export function knownKeyOf(event: StoredEvent): (KnownKey & Readonly<{ key: string }>) | undefined {
  if (!event.metadata.includes(KEY_NAME)) return undefined;
  const { idempotencyKey, requestHash, idempotencyExpiresAt } = JSON.parse(
    event.metadata,
  ) as EventMetadata;
  if (idempotencyKey === undefined || requestHash === undefined) return undefined;
  return {
    key: idempotencyKey,
    revision: event.revision,
    requestHash,
    expiresAt: idempotencyExpiresAt,
  };
}

function fold<State, Event extends DomainEvent>(
  decider: Decider<State, never, Event>,
  resident: Resident<State>,
  stored: StoredEvent,
): void {
  if (stored.revision !== resident.head.revision + 1) {
    throw new Error(`${stored.stream} lacks revision ${String(resident.head.revision + 1)}`);
  }
  if (!follows(stored, resident.head.hash)) throw damaged(stored);
  if (decider.evolveText?.(resident.state, stored.type, stored.data) !== true) {
    const event = { type: stored.type, data: parseData(stored.data) } as Event;
    decider.evolve(resident.state, event, stored.revision);
  }
  const key = keyOf(stored.metadata);
  if (key !== undefined) resident.keys.add(key);
  resident.head.revision = stored.revision;
  resident.head.hash = hashOf(stored.metadata);
  resident.folded += 1;
}

function settleHead(head: Head, last: StoredEvent): void {
  const { recordedAt, tenantId } = JSON.parse(last.metadata) as EventMetadata;
  head.recordedAt = parseInstant(recordedAt);
  head.tenantId = tenantId;
}

/** Ignores a snapshot that cannot be used for any reason, because the log can be folded instead. */
async function soundSnapshot<State>(
  decider: Pick<Decider<State, never, never>, 'fromSnapshot' | 'snapshotVersion'>,
  journal: string,
  sources: ResidentSources,
): Promise<Resident<State> | undefined> {
  try {
    return await residentFromSnapshot(decider, journal, sources);
  } catch {
    return undefined;
  }
}

/** Returns undefined if there is no snapshot, if this release cannot read it, or if the log lacks the event it ends with. */
async function residentFromSnapshot<State>(
  decider: Pick<Decider<State, never, never>, 'fromSnapshot' | 'snapshotVersion'>,
  journal: string,
  { snapshots, store }: ResidentSources,
): Promise<Resident<State> | undefined> {
  const snapshot = await snapshots.load(journal);
  if (snapshot?.version !== decider.snapshotVersion) return undefined;
  const [headText, keysText, ...chunks] = snapshot.chunks;
  if (headText === undefined || keysText === undefined) return undefined;

  const head = JSON.parse(headText) as Head;
  const [event] = await store.read(journal, head.revision, 1);
  if (event === undefined || hashOf(event.metadata) !== head.hash) return undefined;
  head.tenantId = (JSON.parse(event.metadata) as EventMetadata).tenantId;
  const keys = KeyFilter.fromSnapshot(JSON.parse(keysText) as string[]);
  return { state: decider.fromSnapshot(chunks), head, keys, position: event.position, folded: 0 };
}

const READ_CHUNK = 512;
const SLICE_MS = 4;
/** Without the first quotation mark: the search stops at every character like the first one. */
const KEY_NAME = 'idempotencyKey":"';
