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
  /** Additions to rows that are not in `#rows` yet. */
  #waiting: Added[] = [];
  /** Rows with what this batch adds to them. */
  #next = new Map<string, AddedRow>();

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
      if (this.#rows.has(addition.id)) this.#count(addition, position);
      else this.#waiting.push({ addition, position });
    }
  }

  #count({ id, born, keys, add: more }: Addition, position: Position): void {
    const before = this.#rows.get(id) ?? UNBORN;
    if (position <= before.position) return; // It is already counted.
    let row = this.#next.get(id);
    if (row === undefined) {
      row = { position, sums: new Map(before.sums), born, keys };
      this.#next.set(id, row);
    }
    row.position = position;
    for (const [name, amount] of more) addTo(row.sums, name, amount);
  }

  discard(): void {
    this.#waiting = [];
    this.#next = new Map();
  }

  async prepare(): Promise<void> {
    if (this.#waiting.length === 0) return;
    const missing = new Set(this.#waiting.map(({ addition }) => addition.id));
    const found = await this.#writer.current(this.name, [...missing]);
    for (const id of missing) {
      const row = found.get(id);
      this.#rows.set(id, row === undefined ? UNBORN : { ...row, sums: read(row.values['sums']) });
    }
    for (const { addition, position } of this.#waiting) this.#count(addition, position);
    this.#waiting = [];
  }

  batch(checkpoint: Position, hash = ''): CollectionBatch {
    const changes = [...this.#next].map(([id, row]) => this.#change(id, row));
    return { collection: this.name, changes, checkpoint, hash };
  }

  #change(id: string, { position, sums, born, keys }: AddedRow): Change {
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
    for (const [id, { position, sums }] of this.#next) {
      this.#rows.delete(id);
      this.#rows.set(id, { position, sums });
    }
    for (const id of this.#rows.keys()) {
      if (this.#rows.size <= ROWS_REMEMBERED) break;
      this.#rows.delete(id);
    }
    this.discard();
  }
}

type Added = Readonly<{ addition: Addition; position: Position }>;
type TallyRow = Readonly<{ position: Position; sums: ReadonlyMap<string, Amount> }>;
type AddedRow = { position: Position; readonly sums: Map<string, Amount> } & Pick<
  Addition,
  'born' | 'keys'
>;

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
