import { NONE, partId, type Uuid } from '#src/kernel/ids.ts';
import { formatInstant, parseInstant, type Micros } from '#src/kernel/instant.ts';
import type { IdempotencyKey } from '#src/journal/batch.ts';
import type { Head } from '#src/journal/resident.ts';
import { GENESIS } from '#src/journal/chain.ts';
import { sealEvents } from '#src/journal/seal.ts';
import type { StoredText } from '#src/verify/journal.ts';
import {
  accountId,
  accountOpened,
  assetCreated,
  externalOpened,
  idOf,
  LEDGER,
  ledgerOpened,
  ORGANIZATION,
} from '#test/support/ledger-samples.ts';
import {
  accountTypeCreated,
  portfolioCreated,
  segmentCreated,
} from '#test/support/record-samples.ts';
import { countingIds, NOW } from '#test/support/stamps.ts';

/** An event that a test may bend; what it has beyond today's types is what later releases write. */
export type Draft = { type: string; data: Record<string, unknown> };

/** Sets what stands at a path like `transaction.operations.1.amount`; undefined takes it away. */
export function bend({ data }: Draft, path: string, value: unknown): void {
  const names = path.split('.');
  const last = names.pop() ?? '';
  const at = names.reduce((inner, name) => inner[name] as Draft['data'], data);
  if (value === undefined) Reflect.deleteProperty(at, last);
  else at[last] = value;
}

/** Drafts as the log holds them: each sealed soundly, whatever it says. */
export function sealed(
  drafts: readonly Draft[],
  { tenants = [], stepMicros = 1, keys = [] }: Surroundings = {},
): StoredText[] {
  const ids = countingIds();
  let head: Head = {
    revision: NONE,
    hash: GENESIS,
    recordedAt: 0 as Micros,
    tenantId: undefined,
  };
  return drafts.map((draft, revision) => {
    const at = (parseInstant(NOW) + revision * stepMicros) as Micros;
    const context = {
      actor: { type: 'anonymous', id: 'anonymous' },
      tenantId: tenants[revision] ?? 'default',
      requestId: idOf('request'),
    };
    const stamp = { at, instant: formatInstant(at), ids };
    const one = sealEvents([draft], { context, idempotency: keys[revision] }, stamp, head);
    head = one.head;
    return { ...one.events[0]!, revision };
  });
}

type Surroundings = Readonly<{
  tenants?: readonly string[];
  stepMicros?: number;
  /** The idempotency key of each event, by its revision. */
  keys?: readonly (IdempotencyKey | undefined)[];
}>;

