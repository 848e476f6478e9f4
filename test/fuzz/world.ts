import { createAccount, openBook, type Book } from '#test/e2e/books.ts';
import type { Client } from '#test/support/client.ts';
import { encoded, type Planned } from './requests.ts';

/**
 * What there is to name: a few ledgers, and in each the last ids of every kind. A ledger that was deleted makes room
 * for another.
 */
export class World {
  private readonly client: Client;
  private readonly places: Place[] = [];
  private turn = 0;

  constructor(client: Client) {
    this.client = client;
  }

  async open(): Promise<void> {
    while (this.places.length + this.opening < PLACES) {
      this.opening += 1;
      const book = await openBook(this.client, {
        assets: ['BRL', 'USD'],
        accounts: ['@carol'],
        funds: { '@alice': '100000', '@bob': '100000' },
      });
      await createAccount(this.client, book.at, { assetCode: 'USD', alias: '@usd' });
      this.places.push({ book, ids: new Map() });
      this.opening -= 1;
    }
  }
  private opening = 0;

  /** The request as it is sent now, and what learns from its answer. */
  told({ template, path, query, body }: Planned): Told {
    this.turn += 1;
    const place = this.places[this.turn % this.places.length];
    if (place === undefined) throw new Error('There is no ledger left');
    let part = 0;
    const at = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const chosen = path[part++] ?? 0;
      return encoded(typeof chosen === 'string' ? chosen : named(place, name, chosen));
    });
    const filled = (text: string): string =>
      text.replaceAll(/«(\w+):(\d+)»/g, (_, kind: string, n: string) =>
        named(place, `${kind}_id`, Number(n)),
      );
    return {
      path: filled(query === '' ? at : `${at}?${query}`),
      body: body === undefined ? undefined : filled(body),
      learn: (kind, text) => {
        remember(place, kind, ID.exec(text)?.[1]);
        remember(place, 'operation_id', OPERATION.exec(text)?.[1]);
      },
      lost: () => (this.leaving = this.leave(place)),
    };
  }

  /** Resolves when there is a ledger to ask for. */
  async ready(): Promise<void> {
    if (this.places.length === 0) await this.leaving;
  }
  private leaving: Promise<void> | undefined;

  /** Opens others for what is gone or has lived long enough. */
  async renew(): Promise<void> {
    const [oldest] = this.places;
    if (oldest !== undefined && this.turn > this.renewed + LIFE) await this.leave(oldest);
  }
  private renewed = 0;

  private async leave(place: Place): Promise<void> {
    const at = this.places.indexOf(place);
    if (at < 0) return;
    this.renewed = this.turn;
    this.places.splice(at, 1);
    await this.open();
  }
}

export type Told = Readonly<{
  path: string;
  body: string | undefined;
  /** `kind` is the name of the path parameter that takes such ids. */
  learn: (kind: string, text: string) => void;
  /** The organization or the ledger is gone. */
  lost: () => Promise<void>;
}>;

type Place = Readonly<{ book: Book; ids: Map<string, string[]> }>;

function named({ book, ids }: Place, name: string, n: number): string {
  if (name === 'organization_id') return book.org;
  if (name === 'ledger_id') return book.ledger;
  const words = WORDS[name] ?? ids.get(name) ?? [];
  return words[n % words.length] ?? NONE;
}

function remember({ ids }: Place, kind: string, id: string | undefined): void {
  if (id === undefined) return;
  const known = ids.get(kind) ?? [];
  ids.set(kind, known);
  if (known.includes(id)) return;
  known.push(id);
  if (known.length > KNOWN_MAX) known.shift();
}

const PLACES = 4;
const KNOWN_MAX = 40;
const NONE = '0197f3a0-1111-7aaa-8bbb-000000000000';
/** Of a record, or of the first of a list. */
const ID = /^(?:\{"items":\[)?\{"id":"([^"]+)"/;
const OPERATION = /"operations":\[\{"id":"([^"]+)"/;
/** Requests: then what others changed in it, such as blocks, keeps too much from happening. */
const LIFE = 4000;
const WORDS: Readonly<Record<string, readonly string[]>> = {
  alias: ['@alice', '@bob', '@external/BRL', '@nobody'],
  asset_code: ['BRL', 'USD', 'EUR'],
  entity_name: ['account', 'transaction', 'organization', 'ledger', 'nothing'],
  index_key: ['a', 'b', 'c'],
};
