import { imageAt, needsBeforeImages } from './before-image.ts';
import type { Decision, DomainEvent, Facts, Needs, Stamp } from './decider.ts';
import { detached } from './detached.ts';
import type { Finding, Refusal } from './errors.ts';
import type { Revision, Uuid } from './ids.ts';
import type { Instant } from './instant.ts';
import {
  mergedMetadata,
  patched,
  patchedStatus,
  replacedMetadata,
  type MetadataChanges,
  type StatusChanges,
} from './patch.ts';
import { checkRecordSize } from './record-size.ts';
import { Records, type RecordKey } from './records.ts';

/** Every record has these members, besides its own and the ids of what it belongs to. */
export type Lifetime = Readonly<{
  id: Uuid;
  createdAt: Instant;
  updatedAt: Instant;
  deletedAt: Instant | null;
}>;

/** The events of a kind of record; each carries its after-image, as in `data.segment`. */
export type RecordEvent<Name extends string, Image> =
  | Readonly<{ type: `${Name}Created`; data: ImageIn<Name, Image> }>
  | Readonly<{
      type: `${Name}Updated`;
      data: ImageIn<Name, Image> & Readonly<{ changed: readonly string[] }>;
    }>
  | Readonly<{ type: `${Name}Deleted`; data: ImageIn<Name, Image> }>;

type ImageIn<Name extends string, Image> = Readonly<Record<Uncapitalize<Name>, Image>>;

export type RecordCommand<Name extends string, Fields, Changes> =
  | Readonly<{ type: `Create${Name}`; fields: Fields }>
  /** A member that is absent stays as it is. */
  | Readonly<{ type: `Update${Name}`; id: Uuid; changes: Changes }>
  | Readonly<{ type: `Delete${Name}`; id: Uuid }>;

/**
 * Defines how an update changes a member: `replace` sets the value that is sent; `status` and `merge` (metadata) follow
 * contract ledger §1.4 and §1.5; `replace-metadata` sets metadata as a whole, without the keys that are null.
 */
export type Merge = keyof typeof mergers;

type Merger = (before: unknown, sent: unknown) => unknown;
const mergers = {
  replace: (_, sent) => sent,
  status: patchedStatus as Merger,
  merge: mergedMetadata as Merger,
  'replace-metadata': (_, sent) => replacedMetadata(sent as MetadataChanges),
} satisfies Record<string, Merger>;

type ChangesBy<Fields, Patch> = {
  readonly [Member in keyof Patch & keyof Fields]?:
    | (Patch[Member] extends 'replace'
        ? Fields[Member]
        : Patch[Member] extends 'status'
          ? StatusChanges
          : MetadataChanges)
    | undefined;
};

/** A kind of record, as its rules see it. Its types follow from the name and from the parameter of `kept`. */
export type RecordDeclaration<Name extends string, Fields, Kept, Patch> = Readonly<{
  /** The name of the record in the types of its commands and events, and in their data: `AccountType`. */
  name: Name;
  /** The members that an update may change, in the order in which an event lists them. */
  patch: Patch;
  /** The members of a live record that decisions read. */
  kept: (fields: Fields) => Kept;
  /** Members of which no two live records have the same text, in the order in which they are checked. */
  unique?: Readonly<Partial<Record<keyof Kept & keyof Fields, (text: string) => Refusal>>>;
  notFound: () => Refusal;
}>;

/** Declares the rules of a kind of record. */
export function declareRecord<
  const Name extends string,
  Fields extends object,
  Kept extends object,
  const Patch extends { readonly [Member in keyof Fields]?: Merge },
