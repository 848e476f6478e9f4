import { differ } from './difference.ts';

/** The auditor's view of one kind of record: its live ones, no two of which share a text in a member that is `unique`. */
export class LiveRecords<One extends Readonly<{ id: string }>> {
  /** `AccountType` in types of events, `account type` in differences. */
  readonly #name: string;
  readonly #kind: string;
  readonly #unique: (keyof One & string) | undefined;
  readonly #live = new Map<string, One>();
  readonly #taken = new Map<unknown, One>();

  constructor(name: string, unique?: keyof One & string) {
    this.#name = name;
    this.#kind = name.replaceAll(/(?<=.)[A-Z]/g, ' $&').toLowerCase();
    this.#unique = unique;
  }

  /** The rules of the kind's three events; `mine` checks that a record belongs to the journal. */
  rules(mine: (record: One) => void): Readonly<Record<string, (data: object) => void>> {
    const member = this.#name.charAt(0).toLowerCase() + this.#name.slice(1);
    const checked = (data: object): One => {
      const record = (data as Readonly<Record<string, One>>)[member]!;
      mine(record);
      return record;
    };
    return {
      [`${this.#name}Created`]: (data) => this.#add(checked(data)),
      [`${this.#name}Updated`]: (data) => {
        const record = checked(data);
        this.#drop(record);
        this.#add(record);
      },
      [`${this.#name}Deleted`]: (data) => this.#drop(checked(data)),
    };
  }

  get(id: string): One | undefined {
    return this.#live.get(id);
  }

  /** The live record with this unique text. */
  having(text: string): One | undefined {
    return this.#taken.get(text);
  }

  #add(one: One): void {
    if (this.#live.has(one.id)) differ(`${this.#kind} ${one.id} exists already`);
    if (this.#unique !== undefined) {
      const text = one[this.#unique];
      if (this.#taken.has(text)) differ(`there is another ${this.#kind} ${String(text)}`);
      this.#taken.set(text, one);
    }
    this.#live.set(one.id, one);
  }

  #drop({ id }: One): void {
    const known = this.#live.get(id) ?? differ(`there is no ${this.#kind} ${id}`);
    this.#live.delete(id);
    if (this.#unique !== undefined) this.#taken.delete(known[this.#unique]);
  }
}
