import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { Side } from '#src/events/shared.ts';

/** The records of a ledger that stand for themselves. */
export type LedgerRecords = Readonly<{
  segments: Records<Segment>;
  portfolios: Records<Portfolio>;
  accountTypes: Records<AccountType>;
}>;

/** The name is its own among the segments of the ledger. */
export type Segment = Readonly<{ id: Uuid; name: string; revision: Revision }>;

/** With the owner that accounts in it take over. */
export type Portfolio = Readonly<{ id: Uuid; entityId?: string; revision: Revision }>;

/** The key is its own among the types of the ledger; accounts of the type begin with the direction. */
export type AccountType = Readonly<{
  id: Uuid;
  keyValue: string;
  direction: Side;
  revision: Revision;
}>;

export const emptyRecords = (): LedgerRecords => ({
  segments: new Records(({ name }) => name),
  portfolios: new Records(),
  accountTypes: new Records(({ keyValue }) => keyValue),
});

type Known = Readonly<{ id: Uuid; revision: Revision }>;

/**
 * The live records of one kind, as far as decisions need to know them. Where a kind has a text that no two of its
 * records may share, `uniqueOf` says which one it is.
 */
export class Records<One extends Known> {
  readonly #byId = new Map<Uuid, One>();
  readonly #byText = new Map<string, One>();
  readonly #uniqueOf: (one: One) => string | undefined;

  constructor(uniqueOf: (one: One) => string | undefined = () => undefined) {
    this.#uniqueOf = uniqueOf;
  }

  get(id: Uuid): One | undefined {
    return this.#byId.get(id);
  }

  /** Who has this text. */
  having(text: string): One | undefined {
    return this.#byText.get(text);
  }

  all(): Iterable<One> {
    return this.#byId.values();
  }

  /** Adds a record, or replaces the one with its id. */
  put(one: One): void {
    this.remove(one.id);
    this.#byId.set(one.id, one);
    const text = this.#uniqueOf(one);
    if (text !== undefined) this.#byText.set(text, one);
  }

  remove(id: Uuid): void {
    const one = this.#byId.get(id);
    if (one === undefined) return;
    this.#byId.delete(id);
    const text = this.#uniqueOf(one);
    if (text !== undefined) this.#byText.delete(text);
  }
}