/** One of every event a ledger's journal has or will have, in a life that makes sense. */
export function wholeLife(): Draft[] {
  const balances = new Map<string, Standing>();
  const drafts = [
    ledgerOpened(),
    assetCreated(),
    externalOpened(),
    accountOpened({ alias: '@alice' }),
    accountOpened({ alias: '@bob' }),
    accountOpened({ alias: '@carol' }),
    accountOpened({ alias: '@dave' }),
    assetCreated({ code: 'EUR' }),
  ].map((event) => structuredClone(event) as Draft);

  const leg = (
    alias: string,
    type: string,
    direction: string,
    amount: number,
    a: number,
    h = 0,
  ) => ({
    ...{ alias, type, direction, amount, a, h },
  });
  const operationsOf = (id: Uuid, legs: readonly Leg[], first = 1) =>
    legs.map(({ alias, type, direction, amount, a, h }, n) => {
      const before = balances.get(alias) ?? { available: 0, onHold: 0, version: 0 };
      const mirror = alias.startsWith('@external/') ? -1 : 1;
      const after = {
        available: before.available + mirror * a,
        onHold: before.onHold + h,
        version: before.version + 1,
      };
      balances.set(alias, after);
      return {
        ...{ id: partId(id, first + n), type, direction, origin: 'request' },
        ...{ amount: String(amount), accountId: accountId(alias), accountAlias: alias },
        ...{ balanceId: partId(accountId(alias), 1), balanceKey: 'default' },
        ...{ balance: stateOf(before), balanceAfter: stateOf(after) },
      };
    });
  const record = (name: string, amount: number, from: string, to: string, more: object) => ({
    ...{ id: idOf(`transaction ${name}`), organizationId: ORGANIZATION, ledgerId: LEDGER },
    ...{ amount: String(amount), assetCode: 'BRL', source: [from], destination: [to] },
    ...{ createdAt: NOW, updatedAt: NOW, ...more },
  });
  const posted = (name: string, amount: number, from: string, to: string, more: object = {}) => {
    const operations = operationsOf(idOf(`transaction ${name}`), [
      leg(from, 'DEBIT', 'debit', amount, -amount),
      leg(to, 'CREDIT', 'credit', amount, amount),
    ]);
    const about = record(name, amount, from, to, { status: 'APPROVED', ...more });
    const transaction = { ...about, operations };
    drafts.push({ type: 'TransactionPosted', data: { transaction } });
    return transaction;
  };
  const held = (name: string, amount: number, from: string, to: string) => {
    const operations = operationsOf(idOf(`transaction ${name}`), [
      leg(from, 'ON_HOLD', 'debit', amount, -amount, amount),
    ]);
    const awaiting = [{ accountAlias: to, balanceKey: 'default', amount: String(amount) }];
    const about = record(name, amount, from, to, { status: 'PENDING' });
    const transaction = { ...about, operations, awaiting };
    drafts.push({ type: 'TransactionHeld', data: { transaction } });
    return transaction;
  };
  const ended = (type: string, { awaiting: _, ...transaction }: Ended, legs: readonly Leg[]) => {
    const status = type === 'TransactionCommitted' ? 'APPROVED' : 'CANCELED';
    const { id, operations } = transaction;
    const steps = operationsOf(id, legs, operations.length + 1);
    // What differs between the two from now on is said by each.
    const all = [
      ...operations.map((operation) => ({ ...operation, status: 'PENDING', createdAt: NOW })),
      ...steps.map((operation) => ({ ...operation, status, createdAt: NOW })),
    ];
    const data = { transaction: { ...transaction, status, operations: all } };
    drafts.push({ type, data: { ...structuredClone(data), stepOperations: legs.length } });
  };

  const first = posted('first', 100, '@external/BRL', '@alice');
  const second = held('second', 30, '@alice', '@bob');
  ended('TransactionCommitted', second, [
    leg('@alice', 'DEBIT', 'debit', 30, 0, -30),
    leg('@bob', 'CREDIT', 'credit', 30, 30),
  ]);
  const third = held('third', 10, '@alice', '@bob');
  ended('TransactionCanceled', third, [leg('@alice', 'RELEASE', 'credit', 10, 10, -10)]);
  drafts.push(noted(record('noted', 5, '@alice', '@bob', { status: 'NOTED' })));

  const words = { ...first, description: 'Reworded', updatedAt: '2026-02-01T00:00:00.000000Z' };
  drafts.push({ type: 'TransactionUpdated', data: { transaction: structuredClone(words) } });
  const [one, ...others] = words.operations;
  const operations = [{ ...one, description: 'Mine', metadata: { till: 1 } }, ...others];
  const transaction = structuredClone({ ...words, operations });
  drafts.push({ type: 'OperationUpdated', data: { transaction, operationId: one!.id } });
  posted('mirror', 30, '@bob', '@alice', { parentTransactionId: second.id });

  const opened = (alias: string) =>
    drafts.find(({ data }) => (data['account'] as { alias?: string } | undefined)?.alias === alias)!
      .data as Record<'account' | 'balance', object>;
  const blocked = { ...opened('@alice').account, blocked: true };
  drafts.push({ type: 'AccountUpdated', data: { account: blocked, changed: ['blocked'] } });
  drafts.push({ type: 'BlockExceptionsGranted', data: { exceptions: [exceptionFor('@alice')] } });
  posted('back', 100, '@alice', '@external/BRL');
  drafts.at(-1)!.data['accountBlockExceptionId'] = exceptionFor('@alice').id;
  const muted = { ...opened('@alice').balance, allowSending: false };
  drafts.push({ type: 'BalanceUpdated', data: { balance: muted } });
  drafts.push({
    type: 'BalanceDeleted',
    data: { balance: opened('@bob').balance, state: stateOf(balances.get('@bob')!) },
  });
  const { account, balance } = opened('@carol');
  const dave = { ...opened('@dave').account, closedAt: NOW };
  drafts.push({ type: 'AccountClosed', data: { account: dave } });
  const reworded = { account: { ...dave, name: 'Late Dave' }, changed: ['name'] };
  drafts.push({ type: 'AccountUpdated', data: reworded });
  drafts.push(...recordsLife());
  const carols = { ...balance, id: partId(accountId('@carol'), 2), key: 'savings' };
  drafts.push({ type: 'BalanceCreated', data: { balance: carols } });
  drafts.push({ type: 'AccountDeleted', data: { account, balances: [balance, carols] } });
  const euro = drafts[7]!.data;
  drafts.push({ type: 'AssetUpdated', data: structuredClone(euro) });
  drafts.push({ type: 'AssetDeleted', data: structuredClone(euro) });
  const { ledger } = drafts[0]!.data as { ledger: object };
  drafts.push({ type: 'LedgerUpdated', data: { ledger: { ...ledger, name: 'Wholesale' } } });
  drafts.push({ type: 'LedgerClosed', data: { ledger } });
  return structuredClone(drafts);
}

