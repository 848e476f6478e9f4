import type { Revision, Uuid } from './ids.ts';

/** A record's id and the revision of its last event. */
export type RecordKey = Readonly<{ id: Uuid; revision: Revision }>;

/**
 * The live records of one kind, as far as decisions need to know them. No two of them have the same text in a member
 * that is `unique`.
 */
export class Records<One extends RecordKey> {
  readonly #byId = new Map<Uuid, One>();
  readonly #byText: ReadonlyMap<string, Map<unknown, One>>;

  constructor(unique: readonly string[] = []) {
    this.#byText = new Map(unique.map((member) => [member, new Map<unknown, One>()]));
  }

  get(id: Uuid): One | undefined {
    return this.#byId.get(id);
  }

  /** Returns the record that has this text in a unique member. */
  having(member: keyof One & string, text: string): One | undefined {
    return this.#byText.get(member)?.get(text);
  }

  all(): Iterable<One> {
    return this.#byId.values();
  }

  /** Adds a record, or replaces the one with its id. */
  put(one: One): void {
    this.remove(one.id);
    this.#byId.set(one.id, one);
    for (const [member, taken] of this.#byText) taken.set(one[member as keyof One], one);
  }

  remove(id: Uuid): void {
    const one = this.#byId.get(id);
    if (one === undefined) return;
    this.#byId.delete(id);
    for (const [member, taken] of this.#byText) taken.delete(one[member as keyof One]);
  }
}
