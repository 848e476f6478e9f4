import { expect } from 'chai';
import { createAsset, createLedger, createOrganization, got, NOBODY } from '#test/e2e/books.ts';
import type { Account as AccountView, Balance as BalanceView, List } from '#test/e2e/books.ts';
import type { Transaction as TransactionView } from '#test/e2e/books.ts';
import type { Answer, Client } from '#test/support/client.ts';
import type { Chance } from '#test/support/random.ts';
import { textOf, unitsOf } from './amounts.ts';
import { bodyOf, Refused, type AskedLeg, type AskedTransaction, type Form } from './asked.ts';
import { Bank, type Account, type Balance, type Outcome } from './bank.ts';

type Keyed = Readonly<{ path: string; body: object; key: string; text: string }>;
const ALIASES = Array.from({ length: 9 }, (_, n) => `@a${n}`);
const OUTSIDE = '@external/BRL';

/** A random client of one ledger, and the model that predicts every response to it. */
export class Lane {
  readonly #client: Client;
  readonly #chance: Chance;
  readonly #bank = new Bank();
  readonly #keyed: Keyed[] = [];
  readonly counts = new Map<string, number>();
  #at = '';
  #step = 0;
  #keys = 0;

  constructor(client: Client, chance: Chance) {
    this.#client = client;
    this.#chance = chance;
  }

