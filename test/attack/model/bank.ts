import { unitsOf, type Units } from './amounts.ts';
import { Refused, type AskedLeg, type AskedTransaction } from './asked.ts';

export type Side = 'debit' | 'credit';

export type Balance = {
  readonly id: string;
  readonly key: string;
  readonly direction: Side;
  available: Units;
  onHold: Units;
  owed: Units;
  version: number;
  sends: boolean;
  receives: boolean;
  /** Undefined: it may not owe; a limit of undefined: any amount. */
  overdraft: Readonly<{ limit: Units | undefined }> | undefined;
};

export type Account = {
  readonly id: string;
  readonly alias: string;
  readonly external: boolean;
  blocked: boolean;
  closed: boolean;
  readonly balances: Map<string, Balance>;
};

/** A leg as it was worked out; `owed`: what the overdraft took over when it was put on hold. */
type Leg = Readonly<{ side: Side; alias: string; key: string; amount: Units; owed?: Units }>;

export type Transaction = {
  readonly id: string;
  readonly value: Units;
  status: 'APPROVED' | 'PENDING' | 'CANCELED' | 'NOTED';
  readonly legs: readonly Leg[];
  readonly reversal: boolean;
  reverted: boolean;
};

/** What a step leaves, to be taken over when the server agrees. */
export type Outcome = Readonly<{
  status: Transaction['status'];
  value: Units;
  legs: readonly Leg[];
  /** By `alias#key`: available, on hold, owed. */
  after: ReadonlyMap<string, State>;
}>;
export type State = Readonly<Pick<Balance, 'available' | 'onHold' | 'owed'>>;

/** One ledger with one asset as the contract describes it (ledger §3.4, §4, §7), and nothing of the product's code. */
export class Bank {
  readonly accounts = new Map<string, Account>();
  readonly transactions = new Map<string, Transaction>();

  /** Errors: Refused with the code that the contract gives. */
  post({ form, value, from, to, pending }: AskedTransaction): Outcome {
    const total = unitsOf(value);
    if (total <= 0n || [...from, ...to].some(isNothing)) throw new Refused(422, '0125');
    const legs = [...workedOut('debit', from, total), ...workedOut('credit', to, total)];
    const given = new Set(from.map(nameOf));
    if (to.some((leg) => given.has(nameOf(leg)))) throw new Refused(422, '0090');
    const isPending = pending && (form === 'json' || form === 'outflow');
    if (form === 'annotation') {
      this.#checkNamed(legs);
      return { status: 'NOTED', value: total, legs, after: new Map() };
    }
    return this.#book(legs, total, isPending);
  }

  #book(legs: readonly Leg[], value: Units, isPending: boolean): Outcome {
    this.#checkNamed(legs);
    this.#checkOpen(legs);
    for (const { side, alias, key } of legs) {
      const { sends, receives } = this.#balance(alias, key);
      if (!(side === 'debit' ? sends : receives)) throw new Refused(422, '0024');
    }
    const isOutside = ({ side, alias }: Leg): boolean =>
      side === 'debit' && this.#account(alias).external;
    if (isPending && legs.some(isOutside)) throw new Refused(422, '0098');
    const states = new States(this);
    const booked = new Map<Leg, Leg>();
    for (const leg of inOrder(legs)) {
      if (leg.amount === 0n || (isPending && leg.side === 'credit')) continue;
      const owed = leg.side === 'credit' ? states.credit(leg) : states.debit(leg, isPending);
      booked.set(leg, { ...leg, owed });
    }
    const status = isPending ? 'PENDING' : 'APPROVED';
    const kept = legs.map((leg) => booked.get(leg) ?? leg);
    return { status, value, legs: kept, after: states.after };
  }

  commit(id: string): Outcome {
    const { legs, value } = this.#pending(id);
    const named = legs.filter(({ amount, side }) => amount !== 0n || side === 'credit');
    this.#checkNamed(named);
    this.#checkOpen(named);
    const states = new States(this);
    for (const leg of inOrder(legs)) {
      if (leg.amount === 0n) continue;
      if (leg.side === 'credit') states.credit(leg);
      else states.settle(leg);
    }
    return { status: 'APPROVED', value, legs, after: states.after };
  }

  cancel(id: string): Outcome {
    const { legs, value } = this.#pending(id);
    const states = new States(this);
    for (const leg of inOrder(legs)) {
      if (leg.side === 'debit' && leg.amount !== 0n) states.release(leg);
    }
    return { status: 'CANCELED', value, legs, after: states.after };
  }

  revert(id: string): Outcome {
    const found = this.transactions.get(id);
    if (found === undefined) throw new Refused(404, '0007');
    if (found.status !== 'APPROVED') throw new Refused(409, '0099');
    if (found.reverted) throw new Refused(409, '0087');
    if (found.reversal) throw new Refused(409, '0088');
    const turned = found.legs
      .filter(({ amount }) => amount !== 0n)
      .map(({ side, alias, key, amount }): Leg => {
        return { side: side === 'debit' ? 'credit' : 'debit', alias, key, amount };
      });
    return this.#book(turned, found.value, false);
  }

  #pending(id: string): Transaction {
    const found = this.transactions.get(id);
    if (found === undefined) throw new Refused(404, '0007');
    if (found.status !== 'PENDING') throw new Refused(409, '0099');
    return found;
  }

  find(alias: string, key: string): Balance | undefined {
    return this.accounts.get(alias)?.balances.get(key);
  }

  #account(alias: string): Account {
    return this.accounts.get(alias) ?? this.#missing();
  }

  #balance(alias: string, key: string): Balance {
    return this.find(alias, key) ?? this.#missing();
  }

  #missing(): never {
    throw new Refused(422, '0019');
  }

  #checkNamed(legs: readonly Leg[]): void {
    for (const { alias, key } of legs) this.#balance(alias, key);
    if (legs.some(({ key }) => key === 'overdraft')) throw new Refused(422, '0168');
  }

  #checkOpen(legs: readonly Leg[]): void {
    const accounts = legs.map(({ alias }) => this.#account(alias));
    if (accounts.some(({ closed }) => closed)) throw new Refused(422, '0519');
    if (accounts.some(({ blocked }) => blocked)) throw new Refused(422, '0502');
  }
}