>(declaration: RecordDeclaration<Name, Fields, Kept, Patch>) {
  type Image = Fields & Lifetime;
  type Command = RecordCommand<Name, Fields, ChangesBy<Fields, Patch>>;
  type Event = RecordEvent<Name, Image>;
  type State = Records<RecordKey & Kept>;

  const { name, patch, kept, notFound } = declaration;
  const member = memberOf(name);
  const deleted = `${name}Deleted`;
  const unique = Object.entries(declaration.unique ?? {}) as [string, (text: string) => Refusal][];
  const merges = Object.entries(patch) as [keyof Image & string, Merge][];

  // The compiler cannot check the literals of a name that only the caller knows; everywhere else it does.
  const event = (step: 'Created' | 'Updated' | 'Deleted', image: object, more?: object): Event =>
    ({ type: `${name}${step}`, data: { [member]: image, ...more } }) as unknown as Event;

  const checkUnique = (records: State, sent: object, known?: object): void => {
    for (const [of, taken] of unique) {
      const text = (sent as Texts)[of];
      if (text === undefined || text === (known as Texts | undefined)?.[of]) continue;
      if (records.having(of as never, text) !== undefined) throw taken(text);
    }
  };

  const create = (records: State, fields: Fields, { ids, instant }: Stamp, parents: object) => {
    checkUnique(records, fields);
    const image = {
      id: ids.next(),
      ...parents,
      ...fields,
      createdAt: instant,
      updatedAt: instant,
      deletedAt: null,
    };
    checkRecordSize(image);
    return [event('Created', image)];
  };

  const update = (known: object, records: State, before: Image, sent: object, at: Instant) => {
    checkUnique(records, sent, known);
    const changes: Partial<Record<keyof Image, unknown>> = {};
    for (const [of, merge] of merges) {
      const value = (sent as Readonly<Record<string, unknown>>)[of];
      if (value !== undefined) changes[of] = mergers[merge](before[of], value);
    }
    const { record, changed } = patched<Image>(before, changes as Partial<Image>, at);
    checkRecordSize(record);
    const updated = event('Updated', record, { changed });
    return changed.length === 0 ? { unchanged: updated } : [updated];
  };

  return {
    name,
    commands: [`Create${name}`, `Update${name}`, `Delete${name}`] as Command['type'][],
    events: [`${name}Created`, `${name}Updated`, deleted] as Event['type'][],

    initialState: (): State => new Records(unique.map(([of]) => of)),

    needs(records: State, command: Command, facts: Facts): Needs | undefined {
      const known = 'id' in command ? records.get(command.id) : undefined;
      return known && needsBeforeImages(facts, known.revision);
    },

    /** `parents`: the ids of what a new record belongs to, by member. */
    decide(
      records: State,
      command: Command,
      facts: Facts,
      stamp: Stamp,
      parents: object,
    ): Decision<Event> {
      if ('fields' in command) return create(records, command.fields, stamp, parents);
      const known = records.get(command.id);
      if (known === undefined) throw notFound();
      const before = imageAt(member, known.revision, facts) as Image;
      const { instant } = stamp;
      if ('changes' in command) return update(known, records, before, command.changes, instant);
      return [event('Deleted', { ...before, updatedAt: instant, deletedAt: instant })];
    },

    evolve(records: State, { type, data }: Event, revision: Revision): void {
      const image = data[member as Uncapitalize<Name>];
      if (type === deleted) records.remove(image.id);
      else records.put({ id: detached(image.id), ...kept(image), revision });
    },
  };
}

/** The rules of a kind of record without its types, for a journal with several kinds. */
export type AnyRecord = Readonly<{
  name: string;
  commands: readonly string[];
  events: readonly string[];
  initialState(): object;
  needs(records: never, command: never, facts: Facts): Needs | undefined;
  decide(
    records: never,
    command: never,
    facts: Facts,
    stamp: Stamp,
    parents: object,
  ): Decision<DomainEvent>;
  evolve(records: never, event: never, revision: Revision): void;
}>;

/** Returns the details of a refusal because another record has the same text. */
export const isTaken = (location: string, value: string): Readonly<{ findings: Finding[] }> => ({
  findings: [{ location, message: 'is taken', value }],
});

/** Returns the member of event data that has the record: `accountType` for `AccountType`. */
export const memberOf = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

/** Returns the form of the name in metadata indexes: `account_type` for `AccountType`. */
export const entityOf = (name: string): string =>
  memberOf(name).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

type Texts = Readonly<Record<string, string | undefined>>;