  async open(): Promise<void> {
    const { id: org } = await createOrganization(this.#client);
    const { id } = await createLedger(this.#client, org);
    this.#at = `/v1/organizations/${org}/ledgers/${id}`;
    await createAsset(this.#client, this.#at);
    const type = { name: 'Loans', keyValue: 'loans', defaultDirection: 'debit' };
    const made = await this.#client.post(`${this.#at}/account-types`, type);
    expect(made.status, made.text).to.equal(201);
    await this.#learn(await got<AccountView>(this.#client, `${this.#at}/accounts/external/BRL`));
  }

  /** Asks for one thing and compares the response. */
  async step(): Promise<void> {
    this.#step += 1;
    const kinds = [
      ...Array<() => Promise<void>>(14).fill(() => this.#post()),
      ...Array<() => Promise<void>>(7).fill(() => this.#end()),
      ...Array<() => Promise<void>>(3).fill(() => this.#openAccount()),
      ...[() => this.#repeat(), () => this.#repeat()],
      ...[() => this.#addBalance(), () => this.#addBalance()],
      ...[() => this.#changeBalance(), () => this.#changeBalance()],
      ...[() => this.#deleteBalance(), () => this.#block(), () => this.#endAccount()],
    ];
    await this.#chance.pick(kinds)();
  }

  /** All accounts, balances and transactions of the ledger are what the model has. */
  async compare(): Promise<void> {
    const accounts = await this.#all<AccountView>('accounts');
    const shown = accounts.map(({ id, alias, blocked, closedAt }) => {
      return [id, alias, blocked, closedAt !== null].join(' ');
    });
    const own = [...this.#bank.accounts.values()];
    expect(shown.sort()).to.deep.equal(
      own.map(({ id, alias, blocked, closed }) => [id, alias, blocked, closed].join(' ')).sort(),
    );
    const balances = (await this.#all<BalanceView>('balances')).map(rowOf);
    const due = own.flatMap(({ alias, balances: all }) =>
      [...all.values()].map((balance) => modelRow(alias, balance)),
    );
    expect(balances.sort(), this.#where()).to.deep.equal(due.sort());
    const transactions = await this.#all<TransactionView>('transactions');
    expect(transactions.map(({ id, status }) => `${id} ${status.code}`)).to.deep.equal(
      [...this.#bank.transactions.values()].map(({ id, status }) => `${id} ${status}`),
    );
  }

  async #all<Item>(list: string): Promise<Item[]> {
    const items: Item[] = [];
    const isPaged = list === 'accounts';
    let more: string | undefined = '';
    for (let page = 1; more !== undefined; page += 1) {
      const query: string = isPaged ? `&page=${page}` : more;
      const found: List<Item> = await got(this.#client, `${this.#at}/${list}?limit=100${query}`);
      items.push(...found.items);
      if (isPaged) more = found.items.length < 100 ? undefined : '';
      else more = found.next_cursor === undefined ? undefined : `&cursor=${found.next_cursor}`;
    }
    return items;
  }

  async #post(): Promise<void> {
    const asked = this.#asked();
    const path = `${this.#at}/transactions/${asked.form}`;
    const body = bodyOf(asked);
    const key = this.#chance.is(0.2) ? `key-${(this.#keys += 1)}` : undefined;
    const headers = key === undefined ? {} : { 'X-Idempotency': key };
    const outcome = predicted(() => this.#bank.post(asked));
    const answer = await this.#client.post(path, body, headers);
    this.#settle(answer, outcome, 'post');
    if (key !== undefined && answer.status === 201) {
      this.#keyed.push({ path, body, key, text: answer.text });
    }
  }

  /** The same request again is the same response; another one under its key is refused. */
  async #repeat(): Promise<void> {
    const earlier = this.#keyed.length === 0 ? undefined : this.#chance.pick(this.#keyed);
    if (earlier === undefined) return this.#post();
    const { path, body, key, text } = earlier;
    const headers = { 'X-Idempotency': key };
    if (this.#chance.is(0.3)) {
      const other = await this.#client.post(path, { ...body, code: `C${this.#step}` }, headers);
      this.#expect(other, new Refused(409, '0084'), 'repeat');
      return;
    }
    const again = await this.#client.post(path, body, headers);
    this.#expect(again, 201, 'repeat');
    expect(again.text, this.#where()).to.equal(text);
    expect(again.headers['x-idempotency-replayed'], this.#where()).to.equal('true');
  }

  /** Commits, cancels or reverts; mostly what may still be. */
  async #end(): Promise<void> {
    const all = [...this.#bank.transactions.values()];
    const pending = all.filter(({ status }) => status === 'PENDING');
    const some = pending.length > 0 && this.#chance.is(0.6) ? pending : all.slice(-20);
    const id = some.length === 0 || this.#chance.is(0.03) ? NOBODY : this.#chance.pick(some).id;
    const how = this.#chance.pick(['commit', 'commit', 'cancel', 'revert'] as const);
    const outcome = predicted(() => this.#bank[how](id));
    const answer = await this.#client.post(`${this.#at}/transactions/${id}/${how}`, undefined);
    this.#settle(answer, outcome, how, id);
  }

  /** Takes over what a step did, after every operation of it was found to go on from the one before. */
  #settle(answer: Answer, outcome: Outcome | Refused, how: string, id?: string): void {
    this.#expect(answer, outcome instanceof Refused ? outcome : 201, how);
    if (outcome instanceof Refused) return;
    const shown = answer.json() as TransactionView;
    const { status, value, legs, after } = outcome;
    const isNew = how === 'post' || how === 'revert';
    const code = isNew && status === 'APPROVED' ? 'CREATED' : status;
    expect([shown.status.code, shown.amount], this.#where()).to.deep.equal([code, textOf(value)]);
    if (status === 'NOTED') this.#checkNoted(shown);
    else this.#checkOperations(shown, after);
    for (const [name, state] of after) Object.assign(this.#named(name), state);
    if (!isNew) {
      this.#bank.transactions.get(id ?? '')!.status = status;
      return;
    }
    const reversal = how === 'revert';
    const transaction = { id: shown.id, value, status, legs, reversal, reverted: false };
    this.#bank.transactions.set(shown.id, transaction);
    if (reversal) this.#bank.transactions.get(id ?? '')!.reverted = true;
  }

  #checkNoted({ operations }: TransactionView): void {
    for (const { amount, balance, balanceAfter, balanceAffected } of operations) {
      const zeros = [amount.value, balance.available, balanceAfter.available, balance.onHold];
      expect([...zeros, balanceAffected], this.#where()).to.deep.equal(['0', '0', '0', '0', false]);
    }
  }

  #checkOperations({ operations }: TransactionView, after: Outcome['after']): void {
    const seen = new Map<string, string>();
    for (const { accountAlias, balanceKey, balance, balanceAfter } of operations) {
      const name = `${accountAlias}#${balanceKey}`;
      const own = this.#named(name);
      const { available, onHold, version } = balance;
      const was = seen.get(name) ?? stateRow(own, own.version);
      expect(`${available}/${onHold} v${version}`, this.#where()).to.equal(was);
      const now = `${balanceAfter.available}/${balanceAfter.onHold} v${balanceAfter.version}`;
      expect(balanceAfter.version, this.#where()).to.equal(version + 1);
      seen.set(name, now);
    }
    expect([...seen.keys()].sort(), this.#where()).to.deep.equal([...after.keys()].sort());
    for (const [name, now] of seen) {
      const version = Number(/v(\d+)$/.exec(now)?.[1]);
      expect(now, this.#where()).to.equal(stateRow(after.get(name)!, version));
      this.#named(name).version = version;
    }
  }

  #named(name: string): Balance {
    const [alias = '', key = ''] = name.split('#');
    const found = this.#bank.find(alias, key);
    if (found === undefined) throw new Error(`${this.#where()}: the model has no balance ${name}`);
    return found;
  }

  async #openAccount(): Promise<void> {
    const alias = this.#chance.pick(ALIASES);
    const type = this.#chance.is(0.35) ? 'loans' : 'deposit';
    const blocked = this.#chance.is(0.05);
    const body = { alias, type, assetCode: 'BRL', blocked };
    const answer = await this.#client.post(`${this.#at}/accounts`, body);
    const isTaken = this.#bank.accounts.has(alias);
    this.#expect(answer, isTaken ? new Refused(409, '0020') : 201, 'account');
    if (!isTaken) await this.#learn(answer.json() as AccountView);
  }

  /** What only the server says of a new account: ids. */
  async #learn({ id, alias, type, blocked }: AccountView): Promise<void> {
    const external = type === 'external';
    const account: Account = { id, alias, external, blocked, closed: false, balances: new Map() };
    this.#bank.accounts.set(alias, account);
    const path = `${this.#at}/accounts/${id}/balances`;
    const [balance] = (await got<List<BalanceView>>(this.#client, path)).items;
    const direction = external || type === 'loans' ? 'debit' : 'credit';
    expect(balance, this.#where()).to.include({ key: 'default', direction, available: '0' });
    account.balances.set('default', born(balance?.id ?? '', 'default', direction));
  }

  #someAccount(): Account | undefined {
    const all = [...this.#bank.accounts.values()];
    return this.#chance.is(0.02) ? undefined : this.#chance.pick(all);
  }

  #someBalance(): readonly [Account, Balance] | undefined {
    const account = this.#someAccount();
    const all = [...(account?.balances.values() ?? [])];
    return account === undefined || all.length === 0
      ? undefined
      : [account, this.#chance.pick(all)];
  }

  async #addBalance(): Promise<void> {
    const account = this.#someAccount();
    const key = this.#chance.pick(['default', 'savings', 'frozen', 'overdraft']);
    const direction = this.#chance.is(0.3) ? 'debit' : 'credit';
    const settings = this.#chance.is(0.3) ? this.#settings() : undefined;
    const body = { key, direction, ...(settings && { settings: settings.body }) };
    const path = `${this.#at}/accounts/${account?.id ?? NOBODY}/balances`;
    const due = predicted(() => {
      if (account === undefined) throw new Refused(404, '0007');
      if (account.external) throw new Refused(422, '0124');
      if (account.closed) throw new Refused(422, '0519');
      if (key !== 'default' && !account.balances.has('default')) throw new Refused(404, '0126');
      if (key === 'overdraft') throw new Refused(422, '0170');
      if (account.balances.has(key)) throw new Refused(409, '0123');
      return account;
    });
    const answer = await this.#client.post(path, body);
    this.#expect(answer, due instanceof Refused ? due : 201, 'add balance');
    if (due instanceof Refused) return;
    const { id } = answer.json() as BalanceView;
    const balance = born(id, key, direction);
    balance.overdraft = settings?.overdraft;
    due.balances.set(key, balance);
    await this.#openCompanion(due);
  }

  /** The balance that shows a debt is there once overdraft was allowed to any other. */
  async #openCompanion(account: Account): Promise<void> {
    const isOwing = [...account.balances.values()].some(({ overdraft }) => overdraft !== undefined);
    if (!isOwing || account.balances.has('overdraft')) return;
    const path = `${this.#at}/accounts/${account.id}/balances?limit=100`;
    const { items } = await got<List<BalanceView>>(this.#client, path);
    const shown = items.find(({ key }) => key === 'overdraft');
    expect(shown, this.#where()).to.include({ direction: 'debit', available: '0' });
    account.balances.set('overdraft', born(shown?.id ?? '', 'overdraft', 'debit'));
  }

  #settings(): Readonly<{ body: object; overdraft: Balance['overdraft'] }> {
    const limit = this.#chance.pick([undefined, '10', '75.5', 'none']);
    if (limit === 'none') return { body: { allowOverdraft: false }, overdraft: undefined };
    const limited = limit !== undefined && { overdraftLimitEnabled: true, overdraftLimit: limit };
    return {
      body: { allowOverdraft: true, ...limited },
      overdraft: { limit: limit === undefined ? undefined : unitsOf(limit) },
    };
  }

  async #changeBalance(): Promise<void> {
    const [account, balance] = this.#someBalance() ?? [];
    const settings = this.#chance.is(0.6) ? this.#settings() : undefined;
    if (account?.external === true || account?.closed === true) return this.#post();
    const allowSending = this.#chance.is(0.85);
    const allowReceiving = this.#chance.is(0.85);
    const body = { allowSending, allowReceiving, ...(settings && { settings: settings.body }) };
    const due = predicted(() => {
      if (balance === undefined) throw new Refused(404, '0007');
      if (balance.key === 'overdraft') throw new Refused(422, '0175');
      const limit = settings?.overdraft?.limit;
      const isOver = settings?.overdraft === undefined || (limit ?? balance.owed) < balance.owed;
      if (settings && balance.owed > 0n && isOver) throw new Refused(422, '0173');
      return balance;
    });
    const answer = await this.#client.patch(`${this.#at}/balances/${balance?.id ?? NOBODY}`, body);
    this.#expect(answer, due instanceof Refused ? due : 200, 'change balance');
    if (due instanceof Refused || account === undefined) return;
    due.sends = allowSending;
    due.receives = allowReceiving;
    if (settings) due.overdraft = settings.overdraft;
    await this.#openCompanion(account);
  }

  async #deleteBalance(): Promise<void> {
    const [account, balance] = this.#someBalance() ?? [];
    const due = predicted(() => {
      if (balance === undefined || account === undefined) throw new Refused(404, '0007');
      if (balance.key === 'overdraft') throw new Refused(422, '0169');
      const debt = account.balances.get('overdraft')?.onHold ?? 0n;
      const isEmpty = isZero(balance) && debt === 0n;
      if (account.external || !isEmpty) throw new Refused(409, '0093');
      return account;
    });
    const answer = await this.#client.delete(`${this.#at}/balances/${balance?.id ?? NOBODY}`);
    this.#expect(answer, due instanceof Refused ? due : 204, 'delete balance');
    if (!(due instanceof Refused)) due.balances.delete(balance?.key ?? '');
  }

  async #block(): Promise<void> {
    const account = this.#someAccount();
    const blocked = this.#chance.is(0.3);
    const due = predicted(() => {
      if (account === undefined) throw new Refused(404, '0007');
      if (account.external) throw new Refused(422, '0074');
      return account;
    });
    const answer = await this.#client.patch(`${this.#at}/accounts/${account?.id ?? NOBODY}`, {
      blocked,
    });
    this.#expect(answer, due instanceof Refused ? due : 200, 'block');
    if (!(due instanceof Refused)) due.blocked = blocked;
  }

  async #endAccount(): Promise<void> {
    const account = this.#someAccount();
    const closes = this.#chance.is(0.3);
    const balances = [...(account?.balances.values() ?? [])];
    const due = predicted(() => {
      if (account === undefined) throw new Refused(404, '0007');
      if (account.external) throw new Refused(422, '0074');
      if (!closes && !balances.every(isZero)) throw new Refused(422, '0012');
      if (!closes) return account;
      if (account.closed) throw new Refused(409, '0521');
      if (balances.some(({ available }) => available !== 0n)) throw new Refused(422, '0523');
      if (balances.some(({ onHold }) => onHold !== 0n)) throw new Refused(422, '0524');
      return account;
    });
    const path = `${this.#at}/accounts/${account?.id ?? NOBODY}`;
    const answer = closes
      ? await this.#client.post(`${path.replace('/v1/', '/v2/')}/close`, undefined)
      : await this.#client.delete(path);
    this.#expect(answer, due instanceof Refused ? due : 204, closes ? 'close' : 'delete account');
    if (due instanceof Refused) return;
    if (closes) due.closed = true;
    else this.#bank.accounts.delete(due.alias);
  }

  /** Mostly what can be had; now and then of nothing, of too much, of somebody unknown, or to oneself. */
  #asked(): AskedTransaction {
    const chance = this.#chance;
    const form = chance.pick<Form>([
      ...(['json', 'json', 'json', 'json', 'inflow', 'inflow', 'inflow', 'outflow'] as const),
      ...(['block', 'unblock', 'annotation'] as const),
    ]);
    const value = chance.is(0.02) ? '0' : `${chance.int(1, 60)}${chance.pick(['', '.5', '.25'])}`;
    const outside = (): AskedLeg[] => [
      { alias: OUTSIDE, key: 'default', quantity: { amount: value } },
    ];
    const from = form === 'inflow' || chance.is(0.1) ? outside() : this.#side(value);
    const overlaps = (side: readonly AskedLeg[]): boolean =>
      side.some((leg) => from.some(({ alias }) => alias === leg.alias));
    let to = form === 'outflow' || chance.is(0.1) ? outside() : this.#side(value);
    for (let n = 0; n < 3 && form !== 'outflow' && overlaps(to); n += 1) to = this.#side(value);
    return { form, value, from, to, pending: form !== 'inflow' && chance.is(0.3) };
  }

  #side(value: string): AskedLeg[] {
    const chance = this.#chance;
    const named = () => ({ alias: this.#alias(), key: this.#key() });
    const how = chance.int(0, 9);
    if (how < 5) return [{ ...named(), quantity: { amount: value } }];
    if (how < 7) {
      return [
        { ...named(), quantity: { percentage: chance.pick([10, 33, 50, 100]) } },
        { ...named(), quantity: { remaining: true } },
      ];
    }
    if (how < 9) {
      return [
        { ...named(), quantity: { remaining: true } },
        { ...named(), quantity: { amount: chance.is(0.9) ? '0.5' : '70' } },
      ];
    }
    return [{ ...named(), quantity: { percentage: chance.pick([50, 100]) } }];
  }

  #alias(): string {
    const all = [...this.#bank.accounts.keys()].filter((alias) => alias !== OUTSIDE);
    return all.length === 0 || this.#chance.is(0.03)
      ? this.#chance.pick(ALIASES)
      : this.#chance.pick(all);
  }

  #key(): string {
    if (this.#chance.is(0.93)) return 'default';
    return this.#chance.pick(['savings', 'savings', 'frozen', 'overdraft']);
  }

  #expect(answer: Answer, due: number | Refused, what: string): void {
    const name = due instanceof Refused ? due.code : String(due);
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    const at = `${this.#where()}, ${what}: ${answer.text}`;
    if (!(due instanceof Refused)) {
      expect(answer.status, at).to.equal(due);
      return;
    }
    const code = answer.status < 400 ? '' : (answer.json() as { code: string }).code;
    expect(`${answer.status} ${code}`, at).to.equal(due.message);
  }

  #where(): string {
    return `${this.#at} step ${this.#step}`;
  }
}

function predicted<Result>(work: () => Result): Result | Refused {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
}

const born = (id: string, key: string, direction: Balance['direction']): Balance => ({
  ...{ id, key, direction, available: 0n, onHold: 0n, owed: 0n, version: 0 },
  ...{ sends: true, receives: true, overdraft: undefined },
});

const isZero = ({ available, onHold, owed }: Balance): boolean =>
  available === 0n && onHold === 0n && owed === 0n;

const stateRow = (
  { available, onHold }: Pick<Balance, 'available' | 'onHold'>,
  version: number,
): string => `${textOf(available)}/${textOf(onHold)} v${version}`;

/** The contract does not say what the companion itself owes, so that is left out. */
const owing = (key: string, owed: string): string => (key === 'overdraft' ? '' : `owes ${owed}`);

const rowOf = (one: BalanceView): string =>
  `${one.id} ${one.alias}#${one.key} ${one.direction} ${one.available}/${one.onHold} v${one.version} ` +
  `${owing(one.key, one.overdraftUsed)} ${one.allowSending} ${one.allowReceiving}`;

const modelRow = (alias: string, one: Balance): string =>
  `${one.id} ${alias}#${one.key} ${one.direction} ${stateRow(one, one.version)} ` +
  `${owing(one.key, textOf(one.owed))} ${one.sends} ${one.receives}`;
