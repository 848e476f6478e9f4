import { expect } from 'chai';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { LedgerCommand } from '#commands/ledger/ledger-commands.ts';
import type { PostTransaction, RequestedLeg } from '#commands/ledger/transaction/commands.ts';
import { formatAmount } from '#src/kernel/amount.ts';
import { NO_SETTINGS } from '#test/support/decider-spec.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { OperationRecord, TransactionRecord } from '#src/events/ledger/transaction.ts';
import {
  createAccount,
  createAsset,
  idOf,
  openLedger,
  postTransaction,
} from '#test/support/ledger-samples.ts';
import { chanceOf, seedOfRun, type Chance } from '#test/support/random.ts';
import { countingIds, NOW, stampAt } from '#test/support/stamps.ts';

/**
 * Random commands, fair and hostile, and after each of them the invariants of the money room:
 *
 * J1 debits equal credits per asset, and the positions of an asset's balances add up to zero;
 * J2 available and on-hold never go below zero, except on external accounts;
 * J3 a balance version grows by one per operation;
 * J4 before and after values chain;
 * J5 a pending transaction is committed or cancelled once;
 * J6 a transaction is reverted at most once, by its mirror;
 * J7 a refusal appends nothing.
 *
 * J5 and J6 speak of features that do not exist in this release. What can be asserted now is that nothing of
 * them happens: no event but the four kinds there are, no status but APPROVED, no operation but DEBIT and
 * CREDIT, nothing on hold, no parent transaction. Whoever adds those features replaces that assertion.
 *
 * Beside the invariants a second telling of the rules (`verdict`), in its own arithmetic, says of every
 * transaction whether it must be posted, or by which name it must be refused.
 */
const RUNS = 21;
const COMMANDS_PER_RUN = 5_000;

describe('invariants of the money room', () => {
  const seed = seedOfRun(20_260_105);
  const { stackTraceLimit } = Error;
  before(() => (Error.stackTraceLimit = 0)); // Refusals come by the ten thousand.
  after(() => (Error.stackTraceLimit = stackTraceLimit));

  const seen = new Map<string, number>();
  let decided = 0;

  for (let run = 0; run < RUNS; run += 1) {
    it(`J1 to J7 hold after every command of run ${String(run + 1)}`, () => {
      const chance = chanceOf(seed + run);
      const room = new Room(chance);
      for (let n = 0; n < COMMANDS_PER_RUN; n += 1) {
        const command = randomCommand(chance, room);
        try {
          const outcome = room.play(command);
          seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
        } catch (error) {
          const where = `SEED=${String(seed)}, run ${String(run + 1)}, command ${String(n)}`;
          const why = error instanceof Error ? error.message : String(error);
          throw new Error(`${where}: ${why}, by ${JSON.stringify(command)}`, { cause: error });
        }
        decided += 1;
      }
      room.close();
    });
  }

  it('were put to the test by enough of everything', function () {
    if (decided < RUNS * COMMANDS_PER_RUN) this.skip(); // Only some of the runs were selected.
    const rare = EXPECTED.filter((outcome) => (seen.get(outcome) ?? 0) < 50);
    expect(rare, JSON.stringify([...seen])).to.deep.equal([]);
    expect(seen.get('TransactionPosted')).to.be.above(decided / 4);
  });
});

const EXPECTED = [
  ...['TransactionPosted', 'AccountOpened', 'AssetCreated', 'VALUE_NOT_POSITIVE', 'LEG_QUANTITY'],
  ...['TOTALS_DIFFER', 'ACCOUNT_ON_BOTH_SIDES', 'ACCOUNTS_NOT_ELIGIBLE', 'ASSET_NOT_FOUND'],
  ...['ACCOUNT_BLOCKED', 'INSUFFICIENT_FUNDS', 'NUMBER_OUT_OF_RANGE', 'LEDGER_NOT_FOUND'],
  ...['ALIAS_TAKEN', 'ASSET_TAKEN', 'SKIP_NOT_PERMITTED', 'nothing'],
];

/* What the spec itself knows of the ledger, told by the events alone and in its own arithmetic. */