/** Balances on their way through a step. */
class States {
  readonly after = new Map<string, State>();
  readonly #bank: Bank;

  constructor(bank: Bank) {
    this.#bank = bank;
  }

  /** Answers what of it the overdraft took over. */
  debit({ alias, key, amount }: Leg, holds: boolean): Units {
    const { direction, overdraft } = this.#found(alias, key);
    const { available, onHold, owed } = this.#at(alias, key);
    const held = holds ? amount : 0n;
    if (direction === 'debit') {
      this.#set(alias, key, { available: available + amount, onHold: onHold + held, owed });
      return 0n;
    }
    const lacking = amount > available ? amount - available : 0n;
    if (lacking > 0n && overdraft === undefined) throw new Refused(422, '0018');
    const limit = overdraft?.limit;
    if (lacking > 0n && limit !== undefined && owed + lacking > limit) {
      throw new Refused(422, '0167');
    }
    const own = amount - lacking;
    this.#set(alias, key, {
      available: available - own,
      onHold: holds ? onHold + own : onHold,
      owed: owed + lacking,
    });
    if (lacking > 0n) this.#companion(alias, lacking, holds ? lacking : 0n);
    return lacking;
  }

  credit({ alias, key, amount }: Leg): Units {
    const { direction } = this.#found(alias, key);
    const { available, onHold, owed } = this.#at(alias, key);
    if (direction === 'debit') {
      const isOutside = this.#bank.accounts.get(alias)?.external === true;
      if (!isOutside && available - amount < onHold) throw new Refused(422, '0018');
      this.#set(alias, key, { available: available - amount, onHold, owed });
      return 0n;
    }
    const repaid = amount < owed ? amount : owed;
    this.#set(alias, key, { available: available + amount - repaid, onHold, owed: owed - repaid });
    if (repaid > 0n) this.#companion(alias, -repaid, 0n);
    return 0n;
  }

  settle({ alias, key, amount, owed: drawn = 0n }: Leg): void {
    const { available, onHold, owed } = this.#at(alias, key);
    this.#set(alias, key, { available, onHold: onHold - (amount - drawn), owed });
    if (drawn > 0n) this.#companion(alias, 0n, -drawn);
  }

  /** What was repaid of the overdraft since the hold comes back as funds. */
  release({ alias, key, amount, owed: drawn = 0n }: Leg): void {
    const { direction } = this.#found(alias, key);
    const { available, onHold, owed } = this.#at(alias, key);
    if (direction === 'debit') {
      this.#set(alias, key, { available: available - amount, onHold: onHold - amount, owed });
      return;
    }
    const still = drawn < owed ? drawn : owed;
    this.#set(alias, key, {
      available: available + amount - still,
      onHold: onHold - (amount - drawn),
      owed: owed - still,
    });
    if (drawn > 0n) this.#companion(alias, -still, -drawn);
  }

  #companion(alias: string, more: Units, held: Units): void {
    const { available, onHold } = this.#at(alias, 'overdraft');
    const owed = 0n;
    this.#set(alias, 'overdraft', { available: available + more, onHold: onHold + held, owed });
  }

  #found(alias: string, key: string): Balance {
    const found = this.#bank.find(alias, key);
    if (found === undefined) throw new Error(`The model has no balance ${alias}#${key}`);
    return found;
  }

  #at(alias: string, key: string): State {
    return this.after.get(`${alias}#${key}`) ?? this.#found(alias, key);
  }

  #set(alias: string, key: string, state: State): void {
    this.after.set(`${alias}#${key}`, state);
  }
}

const nameOf = ({ alias, key }: AskedLeg): string => `${alias}#${key}`;
const isNothing = ({ quantity }: AskedLeg): boolean =>
  'amount' in quantity && unitsOf(quantity.amount) <= 0n;

/** Contract §7.1 steps 2 and 3. */
function workedOut(side: Side, legs: readonly AskedLeg[], total: Units): Leg[] {
  const own = legs.map(({ quantity }) => {
    if ('amount' in quantity) return unitsOf(quantity.amount);
    return 'percentage' in quantity ? (total * BigInt(quantity.percentage)) / 100n : undefined;
  });
  const rest = own.reduce<Units>((left, amount) => left - (amount ?? 0n), total);
  const open = own.filter((amount) => amount === undefined).length;
  if (open > 1 || rest < 0n || (open === 0 && rest !== 0n)) throw new Refused(422, '0073');
  return legs.map(({ alias, key }, n) => ({ side, alias, key, amount: own[n] ?? rest }));
}

/** By alias and key in byte order; legs on one balance in request order (§7.4). All of them are ASCII here. */
const inOrder = (legs: readonly Leg[]): Leg[] =>
  legs.toSorted((a, b) => compare(a.alias, b.alias) || compare(a.key, b.key));

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
