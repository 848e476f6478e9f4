import type { Position } from '#src/ports/event-store.ts';
import type { Projection } from '#src/ports/projection.ts';
import type { Change, CollectionBatch, Put, ReadStoreWriter } from '#src/ports/read-store.ts';
import type { Consumer } from './consumer.ts';
import type { LoggedEvent } from './logged-event.ts';
import type { ProjectionFault } from './projection-report.ts';

/** One read model: gathers the changes of a batch, several sets of one row folded into the last. */
export class CollectionConsumer implements Consumer {
  readonly name: string;
  readonly types: ReadonlySet<string>;
  checkpoint: Position;
  rebuilding: boolean;
  fault: ProjectionFault | undefined = undefined;
  readonly #projection: Projection;
  readonly #writer: ReadStoreWriter;
  readonly #columns: number;
  #changes = new Map<string, Change>();
  /** What rows were before a later put: it says where they, and their entries, were born. */
  #superseded: Change[] = [];

  constructor(
    projection: Projection,
    writer: ReadStoreWriter,
    at: Readonly<{ checkpoint: Position; shadow: boolean }>,
  ) {
    this.name = projection.collection.name;
    this.types = new Set(Object.keys(projection.on));
    this.checkpoint = at.checkpoint;
    this.rebuilding = at.shadow;
    this.#projection = projection;
    this.#writer = writer;
    this.#columns = Object.keys(projection.collection.values ?? {}).length;
  }

  take(event: LoggedEvent): void {
    const { position } = event;
    for (const { put, set, remove } of this.#projection.on[event.type]?.(event) ?? []) {
      if (remove !== undefined) this.#changes.set(remove.id, { position, remove });
      else if (put !== undefined) this.#put(position, put);
      else this.#set(position, set.id, set.values);
    }
  }

  #put(position: Position, put: Put): void {
    const before = this.#changes.get(put.id);
    if (before !== undefined) {
      if ('remove' in before) return; // It never comes back.
      this.#superseded.push(before);
    }
    this.#changes.set(put.id, { position, put });
  }

  #set(position: Position, id: string, values: Row['values']): void {
    const before = this.#changes.get(id);
    if (before !== undefined && 'remove' in before) return;
    if (before === undefined || ('set' in before && this.#areWhole(values))) {
      this.#changes.set(id, { position, set: { id, values } });
    } else if ('put' in before) {
      const put = { ...before.put, values: { ...before.put.values, ...values } };
      this.#changes.set(id, { position, put });
    } else {
      const merged = { ...before.set.values, ...values };
      this.#changes.set(id, { position, set: { id, values: merged } });
    }
  }

  /** Nothing of what was set before is left. */
  #areWhole(values: Row['values']): boolean {
    return Object.keys(values).length === this.#columns;
  }

  discard(): void {
    this.#changes = new Map();
    this.#superseded = [];
  }

  /** Hands over what was gathered; the caller applies it, alone or together with other collections. */
  batch(checkpoint: Position): CollectionBatch {
    return {
      collection: this.name,
      changes: [...this.#superseded, ...this.#changes.values()],
      checkpoint,
    };
  }

  async flush(checkpoint: Position): Promise<void> {
    await this.#writer.apply([this.batch(checkpoint)]);
    this.moved(checkpoint);
  }

  moved(checkpoint: Position): void {
    this.checkpoint = checkpoint;
    this.#changes = new Map();
    this.#superseded = [];
  }
}

type Row = Readonly<{ values: Readonly<Record<string, string | number | null>> }>;
