import type { Position } from '#src/ports/event-store.ts';
import type { Projection, Rows } from '#src/ports/projection.ts';
import type { Change, CollectionBatch, ReadStoreWriter } from '#src/ports/read-store.ts';
import type { CollectionWriter } from './consumer.ts';
import type { LoggedEvent } from './logged-event.ts';
import type { ProjectionFault } from './projection-report.ts';
import { TallyConsumer } from './tally-consumer.ts';

/** Returns the consumer that folds a projection of either kind. */
export const consumerOf = (
  projection: Projection,
  writer: ReadStoreWriter,
  at: Readonly<{ checkpoint: Position; shadow: boolean }>,
): CollectionWriter =>
  'adds' in projection
    ? new TallyConsumer(projection, writer, at)
    : new CollectionConsumer(projection, writer, at);

/** Folds one read model: gathers the changes of a batch and merges several sets of one row. */
class CollectionConsumer implements CollectionWriter {
  readonly name: string;
  readonly types: ReadonlySet<string>;
  checkpoint: Position;
  rebuilding: boolean;
  fault: ProjectionFault | undefined = undefined;
  readonly #projection: Rows;
  readonly #writer: ReadStoreWriter;
  readonly #columns: number;
  /** Changes with puts or removes; they stay in the order of the log, in which rows and entries are born. */
  #changes: Change[] = [];
  /** The index of the last change of each row. */
  #last = new Map<string, number>();
  #wishes: NonNullable<CollectionBatch['wishes']>[number][] = [];

  constructor(
    projection: Rows,
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
    for (const { put, set, remove, wish } of this.#projection.on[event.type]?.(event) ?? []) {
      if (wish !== undefined) this.#wishes.push({ ...wish, position });
      else if (remove !== undefined) this.#add(remove.id, { position, remove });
      else if (put !== undefined) this.#add(put.id, { position, put });
      else this.#set(position, set.id, set.values);
    }
  }

  #add(id: string, change: Change): void {
    if (this.#columns > 0) this.#last.set(id, this.#changes.length); // Without values, nothing is set.
    this.#changes.push(change);
  }

  #set(position: Position, id: string, values: RowValues['values']): void {
    const at = this.#last.get(id);
    const before = at === undefined ? undefined : this.#changes[at];
    if (at === undefined || before === undefined) {
      this.#add(id, { position, set: { id, values } });
    } else if ('put' in before) {
      const put = { ...before.put, values: { ...before.put.values, ...values } };
      this.#changes[at] = { position, put };
    } else if ('set' in before) {
      const all = this.#areWhole(values) ? values : { ...before.set.values, ...values };
      this.#changes[at] = { position, set: { id, values: all } };
    }
  }

  /** Returns whether these values replace all values that were set before. */
  #areWhole(values: RowValues['values']): boolean {
    return Object.keys(values).length === this.#columns;
  }

  discard(): void {
    this.#changes = [];
    this.#last = new Map();
    this.#wishes = [];
  }

  batch(checkpoint: Position, hash = ''): CollectionBatch {
    const wishes = this.#wishes.length > 0 && { wishes: this.#wishes };
    return { collection: this.name, changes: this.#changes, checkpoint, hash, ...wishes };
  }

  async flush(checkpoint: Position, hash?: string): Promise<void> {
    await this.#writer.apply([this.batch(checkpoint, hash)]);
    this.moved(checkpoint);
  }

  moved(checkpoint: Position): void {
    this.checkpoint = checkpoint;
    this.#changes = [];
    this.#last = new Map();
    this.#wishes = [];
  }
}

type RowValues = Readonly<{ values: Readonly<Record<string, string | number | null>> }>;
