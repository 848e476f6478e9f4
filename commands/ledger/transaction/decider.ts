import { add, formatAmount, negate, withinRange, ZERO, type Amount } from '#src/domain/amount.ts';
import type { Stamp } from '#src/domain/decider.ts';
import { refuse, type Refusal, type RefusalName } from '#src/domain/errors.ts';
import { partId, type Uuid } from '#src/domain/ids.ts';
import type { Instant } from '#src/domain/instant.ts';
import type {
  BalanceState,
  OperationRecord,
  TransactionPosted,
  TransactionRecord,
} from '#src/events/ledger.ts';
import type { Ledger } from '#commands/ledger/ledger.ts';
import { find, type Account, type Balance } from './book.ts';
import type { PostTransaction, TransactionRequest } from './commands.ts';
import { toPostings, type Posting } from './postings.ts';

export type { PostTransaction } from './commands.ts';

/** A posting with the balance it moves. */
type Leg = Posting & Readonly<{ account: Account; balance: Balance }>;

/** Decides one transaction: every operation with the state before and after it, or a refusal. */
export function postTransaction(
  ledger: Ledger,
  { request }: PostTransaction,
  stamp: Stamp,
): TransactionPosted {
  const createdAt = dateOf(request, stamp);
  checkSkips(request);
  const { value, postings } = toPostings(request);
  const legs = postings.map((posting) => resolve(ledger, posting));
  checkLegs(legs, request.send.asset);

  const id = stamp.ids.nextWhole();
  const transaction: TransactionRecord = {
    id,
    organizationId: ledger.organizationId,
    ledgerId: ledger.id,
    ...defined(request, 'description'),
    status: 'APPROVED',
    amount: formatAmount(value),
    assetCode: request.send.asset,
    ...defined(request, 'chartOfAccountsGroupName', 'code'),
    source: aliases(legs, 'debit'),
    destination: aliases(legs, 'credit'),
    ...defined(request, 'route', 'routeId', 'metadata'),
    operations: operations(id, legs),
    createdAt,
    updatedAt: stamp.instant,
  };
  return { type: 'TransactionPosted', data: { transaction } };
}

function resolve(ledger: Ledger, posting: Posting): Leg {
  const account = ledger.book.account(posting.alias);
  const balance = find(account, posting.key);
  if (account === undefined || balance === undefined) {
    throw refuse(
      'ACCOUNTS_NOT_ELIGIBLE',
      `The ledger has no balance ${posting.alias}#${posting.key}.`,
      {
        findings: [
          {
            location: `${posting.location}.accountAlias`,
            message: 'names no balance of the ledger',
            value: posting.alias,
          },
        ],
      },
    );
  }
  return { ...posting, account, balance };
}

/** Rule by rule in the order of contract ledger §7.1 step 6, each over all legs; funds come last, when booking. */
function checkLegs(legs: readonly Leg[], asset: string): void {
  for (const leg of legs) {
    if (leg.account.assetCode !== asset) {
      throw refusedLeg('ASSET_NOT_FOUND', leg, `holds ${leg.account.assetCode}, not ${asset}`);
    }
  }
  for (const leg of legs) {
    if (leg.account.blocked) throw refusedLeg('ACCOUNT_BLOCKED', leg, 'is blocked');
  }
  for (const leg of legs) {
    const source = leg.direction === 'debit';
    if (!(source ? leg.balance.allowSending : leg.balance.allowReceiving)) {
      throw refusedLeg('SIDE_NOT_PERMITTED', leg, source ? 'may not send' : 'may not receive');
    }
  }
}

