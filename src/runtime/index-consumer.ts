import { inOnePiece } from '#src/kernel/in-one-piece.ts';
import { claimedNames } from '#src/kernel/claims.ts';
import type { Revision } from '#src/kernel/ids.ts';
import type { IndexedType, IndexTable } from '#src/kernel/index-table.ts';
import type { Position } from '#src/ports/event-store.ts';
import type { IndexEntry, IndexKind, JournalIndex } from '#src/ports/journal-index.ts';
import type { Consumer } from './consumer.ts';
import type { LoggedEvent } from './logged-event.ts';
import type { ProjectionFault } from './projection-report.ts';

/** Builds the journal index, as one more consumer of the log. */
export class IndexConsumer implements Consumer {
  readonly name = 'journal index';
  readonly types = undefined;
  readonly rebuilding = false;
  checkpoint: Position;
  fault: ProjectionFault | undefined = undefined;
  readonly #index: Pick<JournalIndex, 'apply'>;
  readonly #table: IndexTable;
  #entries: IndexEntry[] = [];
  #reached = new Map<string, Revision>();

  constructor(index: Pick<JournalIndex, 'apply'>, table: IndexTable, checkpoint: Position) {
    this.#index = index;
    this.#table = table;
    this.checkpoint = checkpoint;
  }

  take(event: LoggedEvent): void {
    const key = event.idempotencyKey;
    if (key !== undefined) this.#add(event, 'idempotency', key);
    const indexed = this.#table.get(event.type);
    if (indexed !== undefined) this.#addNames(event, indexed);
    for (const { kind, key: name } of claimedNames(event.claims)) this.#add(event, kind, name);
    if (indexed !== undefined) this.#addProcesses(event, indexed);
    this.#reached.set(event.stream, event.revision);
  }

  #addNames(event: LoggedEvent, { names, namesInText }: IndexedType): void {
    if (names === undefined) return;
    const found = namesInText === undefined ? names(event.data) : namesInText(event.text);
    for (const { kind, key } of found) this.#add(event, kind, key);
  }

  #addProcesses(event: LoggedEvent, { begins, ends }: IndexedType): void {
    const begun = begins?.(event.data);
    if (begun !== undefined) this.#add(event, 'open', begun);
    for (const endedKey of ends) {
      const ended = endedKey(event.data);
      if (ended === undefined) continue;
      const { journal = event.stream, key } = ended;
      this.#entries.push({ journal, kind: 'open', key, revision: null });
    }
  }

  /** Copies the key: a part of an event would keep all of its text in memory until the index is written. */
  #add(event: LoggedEvent, kind: IndexKind, name: string): void {
    const key = inOnePiece(name.slice(0, HALF), name.slice(HALF));
    this.#entries.push({ journal: event.stream, kind, key, revision: event.revision });
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

  /** Returns the journals reached since the last call. */
  takeReached(): ReadonlyMap<string, Revision> {
    const reached = this.#reached;
    this.#reached = new Map();
    return reached;
  }
}

const HALF = 12;
