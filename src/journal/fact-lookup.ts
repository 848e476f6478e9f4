import { claimedNames, claimsIn } from '#src/kernel/claims.ts';
import type { DomainEvent, EventName, Facts, JournalFact } from '#src/kernel/decider.ts';
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

/** Who asks the journal that owns a fact. Errors: Unavailable. */
export interface OtherJournals {
  fact(name: JournalName, tenantId: string): Promise<JournalFact | undefined>;
  /** Without waiting; undefined when that cannot be said, null when there is no such thing. */
  factAtHand(name: JournalName, tenantId: string): JournalFact | null | undefined;
}

/** Where a writer finds what the state of its journal does not say. */
export type FactLookup = Readonly<{
  /** Without waiting: names above the index, events on their way into the log. */
  inMemory: InMemory;
  /** The same as facts; of other journals but the settings nothing is at hand. */
  atHand: Facts;
  /**
   * Begins another look at what is at hand. Until the next one the settings stay what they were when they were first
   * asked for: a command that knows them when its needs are checked must not find them too old when it is decided.
   */
  lookAgain: () => void;
  /** In the index, the log and other journals, for one tenant. */
  elsewhere: (tenantId: string) => LookUp;
  /** Errors: Unavailable, also when the index is wrong about it; Damaged. */
  key: (key: string) => Promise<KnownKey | undefined>;
}>;

/** What is known of the journal that looks: the last revision in the log, and whose it is once it has begun. */
type LookupJournal = Readonly<{
  durable: () => Revision;
  tenantId: () => string | undefined;
  /** The index is wrong, and is to be built again. Answers what a caller is told. */
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
  let settings: JournalFact | null | undefined;
  const inMemory: InMemory = {
    revisionOf: (name) => unindexed.revisionOf(name),
    event: (revision) => {
      const event = batches.intended(revision);
      return event && { type: event.type, data: JSON.parse(event.data) as object };
    },
    settings: (asks) => {
      const tenantId = ownTenant() ?? asks;
      if (tenantId === undefined) return undefined;
      if (settings === undefined) {
        settings = others.factAtHand(settingsJournal(tenantId), tenantId);
      }
      return settings; // Null as well: that there are none was known, too.
    },
  };
  return {
    inMemory,
    lookAgain: () => {
      settings = undefined;
    },
    atHand: { journal: () => undefined, ...inMemory, settings: () => inMemory.settings() },
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

/** Whether a stored event is one that these names lead to. */
function bears(stored: StoredEvent, names: readonly EventName[], table: IndexTable): boolean {
  const own = [...namesInText(table, stored), ...claimedNames(claimsIn(stored.metadata))];
  return names.every(({ kind, key }) => own.some((name) => name.kind === kind && name.key === key));
}