/** Books the legs by alias and key, whatever their side; legs on one balance in request order, chained. */
function operations(id: Uuid, legs: readonly Leg[]): OperationRecord[] {
  const moving = new Map<Balance, Moving>();
  const ordered = legs.filter(({ amount }) => amount !== ZERO).sort(byAliasAndKey);
  return ordered.map((leg, n) => {
    const { account, balance } = leg;
    const before = moving.get(balance) ?? standing(balance);
    const after = moved(leg, before);
    moving.set(balance, after);
    return {
      id: partId(id, n + 1),
      type: leg.direction === 'debit' ? 'DEBIT' : 'CREDIT',
      direction: leg.direction,
      origin: 'request',
      amount: formatAmount(leg.amount),
      accountId: account.id,
      accountAlias: account.alias,
      balanceId: partId(account.id, balance.ordinal),
      balanceKey: balance.key,
      balance: before.state,
      balanceAfter: after.state,
      ...defined(leg.leg, 'description', 'chartOfAccounts', 'route', 'routeId', 'rate', 'metadata'),
    };
  });
}

/** A balance on its way through one transaction. */
type Moving = Readonly<{ available: Amount; state: BalanceState }>;

const standing = ({ available, onHold, version, overdraftUsed }: Balance): Moving => ({
  available,
  state: {
    available: formatAmount(available),
    onHold: formatAmount(onHold),
    version,
    overdraftUsed: formatAmount(overdraftUsed),
  },
});

/**
 * A credit balance falls by a debit and rises by a credit; a debit balance mirrors that (contract §7.4).
 * Only the external account may fall below zero.
 */
function moved(leg: Leg, { available, state }: Moving): Moving {
  const rises = leg.direction === leg.balance.direction;
  const after = add(available, rises ? leg.amount : negate(leg.amount));
  if (after < ZERO && !rises && !leg.account.external) throw insufficientFunds(leg);
  if (!withinRange(after)) throw refusedLeg('NUMBER_OUT_OF_RANGE', leg, 'would exceed 30 digits');
  return {
    available: after,
    state: { ...state, available: formatAmount(after), version: state.version + 1 },
  };
}

/** Byte order: aliases and keys are compared unit by unit, never by a locale. */
function byAliasAndKey(a: Leg, b: Leg): number {
  if (a.alias !== b.alias) return a.alias < b.alias ? -1 : 1;
  if (a.key !== b.key) return a.key < b.key ? -1 : 1;
  return 0; // Sorting is stable: request order stays.
}

const aliases = (legs: readonly Leg[], direction: Posting['direction']): string[] =>
  legs.filter((leg) => leg.direction === direction).map((leg) => leg.alias);

function checkSkips({ skip }: TransactionRequest): void {
  for (const what of ['fees', 'tracer'] as const) {
    if (skip?.[what] !== true) continue;
    throw refuse('SKIP_NOT_PERMITTED', `The ledger does not allow ${what} to be skipped.`, {
      findings: [{ location: `skip.${what}`, message: 'is not permitted', value: true }],
    });
  }
}

/** The client's own date may lie in the past; it moves `createdAt` and nothing else. */
function dateOf({ transactionDate }: TransactionRequest, stamp: Stamp): Instant {
  if (transactionDate === undefined) return stamp.instant;
  if (transactionDate > stamp.instant) {
    throw refuse('DATE_IN_FUTURE', 'A transaction cannot be dated in the future.', {
      findings: [
        { location: 'transactionDate', message: 'lies in the future', value: transactionDate },
      ],
    });
  }
  return transactionDate;
}

const refusedLeg = (name: RefusalName, leg: Leg, problem: string): Refusal =>
  refuse(name, `${leg.alias}#${leg.key} ${problem}.`, {
    findings: [{ location: `${leg.location}.accountAlias`, message: problem, value: leg.alias }],
  });

/** Clients look for the words "insufficient" and "funds". */
const insufficientFunds = (leg: Leg): Refusal =>
  refuse(
    'INSUFFICIENT_FUNDS',
    `Source account ${leg.alias}#${leg.key} has insufficient funds for ` +
      `${formatAmount(leg.amount)} ${leg.account.assetCode}.`,
  );

/** Those members of a request that it has, so that an event holds no empty ones. */
function defined<T extends object, K extends keyof T>(
  from: T,
  ...members: readonly K[]
): { [M in K]?: Exclude<T[M], undefined> } {
  const found: { [M in K]?: Exclude<T[M], undefined> } = {};
  for (const member of members) {
    const value = from[member];
    if (value !== undefined) found[member] = value as Exclude<T[K], undefined>;
  }
  return found;
}
