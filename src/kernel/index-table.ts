import type { DomainEvent, EventName } from './decider.ts';
import type { JournalName } from './journal-name.ts';

/** A component's declaration of what the journal index holds of its events. A type belongs to one component. */
export type IndexedEvents = Readonly<{
  /** By event type: the names under which later commands look an event up. Other events are found through the state. */
  names: Readonly<Record<string, NamesInData>>;
  /** Reads the same names from the text of the data, for types so frequent that parsing them would slow the projector. */
  namesInText?: Readonly<Record<string, NamesInText>>;
  processes: readonly OpenProcess[];
}>;

/**
 * A process that takes steps in several journals: the index lists it from the event that begins it until one that ends
 * it, so that it can be resumed. An event that is neither, although its type can be, answers undefined.
 */
export type OpenProcess = Readonly<{
  /** By event type: the key, unique among the open processes of that journal. A later beginning replaces an earlier one. */
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

/** `journal`: where the process began, when that is not the journal of the event that ends it. */
export type Ended = Readonly<{ key: string; journal?: JournalName }>;

type NamesInData = (data: never) => readonly EventName[];
type NamesInText = (text: string) => readonly EventName[];
type BegunKey = (data: never) => string | undefined;
type EndedKey = (data: never) => Ended | undefined;

/** What the index holds of every event, by event type. */
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

/** The names of an event, from its data. */
export const namesOf = (
  table: IndexTable,
  { type, data }: Pick<DomainEvent, 'type' | 'data'>,
): readonly EventName[] => table.get(type)?.names?.(data as never) ?? NONE;

/** The names of an event, from the text of its data; parsed only if it has names, and nothing reads them from the text. */
export function namesInText(
  table: IndexTable,
  { type, data }: Readonly<{ type: string; data: string }>,
): readonly EventName[] {
  const indexed = table.get(type);
  if (indexed?.namesInText !== undefined) return indexed.namesInText(data);
  return indexed?.names?.(JSON.parse(data) as never) ?? NONE;
}

const NONE: readonly EventName[] = [];
