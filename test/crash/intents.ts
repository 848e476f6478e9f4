import type { Chance } from '#test/support/random.ts';
import { textOf, unitsOf } from './decimals.ts';
import type { Atomic, Intent, Items, Move, Transfer } from './intent.ts';
import type { Record } from './record.ts';

/** Invents what clients want: transfers of every shape, what may follow them, now and then an account or a ledger. */
export class Intents {
  readonly #chance: Chance;
  readonly #record: Record;
  #count = 0;
  #aliases: string[] = [];
  readonly #chosen = new Set<string>();

  constructor(chance: Chance, record: Record) {
    this.#chance = chance;
    this.#record = record;
  }

  next(): Intent {
    const roll = this.#chance.unit();
    if (roll < 0.02) return this.ledger();
    if (roll < 0.07) return this.account();
    if (roll < 0.2) return this.#held();
    if (roll < 0.35) return this.#settlement() ?? this.#held();
    if (roll < 0.41) return this.#reversal() ?? this.#simple();
    if (roll < 0.44) return this.#atomic();
    if (roll < 0.47) return this.#items('items', this.#chance.int(2, 20));
    if (roll < 0.54) return this.#keyless();
    return this.#any();
  }

  /** A stream of lines, most of which nothing can stop. */
  lines(count: number): Items {
    return this.#items('lines', count);
  }

  /** What can be found by its metadatum must not need a key. */
  #keyless(): Transfer {
    const transfer = this.#simple();
    const metadata = { keyless: transfer.key };
    const body = JSON.stringify({ ...(JSON.parse(transfer.body) as object), metadata });
    return { ...transfer, body, keyless: true };
  }

  #any(): Transfer {
    return this.#chance.is(0.25) ? this.#split() : this.#simple();
  }

  #held(): Transfer {
    const [from, to] = [this.#somebody(), this.#somebody()];
    if (from === to) return this.#simple();
    return this.#transfer(this.#amount(10n), [from], [to], true);
  }

  /** Nobody else wants to end what somebody wants to end. */
  #settlement(): Intent | undefined {
    const free = [...this.#record.held.keys()].filter((id) => !this.#chosen.has(id));
    if (free.length === 0) return undefined;
    const id = this.#chance.pick(free);
    this.#chosen.add(id);
    return { is: 'settle', id, how: this.#chance.is(0.6) ? 'commit' : 'cancel' };
  }

  #reversal(): Intent | undefined {
    const { revertible } = this.#record;
    if (revertible.length === 0) return undefined;
    const [found] = revertible.splice(this.#chance.int(0, revertible.length - 1), 1);
    return found && { is: 'revert', ...found };
  }

  #atomic(): Atomic {
    const items = Array.from({ length: this.#chance.int(2, 6) }, () => this.#any());
    return { is: 'atomic', key: `k${this.#number()}`, items };
  }

  #items(is: Items['is'], count: number): Items {
    const items = Array.from({ length: count }, () => {
      if (this.#chance.is(0.2)) return this.#any();
      return this.#transfer(this.#amount(), [OUTSIDE], [this.#somebody()]);
    });
    return { is, name: `${is} ${this.#number()}`, items, told: new Map() };
  }

  account(): Intent {
    const alias = `@a${this.#number()}`;
    const body = JSON.stringify({ assetCode: 'BRL', type: 'deposit', alias });
    return { is: 'account', alias, body };
  }

  ledger(): Intent {
    const name = `Ledger ${this.#number()}`;
    return { is: 'ledger', name, body: JSON.stringify({ name }) };
  }

  /** Money from outside, so that there is something to move. */
  fund(alias: string): Transfer {
    return this.#transfer(this.#amount(), [OUTSIDE], [alias]);
  }

  /** The smallest thing that can be done, to have written something. */
  mark(): Transfer {
    return this.#transfer(TINY, [OUTSIDE], [this.#somebody()]);
  }

  #simple(): Transfer {
    const roll = this.#chance.unit();
    const [from, to] = [this.#somebody(), this.#somebody()];
    if (roll < 0.3 || from === to) return this.#transfer(this.#amount(), [OUTSIDE], [to]);
    if (roll < 0.35) return this.#transfer(this.#amount(100n), [from], [OUTSIDE]);
    return this.#transfer(this.#amount(10n), [from], [to]);
  }

  /** Several on both sides; the last of each side takes what remains. */
  #split(): Transfer {
    const people = new Set<string>();
    const wanted = this.#chance.int(3, 8);
    for (let n = 0; n < 50 && people.size < wanted; n += 1) people.add(this.#somebody());
    const all = [...people];
    const cut = this.#chance.int(1, all.length - 1);
    return this.#transfer(this.#amount(10n), all.slice(0, cut), all.slice(cut));
  }

  #transfer(
    units: bigint,
    from: readonly string[],
    to: readonly string[],
    pending = false,
  ): Transfer {
    const key = `k${this.#number()}`;
    const sources = this.#side(units, from, 'debit');
    const destinations = this.#side(units, to, 'credit');
    const send = {
      asset: 'BRL',
      value: textOf(units),
      source: { from: sources.legs },
      distribute: { to: destinations.legs },
    };
    const moves = [...sources.moves, ...destinations.moves].filter((move) => move.units !== 0n);
    const body = JSON.stringify({ description: key, ...(pending && { pending }), send });
    return { is: 'transfer', key, body, moves, pending };
  }

  #side(units: bigint, aliases: readonly string[], direction: Move['direction']) {
    const legs: object[] = [];
    const moves: Move[] = [];
    let left = units;
    aliases.forEach((alias, n) => {
      const last = n === aliases.length - 1;
      const share = BigInt(this.#chance.int(1, 99));
      const part = last ? left : tidied((left * share) / 100n);
      left -= part;
      if (part === 0n && !last) return;
      moves.push({ alias, direction, units: part });
      legs.push(
        last && aliases.length > 1
          ? { accountAlias: alias, remaining: 'remaining' }
          : { accountAlias: alias, amount: { asset: 'BRL', value: textOf(part) } },
      );
    });
    return { legs, moves };
  }

  /** Up to nine digits before the point and thirty behind it. */
  #amount(divisor = 1n): bigint {
    const whole = this.#chance.digits(this.#chance.int(1, 9)).replace(/^0+(?=\d)/, '');
    const fraction = this.#chance.digits(this.#chance.int(1, 26));
    return tidied(unitsOf(`${whole}.${fraction}1`) / divisor);
  }

  #somebody(): string {
    if (this.#aliases.length < this.#record.accounts.size - 1) {
      this.#aliases = [...this.#record.accounts.keys()].filter((alias) => alias !== OUTSIDE);
    }
    return this.#chance.pick(this.#aliases);
  }

  #number(): number {
    this.#count += 1;
    return this.#count;
  }
}

export const OUTSIDE = '@external/BRL';

/** Requests may have thirty fractional digits, four fewer than units. */
const TINY = 10_000n;
const tidied = (units: bigint): bigint => (units / TINY) * TINY;
