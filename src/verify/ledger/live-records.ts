import { differ } from '#src/verify/difference.ts';

/** The live records of one kind; where a kind has a text that no two of its records share, `uniqueOf` reads it. */
export class LiveRecords<One extends Readonly<{ id: string }>> {
  readonly #kind: string;
  readonly #uniqueOf: (one: One) => string | undefined;
  readonly #live = new Map<string, One>();
  readonly #taken = new Map<string, One>();

  constructor(kind: string, uniqueOf: (one: One) => string | undefined = () => undefined) {
    this.#kind = kind;
    this.#uniqueOf = uniqueOf;
  }

  add(one: One): void {
    if (this.#live.has(one.id)) differ(`${this.#kind} ${one.id} exists already`);
    const text = this.#uniqueOf(one);
    if (text !== undefined) {
      if (this.#taken.has(text)) differ(`there is another ${this.#kind} ${text}`);
      this.#taken.set(text, one);
    }
    this.#live.set(one.id, one);
  }

  change(one: One): void {
    this.drop(one);
    this.add(one);
  }

  drop({ id }: One): void {
    const known = this.#live.get(id) ?? differ(`there is no ${this.#kind} ${id}`);
    this.#live.delete(id);
    const text = this.#uniqueOf(known);
    if (text !== undefined) this.#taken.delete(text);
  }

  get(id: string): One | undefined {
    return this.#live.get(id);
  }

  having(text: string): One | undefined {
    return this.#taken.get(text);
  }
}