/** Every record of a ledger, created, changed and deleted, with an account that was sorted by them. */
function recordsLife(): Draft[] {
  const { segment } = segmentCreated({ name: 'Homes' }).data;
  const { portfolio } = portfolioCreated().data;
  const { accountType } = accountTypeCreated({ keyValue: 'loans', defaultDirection: 'debit' }).data;
  const groups = { portfolioId: portfolio.id, segmentId: segment.id };
  const debt = { alias: '@debt', type: 'loans', ...groups };
  const opened = accountOpened({ ...debt, direction: 'debit' });
  const { account } = opened.data as { account: object };
  return [
    segmentCreated(),
    segmentCreated({ name: 'Homes' }),
    { type: 'SegmentUpdated', data: { segment: { ...segment, name: 'Farms' }, changed: ['name'] } },
    portfolioCreated(),
    { type: 'PortfolioUpdated', data: { portfolio: { ...portfolio, entityId: 'C-17' } } },
    accountTypeCreated(),
    { type: 'AccountTypeCreated', data: { accountType } },
    opened,
    { type: 'AccountTypeUpdated', data: { accountType: { ...accountType, name: 'Loans' } } },
    { type: 'SegmentDeleted', data: { segment } },
    { type: 'PortfolioDeleted', data: { portfolio } },
    { type: 'AccountTypeDeleted', data: { accountType } },
    { type: 'AccountUpdated', data: { account: { ...account, name: 'Debt' } } },
  ].map((event) => structuredClone(event) as Draft);
}

type Leg = Readonly<
  Record<'amount' | 'a' | 'h', number> & Record<'alias' | 'type' | 'direction', string>
>;
type Standing = Readonly<{ available: number; onHold: number; version: number }>;
type Ended = Readonly<{ id: Uuid; operations: readonly object[]; awaiting?: unknown }>;

const stateOf = ({ available, onHold, version }: Standing) => ({
  available: String(available),
  onHold: String(onHold),
  version,
  overdraftUsed: '0',
});

/** For the whole of what the account has, and long enough. */
const exceptionFor = (alias: string) => ({
  ...{ id: idOf(`exception ${alias}`), organizationId: ORGANIZATION, ledgerId: LEDGER },
  ...{ accountId: accountId(alias), accountAlias: alias, amount: '100', createdAt: NOW },
  expiresAt: '2026-01-05T11:00:00.000000Z',
});

function noted(transaction: Readonly<{ id: Uuid; amount: string }>): Draft {
  const nothing = stateOf({ available: 0, onHold: 0, version: 0 });
  const operations = ['@alice', '@bob'].map((alias, n) => ({
    ...{ id: partId(transaction.id, n + 1), type: n === 0 ? 'DEBIT' : 'CREDIT' },
    ...{ direction: n === 0 ? 'debit' : 'credit', amount: transaction.amount },
    ...{ accountId: accountId(alias), accountAlias: alias, balanceKey: 'default' },
    ...{ balanceId: partId(accountId(alias), 1), balanceAffected: false },
    ...{ balance: nothing, balanceAfter: nothing },
  }));
  return { type: 'TransactionNoted', data: { transaction: { ...transaction, operations } } };
}