type Known = {
  readonly id: string;
  readonly alias: string;
  readonly assetCode: string;
  readonly external: boolean;
  readonly blocked: boolean;
  available: bigint;
  version: number;
};

class Room {
  readonly known = new Map<string, Known>();
  readonly assets = new Set<string>();
  readonly #positions = new Map<string, bigint>();
  readonly #stamp = stampAt(NOW, countingIds());
  readonly #chance: Chance;
  readonly #log: string[] = [];
  #ledger = ledgerDecider.initialState();
  /** Folds the same events as texts, as another process would. */
  readonly #replica = ledgerDecider.initialState();

  constructor(chance: Chance) {
    this.#chance = chance;
    this.play(openLedger());
    for (const code of ['BRL', 'USD']) this.play(createAsset({ code }));
    for (const alias of ['@alice', '@bob', '@carol', '@dave', '@Alice', '@erin']) {
      this.play(createAccount({ alias }));
    }
    this.play(createAccount({ alias: '@dora', assetCode: 'USD' }));
    this.play(createAccount({ alias: '@blocked', blocked: true }));
    this.play(createAccount({ alias: '@world', type: 'external' }));
  }

  /** Answers what happened: the type of the first event, the name of the refusal, or "nothing". */
  play(command: LedgerCommand): string {
    const touched = aliasesOf(command);
    const expected = command.type === 'PostTransaction' ? verdict(this, command) : undefined;
    const before = digest(this.#ledger, touched);
    const events = this.#decide(command);
    same(digest(this.#ledger, touched), before, 'deciding changes nothing');

    const refused = events instanceof Refusal;
    if (expected !== undefined) same(refused ? events.refusal : 'posted', expected, 'the verdict');
    if (refused) {
      same(digest(this.#replica, touched), before, 'J7: a refusal appends nothing');
      return events.refusal;
    }
    for (const event of events) this.#record(event);
    same(digest(this.#replica, touched), digest(this.#ledger, touched), 'replayed');
    for (const [asset, position] of this.#positions) {
      if (position !== 0n)
        expect.fail(`J1: the positions of ${asset} add up to ${String(position)}`);
    }
    if (this.#chance.is(1 / 500)) this.#passThroughSnapshot();
    return events[0]?.type ?? 'nothing';
  }

  /** What costs too much after every command: the whole state, from every side. */
  close(): void {
    this.#passThroughSnapshot();
    const now = frozen(this.#ledger);
    const fresh = ledgerDecider.initialState();
    for (const [revision, text] of this.#log.entries()) {
      ledgerDecider.evolve(fresh, JSON.parse(text) as LedgerEvent, revision);
    }
    expect(frozen(fresh), 'a replay gives the same state').to.deep.equal(now);
    expect(frozen(this.#replica)).to.deep.equal(now);

    const positions = new Map<string, bigint>();
    for (const { assetCode, external, balances } of this.#ledger.book.accounts()) {
      for (const { available, onHold, direction } of balances) {
        if (available < 0n && !external) expect.fail('J2: nobody but the world owes');
        const position = direction === 'credit' ? available + onHold : onHold - available;
        positions.set(assetCode, (positions.get(assetCode) ?? 0n) + position);
      }
    }
    for (const [asset, position] of positions) expect(position, `J1: ${asset}`).to.equal(0n);
  }

  #decide(command: LedgerCommand): readonly LedgerEvent[] | Refusal {
    try {
      const decision = ledgerDecider.decide(this.#ledger, command, NO_SETTINGS, this.#stamp);
      return 'unchanged' in decision ? [] : decision;
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  }

  #record(event: LedgerEvent): void {
    const text = JSON.stringify(event);
    const stored = JSON.parse(text) as LedgerEvent;
    this.#check(stored);
    ledgerDecider.evolve(this.#ledger, event, this.#log.length);
    ledgerDecider.evolve(this.#replica, stored, this.#log.length);
    this.#log.push(text);
  }

  #check(event: LedgerEvent): void {
    switch (event.type) {
      case 'LedgerOpened':
        return;
      case 'AssetCreated':
        this.assets.add(event.data.asset.code);
        return;
      case 'AccountOpened': {
        const { id, alias, assetCode, type, blocked } = event.data.account;
        const external = type === 'external';
        if (this.known.has(alias)) expect.fail(`${alias} was opened twice`);
        const account = { id, alias, assetCode, external, blocked, available: 0n, version: 0 };
        this.known.set(alias, account);
        return;
      }
      case 'TransactionPosted':
        this.#checkTransaction(event.data.transaction);
        return;
      default:
        expect.fail(`J5, J6: no event of the kind ${JSON.stringify(event)} exists`);
    }
  }

  #checkTransaction(transaction: TransactionRecord): void {
    const { operations, assetCode, amount } = transaction;
    const status: string = transaction.status;
    const sums = { debit: 0n, credit: 0n };
    if (status !== 'APPROVED' || 'parentTransactionId' in transaction) expect.fail('J5, J6');
    for (const [n, operation] of operations.entries()) {
      sums[operation.direction] += this.#checkOperation(operation, assetCode);
      const earlier = operations[n - 1];
      if (earlier !== undefined && earlier.accountAlias > operation.accountAlias) {
        expect.fail('operations are in byte order of their aliases');
      }
    }
    if (sums.debit !== sums.credit || sums.debit !== units(amount)) {
      expect.fail(
        `J1: ${String(sums.debit)} debited, ${String(sums.credit)} credited of ${amount}`,
      );
    }
  }

  /** One operation against the account as the spec knows it; answers its amount. */
  #checkOperation(operation: OperationRecord, asset: string): bigint {
    const { type, direction, balance, balanceAfter, accountAlias } = operation;
    const account = this.known.get(accountAlias);
    if (account?.id !== operation.accountId) expect.fail('an operation names its account');
    if (account.assetCode !== asset) expect.fail('J1: an operation stays in its asset');
    if (type !== (direction === 'debit' ? 'DEBIT' : 'CREDIT')) expect.fail(`J5: ${type}`);
    if (balance.onHold !== '0' || balanceAfter.onHold !== '0') expect.fail('J5: nothing is held');

    const moved = units(operation.amount);
    if (moved <= 0n) expect.fail('an operation moves something');
    const rises = direction === (account.external ? 'debit' : 'credit');
    const after = account.available + (rises ? moved : -moved);
    if (units(balance.available) !== account.available) expect.fail('J4: before is what was after');
    if (units(balanceAfter.available) !== after) expect.fail('J4: after is before and the amount');
    if (balance.version !== account.version) expect.fail('J3: the version is the last one');
    if (balanceAfter.version !== account.version + 1) expect.fail('J3: the version grows by one');
    if (after < 0n && !account.external) expect.fail('J2: nobody but the world owes');

    account.available = after;
    account.version += 1;
    const position = this.#positions.get(asset) ?? 0n;
    this.#positions.set(asset, position + (direction === 'credit' ? moved : -moved));
    return moved;
  }

  /** Goes on from a snapshot of itself. */
  #passThroughSnapshot(): void {
    const chunks = frozen(this.#ledger);
    const thawed = ledgerDecider.fromSnapshot(chunks);
    expect(thawed, 'freeze and thaw change nothing').to.deep.equal(this.#ledger);
    expect(frozen(thawed)).to.deep.equal(chunks);
    this.#ledger = thawed;
  }
}

const ELSEWHERE = idOf('another organization');

const frozen = (ledger: Ledger): string[] => [...ledgerDecider.toSnapshot(ledger)];

/** Everything a command could have changed, as a text. */
function digest({ assets, book }: Ledger, aliases: readonly string[]): string {
  let text = JSON.stringify([...assets.all()]);
  for (const alias of aliases) {
    const account = book.account(alias);
    if (account === undefined) continue;
    text += `|${account.id} ${String(account.blocked)} ${String(account.revision)}`;
    for (const { key, available, onHold, overdraftUsed, version } of account.balances) {
      text += ` ${key} ${String(available)} ${String(onHold)} ${String(overdraftUsed)} ${String(version)}`;
    }
  }
  return text;
}

function aliasesOf(command: LedgerCommand): readonly string[] {
  if (command.type === 'CreateAccount') return [command.fields.alias ?? ''];
  if (command.type === 'CreateAsset') return [`@external/${command.fields.code}`];
  if (command.type === 'OpenLedger') return [];
  if (command.type !== 'PostTransaction') return [];
  const { source, distribute } = command.request.send;
  return [...source.from, ...distribute.to].map(({ accountAlias }) => accountAlias);
}

/** Like expect, which costs too much some hundred thousand times over. */
function same(found: string, expected: string, what: string): void {
  if (found !== expected) expect(found, what).to.equal(expected);
}

/* The rules, told a second time. */

const SCALE = 40;
const LIMIT = 10n ** BigInt(30 + SCALE);

const POWERS = Array.from({ length: 2 * SCALE }, (_, n) => 10n ** BigInt(n));

/** A decimal as a whole number of 10^-40 units, by way of its digits. */
function units(text: string): bigint {
  const [mantissa = '', power = '0'] = text.split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const sign = whole.startsWith('-') ? -1n : 1n;
  const size = BigInt(whole.replace(/^[+-]/, '') + fraction);
  return sign * size * (POWERS[SCALE - fraction.length + Number(power)] ?? 0n); // 0e99 is 0 anyhow.
}

type Line = Readonly<{ alias: string; key: string; side: 'debit' | 'credit'; amount: bigint }>;

/** What must become of a transaction: the first refusal in the order of contract ledger §7.1, or none. */
function verdict(
  room: Room,
  { organizationId, request }: PostTransaction,
): LedgerRefusalName | 'posted' {
  const { send, skip } = request;
  if (organizationId === ELSEWHERE) return 'LEDGER_NOT_FOUND';
  if (skip?.fees === true || skip?.tracer === true) return 'SKIP_NOT_PERMITTED';
  const [sources, destinations] = [send.source.from, send.distribute.to];
  const legs = [...sources, ...destinations];
  const value = units(send.value ?? '0');
  const quantities = (leg: RequestedLeg): number =>
    [leg.amount, leg.share, leg.remaining].filter((one) => one !== undefined).length;

  if (legs.some((leg) => quantities(leg) !== 1)) return 'LEG_QUANTITY';
  if (value <= 0n) return 'VALUE_NOT_POSITIVE';
  if (legs.some(({ amount }) => amount && units(amount.value) <= 0n)) return 'VALUE_NOT_POSITIVE';
  if (legs.some(({ amount }) => amount && amount.asset !== send.asset)) return 'ASSET_NOT_FOUND';

  const lines: Line[] = [];
  for (const [side, from] of [
    ['debit', sources],
    ['credit', destinations],
  ] as const) {
    const worked = amountsOf(from, value);
    if (worked === undefined) return 'TOTALS_DIFFER';
    from.forEach(({ accountAlias: alias, balanceKey: key = 'default' }, n) =>
      lines.push({ alias, key: key.toLowerCase(), side, amount: worked[n]! }),
    );
  }
  const names = (side: Line['side']): Set<string> =>
    new Set(lines.filter((line) => line.side === side).map(({ alias, key }) => `${alias} ${key}`));
  if (names('debit').intersection(names('credit')).size > 0) return 'ACCOUNT_ON_BOTH_SIDES';

  const accounts = lines.map(({ alias, key }) =>
    key === 'default' ? room.known.get(alias) : undefined,
  );
  if (accounts.includes(undefined)) return 'ACCOUNTS_NOT_ELIGIBLE';
  if (accounts.some((account) => account?.assetCode !== send.asset)) return 'ASSET_NOT_FOUND';
  if (accounts.some((account) => account?.blocked)) return 'ACCOUNT_BLOCKED';
  return funds(room, lines);
}

function amountsOf(legs: readonly RequestedLeg[], value: bigint): bigint[] | undefined {
  const own = legs.map(({ amount, share }) => {
    if (share === undefined) return amount && units(amount.value);
    const of = share.percentageOfPercentage || 100; // eslint-disable-line @typescript-eslint/prefer-nullish-coalescing -- 0 counts as 100
    return (value * BigInt(share.percentage) * BigInt(of)) / 10_000n;
  });
  const total = own.reduce<bigint>((sum, amount) => sum + (amount ?? 0n), 0n);
  const left = value - total;
  const remaining = own.filter((amount) => amount === undefined).length;
  if (remaining > 1 || left < 0n || (remaining === 0 && left > 0n)) return undefined;
  return own.map((amount) => amount ?? left);
}

/** Account by account in byte order of the aliases, each with all its legs. */
function funds(room: Room, lines: readonly Line[]): LedgerRefusalName | 'posted' {
  for (const alias of [...new Set(lines.map((line) => line.alias))].sort()) {
    const account = room.known.get(alias)!;
    let available = account.available;
    for (const { side, amount } of lines.filter((line) => line.alias === alias)) {
      const rises = (side === 'debit') === account.external;
      available += rises ? amount : -amount;
      if (available < 0n && !account.external) return 'INSUFFICIENT_FUNDS';
      if (available >= LIMIT || available <= -LIMIT) return 'NUMBER_OUT_OF_RANGE';
    }
  }
  return 'posted';
}

/* Commands, fair and hostile. */

function randomCommand(chance: Chance, room: Room): LedgerCommand {
  const what = chance.unit();
  if (what < 0.004) return openLedger();
  if (what < 0.01) {
    const code = chance.pick(['BRL', 'USD', 'EUR', 'GBP', chance.digits(6)]);
    return createAsset({ code, ...(chance.is(0.3) && { name: 'Asset BRL' }) });
  }
  if (what < 0.04) return randomAccount(chance);
  return randomTransaction(chance, room);
}

const randomAccount = (chance: Chance): LedgerCommand =>
  createAccount({
    ...(chance.is(0.9) && {
      alias: `@${chance.pick(['x', 'Y', '-', '_', ':'])}${chance.digits(2)}`,
    }),
    assetCode: chance.pick(['BRL', 'BRL', 'USD', 'XXX']),
    type: chance.is(0.03) ? 'external' : 'deposit',
    blocked: chance.is(0.05),
    skipHolder: chance.is(0.05),
  });

function randomTransaction(chance: Chance, room: Room): PostTransaction {
  const asset = chance.is(0.02) ? 'EUR' : chance.is(0.1) ? 'USD' : 'BRL';
  const aliases = [...room.known.values()]
    .filter(({ assetCode, blocked }) => (assetCode === asset && !blocked) || chance.is(0.002))
    .map(({ alias }) => alias);
  const [from, to] = splitAliases(chance, aliases);
  const amount = randomAmount(chance, room, from);
  const fair = postTransaction({
    from: randomLegs(chance, from, amount, asset),
    to: randomLegs(chance, to, amount, asset),
    amount,
    asset,
    ...(chance.is(0.01) && { skip: { [chance.pick(['fees', 'tracer'])]: chance.is(0.5) } }),
    ...(chance.is(0.01) && { organizationId: ELSEWHERE }),
    ...(chance.is(0.2) && { description: 'random', metadata: { n: chance.int(0, 9) } }),
  });
  return chance.is(0.15) ? spoiled(chance, fair) : fair;
}

/** Some accounts for either side; now and then one for both, or the same one twice on one side. */
function splitAliases(chance: Chance, aliases: readonly string[]): [string[], string[]] {
  const count = chance.is(0.005) ? 60 : 4;
  const some = (): string[] =>
    Array.from({ length: chance.int(1, count) }, () =>
      aliases.length === 0 ? '@nobody' : chance.pick(aliases),
    );
  const from = chance.is(0.3) ? [`@external/${chance.is(0.9) ? 'BRL' : 'USD'}`] : some();
  const to = chance.is(0.1) ? [chance.pick(['@external/BRL', '@world'])] : some();
  return chance.is(0.05) ? [from, to] : [from, to.filter((alias) => !from.includes(alias))];
}

function randomAmount(chance: Chance, room: Room, from: readonly string[]): string {
  const { available = 0n } = room.known.get(from[0] ?? '') ?? {};
  if (chance.is(0.15) && available > 0n) {
    // All there is, if it can be said in 30 fractional digits.
    const all = formatAmount((available / 10n ** 6n) as never);
    if ((all.split('.')[1] ?? '').length <= 30) return all;
  }
  const size = chance.unit();
  if (size < 0.02) return `1e${String(chance.int(-30, 29))}`;
  if (size < 0.05) return `0.${chance.digits(30)}`;
  if (size < 0.07) return `${chance.digits(30)}.${chance.digits(30)}`;
  if (size < 0.075) return '9'.repeat(30);
  if (size < 0.085) return chance.pick(['0', '-1', '-0', '0.000', '0e99']);
  if (size < 0.3) return `${String(chance.int(0, 99))}.${chance.digits(chance.int(1, 12))}`;
  return String(chance.int(1, 1_000));
}

/** Legs that add up to the amount: parts of it, shares of it, and sometimes what remains. */
function randomLegs(
  chance: Chance,
  aliases: readonly string[],
  amount: string,
  asset: string,
): RequestedLeg[] {
  const total = units(amount) > 0n ? units(amount) / 10n ** 10n : 0n; // 10^-30, what may be said.
  const shared = chance.is(0.3) && aliases.length <= 10;
  const legs: RequestedLeg[] = [];
  let [left, percents] = [total, 100];
  aliases.forEach((accountAlias, n) => {
    const own = { accountAlias, ...(chance.is(0.1) && { balanceKey: 'DEFAULT' }) };
    const last = n === aliases.length - 1;
    if (last && chance.is(0.4)) {
      legs.splice(chance.int(0, n), 0, { ...own, remaining: 'remaining' });
    } else if (shared) {
      const percentage = last ? percents : chance.int(1, percents - (aliases.length - 1 - n));
      percents -= percentage;
      const nested = chance.is(0.3) && { percentageOfPercentage: chance.pick([0, 100, 100, 50]) };
      legs.push({ ...own, share: { percentage, ...nested } });
    } else {
      const part = last ? left : left / BigInt(chance.int(2, 5));
      left -= part;
      legs.push({ ...own, amount: { asset, value: spelled(chance, part) } });
    }
  });
  return legs;
}

/** A whole number of 10^-30 units, in one of the ways a client may write it. */
function spelled(chance: Chance, part: bigint): string {
  const digits = part.toString().padStart(31, '0');
  const plain = `${digits.slice(0, -30)}.${digits.slice(-30)}`;
  if (chance.is(0.7)) return plain.replace(/\.?0+$/, '') || '0';
  if (chance.is(0.3)) return `+${plain}`;
  return part < 10n ** 30n && chance.is(0.5) ? `${part.toString()}e-30` : plain;
}

/** The same request with one thing wrong, or merely odd. */
function spoiled(chance: Chance, { request, ...command }: PostTransaction): PostTransaction {
  const { send } = request;
  const side = chance.pick(['source', 'distribute'] as const);
  const legs = side === 'source' ? [...send.source.from] : [...send.distribute.to];
  const at = chance.int(0, Math.max(0, legs.length - 1));
  const leg = legs[at] ?? { accountAlias: '@alice', remaining: 'remaining' };
  const wrong: readonly (() => RequestedLeg[])[] = [
    () => legs.with(at, { ...leg, accountAlias: '@nobody' }),
    () => legs.with(at, { ...leg, accountAlias: leg.accountAlias.toUpperCase() }),
    () => legs.with(at, { ...leg, accountAlias: '@blocked' }),
    () => legs.with(at, { ...leg, accountAlias: '@dora' }),
    () => legs.with(at, { ...leg, balanceKey: chance.pick(['savings', 'overdraft', 'Default']) }),
    () => legs.with(at, { ...leg, remaining: 'remaining' }),
    () => legs.with(at, { accountAlias: leg.accountAlias }),
    () => legs.with(at, { accountAlias: leg.accountAlias, amount: { asset: 'XXX', value: '1' } }),
    () => legs.with(at, { ...leg, ...(leg.amount && { amount: { ...leg.amount, value: '0' } }) }),
    () => legs.with(at, { accountAlias: leg.accountAlias, share: { percentage: 33 } }),
    () => [...legs, leg],
    () => [...legs, send.source.from[0] ?? leg],
    () => [...legs, { accountAlias: '@alice', remaining: 'remaining' }],
    () => legs.toSpliced(at, 1),
  ];
  const changed = legs.length === 0 ? legs : chance.pick(wrong)();
  const sides = side === 'source' ? { source: { from: changed } } : { distribute: { to: changed } };
  return { ...command, request: { ...request, send: { ...send, ...sides } } };
}
