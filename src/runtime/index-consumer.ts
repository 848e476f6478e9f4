import type { Revision, Uuid } from '#src/kernel/ids.ts';
import { claimedNames, eventNames, transactionIn } from '#src/events/event-names.ts';
import type { GroupEvent, GroupStatus } from '#src/events/ledger/group.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { OrganizationEvent } from '#src/events/ledger/organization.ts';
import type { SettingsEvent } from '#src/events/settings/settings.ts';
import { ledgerJournal } from '#src/kernel/journal-name.ts';
import { readPosted } from '#src/events/ledger/posted.ts';
import type { Position } from '#src/ports/event-store.ts';
import type { IndexEntry, IndexKind, JournalIndex } from '#src/ports/journal-index.ts';
import type { Consumer } from './consumer.ts';
import type { LoggedEvent } from './logged-event.ts';
import type { ProjectionFault } from './projection-report.ts';

/** The journal index as one more reader of the log: from keys to the revisions that hold the facts. */
export class IndexConsumer implements Consumer {
  readonly name = 'journal index';
  readonly types = undefined;
  readonly rebuilding = false;
  checkpoint: Position;
  fault: ProjectionFault | undefined = undefined;
  readonly #index: Pick<JournalIndex, 'apply'>;
  #entries: IndexEntry[] = [];
  #reached = new Map<string, Revision>();

  constructor(index: Pick<JournalIndex, 'apply'>, checkpoint: Position) {
    this.#index = index;
    this.checkpoint = checkpoint;
  }

  take(event: LoggedEvent): void {
    const key = event.idempotencyKey;
    if (key !== undefined) this.#add(event, 'idempotency', key);
    const transaction = () =>
      event.type === 'TransactionPosted' ? readPosted(event.text) : transactionIn(event.data);
    for (const { kind, key: name } of eventNames(event.type, transaction)) {
      this.#add(event, kind, name);
    }
    for (const { kind, key: name } of claimedNames(event.claims)) this.#add(event, kind, name);
    switch (event.type as Known['type']) {
      case 'LedgerNameReserved':
        this.#add(event, 'open', dataOf<'LedgerNameReserved'>(event).ledger.id);
        break;
      case 'LedgerNameSettled':
        this.#add(event, 'open', dataOf<'LedgerNameSettled'>(event).ledgerId, null);
        break;
      case 'LedgerRenameReserved':
      case 'LedgerMetadataReserved':
        this.#add(event, 'open', renameOf(dataOf<'LedgerRenameReserved'>(event).ledgerId));
        break;
      case 'LedgerMetadataSettled': {
        const { id } = dataOf<'LedgerMetadataSettled'>(event).ledger;
        this.#add(event, 'open', renameOf(id), null);
        break;
      }
      case 'LedgerClosed':
        this.#add(event, 'open', dataOf<'LedgerClosed'>(event).ledger.id);
        break;
      case 'LedgerNameFreed': {
        const { ledgerId, closed } = dataOf<'LedgerNameFreed'>(event);
        this.#add(event, 'open', renameOf(ledgerId), null);
        // The step that is over was begun in the ledger's own journal.
        if (closed) {
          const journal = ledgerJournal(ledgerId);
          this.#entries.push({ journal, kind: 'open', key: ledgerId, revision: null });
        }
        break;
      }
      case 'MetadataIndexCreated': {
        const { id, building } = dataOf<'MetadataIndexCreated'>(event).index;
        if (building === true) this.#add(event, 'open', id);
        break;
      }
      case 'MetadataIndexBuilt':
      case 'MetadataIndexDeleted':
        this.#add(event, 'open', dataOf<'MetadataIndexBuilt'>(event).index.id, null);
        break;
      case 'GroupOpened':
      case 'GroupCommitOpened':
      case 'GroupDecided':
      case 'GroupFinished': {
        const { id, status } = dataOf<'GroupDecided'>(event).group;
        this.#add(event, 'open', id, isSettled(status) ? null : event.revision);
        break;
      }
      default: // Other events have no keys of their own.
    }
    this.#reached.set(event.stream, event.revision);
  }

  #add(event: LoggedEvent, kind: IndexKind, key: string, revision: number | null = event.revision) {
    this.#entries.push({ journal: event.stream, kind, key, revision });
  }

  discard(): void {
    this.#entries = [];
    this.#reached = new Map();
  }

  async flush(checkpoint: Position, hash = ''): Promise<void> {
    await this.#index.apply({ entries: this.#entries, reached: this.#reached, checkpoint, hash });
    this.checkpoint = checkpoint;
    this.#entries = [];
  }

  /** Journals reached since the last call. */
  takeReached(): ReadonlyMap<string, Revision> {
    const reached = this.#reached;
    this.#reached = new Map();
    return reached;
  }
}

/** A ledger may be renamed, or otherwise changed, before its creation is settled. */
const renameOf = (ledgerId: Uuid): string => `rename ${ledgerId}`;

/** Nothing is under way. */
const isSettled = (status: GroupStatus): boolean =>
  status === 'HELD' || status === 'POSTED' || status === 'CANCELED';

type Known = LedgerEvent | OrganizationEvent | GroupEvent | SettingsEvent;
type DataOf<Type> = Extract<Known, { type: Type }>['data'];
const dataOf = <Type>(event: LoggedEvent): DataOf<Type> => event.data;
