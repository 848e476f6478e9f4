import { claimedNames, claimsIn } from '#src/kernel/claims.ts';
import type { DomainEvent, EventName, Facts, JournalFact } from '#src/kernel/decider.ts';
import { parseData } from '#src/kernel/event-data.ts';
import type { Revision } from '#src/kernel/ids.ts';
import { namesInText, type IndexTable } from '#src/kernel/index-table.ts';
import { settingsJournal, type JournalName } from '#src/kernel/journal-name.ts';
import { WrongExpectedRevision, type StoredEvent } from '#src/ports/event-store.ts';
import { intact } from '#src/ports/intact.ts';
import type { Batches } from './batches.ts';
import type { InMemory, LookUp } from './facts.ts';
import type { KnownKey } from './recent-keys.ts';
import { recalled } from './reload.ts';
import { knownKeyOf } from './resident.ts';
import type { NotYetIndexed } from './not-yet-indexed.ts';
import type { WriterPorts } from './writer-ports.ts';

/** The public state of other journals. Errors: Unavailable. */
export interface OtherJournals {
  fact(name: JournalName, tenantId: string): Promise<JournalFact | undefined>;
  /** Returns it without waiting: undefined if that is not possible, null if the journal does not exist. */
  factAtHand(name: JournalName, tenantId: string): JournalFact | null | undefined;
}

/** Looks up for a writer what the state of its journal does not contain. */
export type FactLookup = Readonly<{
  /** Known without waiting: names that are not indexed yet, events that are not in the log yet. */
  inMemory: InMemory;
  /** `inMemory` in the form of facts. */
  atHand: Facts;
  /**
   * Reads other journals again at the next use. In between their facts do not change, so that a command for which they were
   * fresh enough when its needs were checked does not find them too old when it is decided.
   */
  lookAgain: () => void;
  /** Looks up in the index, the log and other journals, for one tenant. */
  elsewhere: (tenantId: string) => LookUp;
  /** Looks up an idempotency key. Errors: Unavailable, also when the index is wrong about it; Damaged. */
  key: (key: string) => Promise<KnownKey | undefined>;
}>;

/** The journal for which facts are looked up: its last durable revision, and its tenant once it has begun. */
type LookupJournal = Readonly<{
  durable: () => Revision;
  tenantId: () => string | undefined;
  /** Reports that the index is wrong and must be rebuilt. Returns the error for the caller. */
  doubted: (reason: string) => Error;
}>;

export function createFactLookup<Command, Event extends DomainEvent>(
  journal: string,
  { index, store, indexTable }: Pick<WriterPorts, 'index' | 'store' | 'indexTable'>,
  others: OtherJournals,
  unindexed: NotYetIndexed,
  batches: Batches<Command, Event>,
  { durable, tenantId: ownTenant, doubted }: LookupJournal,
): FactLookup {
  let known = new Map<JournalName, JournalFact | null>();
  const factAtHand = (name: JournalName, tenantId: string): JournalFact | null | undefined => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const found = others.factAtHand(name, tenantId);
    if (found !== undefined) known.set(name, found); // Null is known, too: there is no such journal.
    return found;
  };
  const inMemory: InMemory = {
    journal: (name, asks) => {
      const tenantId = ownTenant() ?? asks;
      return tenantId === undefined ? undefined : factAtHand(name, tenantId);
    },
    revisionOf: (name) => unindexed.revisionOf(name),
    event: (revision) => {
      const event = batches.intended(revision);
      return event && { type: event.type, data: parseData(event.data) };
    },
    settings: (asks) => {
      const tenantId = ownTenant() ?? asks;
      return tenantId === undefined ? undefined : factAtHand(settingsJournal(tenantId), tenantId);
    },
  };
  return {
    inMemory,
    lookAgain: () => {
      if (known.size > 0) known = new Map(); // A cleared Map keeps all its tables until a full collection.
    },
    atHand: {
      ...inMemory,
      journal: (name) => inMemory.journal(name),
      settings: () => inMemory.settings(),
    },
    elsewhere: (tenantId) => ({
      journal: (name) => others.fact(name, tenantId),
      settings: () => others.fact(settingsJournal(tenantId), tenantId),
      revisions: (kind, keys) => index.find(journal, kind, keys, unindexed.trimmed),
      event: async (revision, names) => {
        const [stored] = await store.read(journal, revision, 1);
        const isKnown = revision <= durable() || batches.intended(revision)?.id === stored?.id;
        // Another process wrote it, and the index heard of it before this one: the state is behind.
        if (!isKnown) throw new WrongExpectedRevision(journal, durable(), revision);
        const event = stored && recalled(intact(stored));
        if (names.length > 0 && (stored === undefined || !bears(stored, names, indexTable))) {
          throw doubted(`what it holds under ${names[0]!.key} is not revision ${String(revision)}`);
        }
        return event;
      },
    }),
    key: async (key) => {
      const found = await index.find(journal, 'idempotency', [key], unindexed.trimmed);
      const revision = found.get(key);
      if (revision === undefined) return undefined;
      const [event] = await store.read(journal, revision, 1);
      const known = event && knownKeyOf(intact(event));
      if (known?.key === key) return known;
      throw doubted(`revision ${String(revision)} was not written under the key it names`);
    },
  };
}

/** Returns whether a stored event has these names. */
function bears(stored: StoredEvent, names: readonly EventName[], table: IndexTable): boolean {
  const own = [...namesInText(table, stored), ...claimedNames(claimsIn(stored.metadata))];
  return names.every(({ kind, key }) => own.some((name) => name.kind === kind && name.key === key));
}
