import type { DomainEvent } from '#src/kernel/decider.ts';
import type { Revision } from '#src/kernel/ids.ts';
import type { Adder, Handler, Recorded, Rows, Tally, Write } from '#src/ports/projection.ts';
import { SUMS } from '#src/ports/projection.ts';
import type { CollectionSpec, Put } from '#src/ports/read-store.ts';

/** Declares a read model; handlers are typed by the events they name. */
export const projection = <Event extends DomainEvent>(
  collection: CollectionSpec,
  on: Readonly<{ [Type in Event['type']]?: Handler<Extract<Event, { type: Type }>['data']> }>,
): Rows => ({ collection, on: on as Rows['on'] });

/**
 * Declares a read model in which each event puts one row, whose body `bodyOf` finds in the data of that event: it is made
 * only for a store that keeps it.
 */
export const logBackedProjection = <Event extends DomainEvent>(
  collection: CollectionSpec,
  bodyOf: LoggedBodyOf,
  rows: Readonly<{
    [Type in Event['type']]?: (
      event: Recorded<Extract<Event, { type: Type }>['data']>,
    ) => RowOfEvent;
  }>,
): Rows => {
  const rowsOf = Object.entries(rows) as [string, (event: Recorded<never>) => RowOfEvent][];
  const on = rowsOf.map(([type, rowOf]): [string, Handler] => [
    type,
    (event) => [{ put: new LoggedPut(rowOf(event), event.text, bodyOf) }],
  ]);
  return { collection: { ...collection, bodyFromLog: true }, on: Object.fromEntries(on), bodyOf };
};

/** Declares sums over events; each handler is typed by its event. */
export const tally = <Event extends DomainEvent>(
  collection: Omit<CollectionSpec, 'values' | 'entries'>,
  adds: Readonly<{ [Type in Event['type']]?: Adder<Extract<Event, { type: Type }>['data']> }>,
): Tally => ({ collection: { ...collection, values: SUMS }, adds: adds as Tally['adds'] });

type LoggedBodyOf = NonNullable<Rows['bodyOf']>;
type RowOfEvent = Required<Pick<Put, 'id' | 'born' | 'keys' | 'entries'>>;

class LoggedPut implements Put {
  readonly id: Put['id'];
  readonly born: Put['born'];
  readonly keys: Put['keys'];
  readonly entries: RowOfEvent['entries'];
  readonly #event: string;
  readonly #bodyOf: LoggedBodyOf;

  constructor(row: RowOfEvent, event: string, bodyOf: LoggedBodyOf) {
    this.id = row.id;
    this.born = row.born;
    this.keys = row.keys;
    this.entries = row.entries;
    this.#event = event;
    this.#bodyOf = bodyOf;
  }

  get body(): string {
    return this.#bodyOf(this.#event);
  }

  /** Searches without the quotation marks: the search stops at every character like the first one. */
  get mentionsMetadata(): boolean {
    return this.#event.includes('metadata');
  }
}

export const put = (row: Put): readonly Write[] => [{ put: row }];

export const remove = (id: string): readonly Write[] => [{ remove: { id } }];

/** The list position of an event's rows, which is the order of the journal. */
export const bornAt = (revision: Revision, ordinal = 0): number =>
  revision * ORDINALS_PER_EVENT + ordinal;

const ORDINALS_PER_EVENT = 0x1_0000;
