import { add, formatAmount, parseAmount, ZERO, type Amount } from '#src/kernel/amount.ts';
import { START, type Position } from '#src/ports/event-store.ts';
import type { Addition, Tally } from '#src/ports/projection.ts';
import type { Change, CollectionBatch, ReadStoreWriter } from '#src/ports/read-store.ts';
import type { CollectionWriter } from './consumer.ts';
import type { LoggedEvent } from './logged-event.ts';
import type { ProjectionFault } from './projection-report.ts';

/**
 * Adds up amounts over the log. It writes absolute values, as for any row. A row stores the position up to which it
 * counts, so that events repeated after a crash between rows and checkpoint add nothing.
 */
export class TallyConsumer implements CollectionWriter {
  readonly name: string;
  readonly types: ReadonlySet<string>;
  checkpoint: Position;
  rebuilding: boolean;
  fault: ProjectionFault | undefined = undefined;
  readonly #tally: Tally;
  readonly #writer: ReadStoreWriter;
  /** Rows as they were last written, the most recently used at the end. */
  readonly #rows = new Map<string, TallyRow>();
  #additions: Added[] = [];
  #next = new Map<string, TallyRow>();

  constructor(
    tally: Tally,
    writer: ReadStoreWriter,
    at: Readonly<{ checkpoint: Position; shadow: boolean }>,
  ) {
    this.name = tally.collection.name;
    this.types = new Set(Object.keys(tally.adds));
    this.checkpoint = at.checkpoint;
    this.rebuilding = at.shadow;
    this.#tally = tally;
    this.#writer = writer;
  }

  take(event: LoggedEvent): void {
    const { position } = event;
    for (const addition of this.#tally.adds[event.type]?.(event) ?? []) {
      const { id, born, keys, add: more } = addition;
      this.#additions.push({ id, born, keys, add: more, position });
    }
  }

  discard(): void {
    this.#additions = [];
    this.#next = new Map();
  }

  async prepare(): Promise<void> {
    const missing = new Set<string>();
    for (const { id } of this.#additions) if (!this.#rows.has(id)) missing.add(id);
    if (missing.size === 0) return;
    const found = await this.#writer.current(this.name, [...missing]);
    for (const id of missing) {
      const row = found.get(id);
      this.#rows.set(id, row === undefined ? UNBORN : { ...row, sums: read(row.values['sums']) });
    }
  }

  batch(checkpoint: Position, hash = ''): CollectionBatch {
    this.#next = new Map();
    const first = new Map<string, Added>();
    for (const added of this.#additions) {
      const { id, position } = added;
      const before = this.#rows.get(id) ?? UNBORN;
      if (position <= before.position) continue; // It is already counted.
      if (!first.has(id)) first.set(id, added);
      const row = this.#next.get(id) ?? { position, sums: new Map(before.sums) };
      row.position = position;
      for (const name of Object.keys(added.add)) addTo(row.sums, name, added.add[name] ?? ZERO);
      this.#next.set(id, row);
    }
    const changes = [...first.values()].map((added) => this.#change(added));
    return { collection: this.name, changes, checkpoint, hash };
  }

  #change({ id, born, keys }: Added): Change {
    const { position, sums } = this.#next.get(id)!;
    const values = { sums: written(sums) };
    return this.#rows.get(id) === UNBORN
      ? { position, put: { id, born, keys, values, body: '{}' } }
      : { position, set: { id, values } };
  }

  async flush(checkpoint: Position, hash?: string): Promise<void> {
    await this.prepare();
    await this.#writer.apply([this.batch(checkpoint, hash)]);
    this.moved(checkpoint);
  }

  moved(checkpoint: Position): void {
    this.checkpoint = checkpoint;
    for (const [id, row] of this.#next) {
      this.#rows.delete(id);
      this.#rows.set(id, row);
    }
    for (const id of this.#rows.keys()) {
      if (this.#rows.size <= ROWS_REMEMBERED) break;
      this.#rows.delete(id);
    }
    this.discard();
  }
}

type Added = Addition & Readonly<{ position: Position }>;
type TallyRow = { position: Position; sums: Map<string, Amount> };

/** A row that the store does not have yet. */
const UNBORN: TallyRow = { position: START, sums: new Map() };

function addTo(sums: Map<string, Amount>, name: string, more: Amount): void {
  const sum = add(sums.get(name) ?? ZERO, more);
  if (sum === ZERO) sums.delete(name);
  else sums.set(name, sum);
}

const read = (text: unknown): Map<string, Amount> => {
  const sums = JSON.parse(String(text)) as Record<string, string>;
  return new Map(Object.entries(sums).map(([name, sum]) => [name, parseAmount(sum)]));
};

const written = (sums: ReadonlyMap<string, Amount>): string =>
  JSON.stringify(Object.fromEntries([...sums].map(([name, sum]) => [name, formatAmount(sum)])));

const ROWS_REMEMBERED = 5000;
