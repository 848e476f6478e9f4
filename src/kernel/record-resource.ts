import type { RefusalName } from './errors.ts';
import type { Filters } from './filters.ts';
import type { Schema } from './schema.ts';

/**
 * A kind of record, as clients and read models see it: its routes, its view, its collection and its rows are derived from
 * this declaration.
 */
export type RecordResource = Readonly<{
  /** As in the types of its commands and events, and in problem documents: `AccountType`. */
  name: string;
  /** The record in a summary, and many of them: `an account type`, `account types`. */
  nouns: readonly [one: string, many: string];
  tag: string;
  /** The last part of the path of its list, which is also its resource in permissions: `account-types`. */
  path: string;
  /** The namespace of its permissions, if that is not the platform's own. */
  namespace?: string;

  /** The body of a creation. A record has its members in this order. */
  create: Schema;
  /** The body of an update. */
  update: Schema;
  /** The record in responses; its members are those of the stored record. */
  view: Schema;
  /** Changes what a creation or an update sends, after its body was checked. */
  fields?: (sent: never) => object;
  changes?: (sent: never) => object;

  /** Continues the summary of an operation: `accounts that name it keep its id`. */
  notes?: Readonly<{ create?: string; update?: string; delete?: string }>;
  /** Sentences that the description of an operation adds to those about every record. */
  remarks?: Readonly<{ create?: string; update?: string; delete?: string }>;
  refusals?: Readonly<{
    /** `NOT_FOUND` if left out. */
    notFound?: RefusalName;
    create?: readonly RefusalName[];
    update?: readonly RefusalName[];
    delete?: readonly RefusalName[];
  }>;

  list: Readonly<{
    paging: 'page' | 'cursor' | 'union';
    filters?: Filters;
    /** The keys of rows that values of the filters stand for; an undefined one is not looked at. */
    where?: (query: never) => Readonly<Record<string, string | undefined>>;
  }>;
  rows: Readonly<{
    /** The collection, if its name is not that of the record. */
    collection?: string;
    /** The key that has the id of what a record belongs to; records of a tenant have none. */
    parent?: string;
    /** Reads that id from a record; the member named like the key if left out. */
    parentOf?: (record: never) => string;
    /** The keys by which lists filter, read from the record. */
    keys?: Readonly<Record<string, (record: never) => string | null>>;
    /** Keys with an index. */
    indexed?: readonly string[];
  }>;
}>;

/** A resource of which only the write routes are derived. */
export type WrittenResource = Omit<RecordResource, 'list' | 'rows'>;

/** The members of a body that were sent, in the order of its schema. */
export function membersIn({ properties = {} }: Schema, body: unknown): object {
  const sent = body as Readonly<Record<string, unknown>>;
  const members = Object.keys(properties).filter((name) => sent[name] !== undefined);
  return Object.fromEntries(members.map((name) => [name, sent[name]]));
}

/** Shows a record: the members of a view, in the order of its schema. */
export const viewBy =
  ({ properties = {} }: Schema) =>
  (record: object): object =>
    Object.fromEntries(
      Object.keys(properties).map((name) => [name, record[name as keyof typeof record]]),
    );
