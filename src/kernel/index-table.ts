import type { DomainEvent, EventName } from './decider.ts';
import { parseData } from './event-data.ts';
import type { JournalName } from './journal-name.ts';

/** Declares what the journal index holds of a component's events. An event type belongs to one component. */
export type IndexedEvents = Readonly<{
  /** By event type, the names by which later commands look an event up. Other events are found through the state. */
  names: Readonly<Record<string, NamesInData>>;
  /** Reads the same names from the text of the data, for types so frequent that parsing them would slow the projector. */
  namesInText?: Readonly<Record<string, NamesInText>>;
  processes: readonly OpenProcess[];
}>;

/**
 * Declares the events that begin and end a process over several journals. The index lists the process in between, so that
 * it can be resumed. A function returns undefined for an event that neither begins nor ends one.
 */
export type OpenProcess = Readonly<{
  /** By event type, the key, unique among the open processes of that journal. A later beginning replaces an earlier one. */
  begins: Readonly<Record<string, BegunKey>>;
  ends: Readonly<Record<string, EndedKey>>;
}>;

/** Types the declarations of an event union, with `satisfies`. */
export type NamesOf<Event extends DomainEvent> = ByType<Event, readonly EventName[]>;
export type OpenProcessOf<Event extends DomainEvent> = Readonly<{
  begins: ByType<Event, string | undefined>;
  ends: ByType<Event, Ended | undefined>;
}>;
type ByType<Event extends DomainEvent, Result> = {
  readonly [Type in Event['type']]?: (data: Extract<Event, { type: Type }>['data']) => Result;
};

/** `journal` is where the process began, if it ended in another journal. */
export type Ended = Readonly<{ key: string; journal?: JournalName }>;

type NamesInData = (data: never) => readonly EventName[];
type NamesInText = (text: string) => readonly EventName[];
type BegunKey = (data: never) => string | undefined;
type EndedKey = (data: never) => Ended | undefined;

/** Defines what the index holds of an event, by event type. */
export type IndexTable = ReadonlyMap<string, IndexedType>;
export type IndexedType = Readonly<{
  names: NamesInData | undefined;
  namesInText: NamesInText | undefined;
  begins: BegunKey | undefined;
  ends: readonly EndedKey[];
}>;

/** Folds the declarations of all components, once at start. Throws when two of them declare the same type. */
export function indexTable(components: readonly IndexedEvents[]): IndexTable {
  const table = new Map<string, IndexedType>();
  for (const { names, namesInText = {}, processes } of components) {
    const types = [names, ...processes.flatMap(({ begins, ends }) => [begins, ends])];
    for (const type of new Set(types.flatMap((declared) => Object.keys(declared)))) {
      if (table.has(type)) throw new Error(`Two components index ${type}`);
      const begins = processes.flatMap((process) => process.begins[type] ?? []);
      if (begins.length > 1) throw new Error(`Two processes begin with ${type}`);
      table.set(type, {
        names: names[type],
        namesInText: namesInText[type],
        begins: begins[0],
        ends: processes.flatMap((process) => process.ends[type] ?? []),
      });
    }
  }
  return table;
}

/** Returns the names of an event from its data. */
export const namesOf = (
  table: IndexTable,
  { type, data }: Pick<DomainEvent, 'type' | 'data'>,
): readonly EventName[] => table.get(type)?.names?.(data as never) ?? NONE;

/** Returns the names of an event from the text of its data, which is parsed only if nothing reads them from the text. */
export function namesInText(
  table: IndexTable,
  { type, data }: Readonly<{ type: string; data: string }>,
): readonly EventName[] {
  const indexed = table.get(type);
  if (indexed?.namesInText !== undefined) return indexed.namesInText(data);
  return indexed?.names?.(parseData(data) as never) ?? NONE;
}

const NONE: readonly EventName[] = [];
