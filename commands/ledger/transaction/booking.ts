import { add, formatAmount, subtract, withinRange, ZERO, type Amount } from '#src/domain/amount.ts';
import { refuse, type Refusal } from '#src/domain/errors.ts';
import { partId, type Uuid } from '#src/domain/ids.ts';
import type { BalanceState, OperationRecord } from '#src/events/ledger.ts';
import type { Side } from '#src/events/shared.ts';
import { stateOf, type Balance } from './book.ts';
import { nameOf, refusedLeg, type Leg, type Words } from './legs.ts';

/** Balances on their way through a decision: where operations not yet recorded have brought them. */
export type Moving = Map<Balance, Standing>;
type Standing = Readonly<{ available: Amount; onHold: Amount; state: BalanceState }>;

/** What a step does to its sources and destinations. */
export type Step = 'post' | 'block' | 'unblock' | 'hold' | 'commit' | 'cancel';

type Effect = Readonly<{
  type: OperationRecord['type'];
  direction: Side;
  /** What happens to the funds of a credit balance; a debit balance mirrors the first of the two. */
  available: 'falls' | 'rises' | 'stays';
  onHold: 'falls' | 'rises' | 'stays';
}>;

/** Contract ledger §7.4. A hold books nothing on destinations, and a cancellation neither. */
const EFFECTS: Readonly<Record<Step, Readonly<Partial<Record<Side, Effect>>>>> = {
  post: {
    debit: { type: 'DEBIT', direction: 'debit', available: 'falls', onHold: 'stays' },
    credit: { type: 'CREDIT', direction: 'credit', available: 'rises', onHold: 'stays' },
  },
  block: {
    debit: { type: 'BLOCK', direction: 'debit', available: 'falls', onHold: 'stays' },
    credit: { type: 'BLOCK', direction: 'credit', available: 'rises', onHold: 'stays' },
  },
  unblock: {
    debit: { type: 'UNBLOCK', direction: 'debit', available: 'falls', onHold: 'stays' },
    credit: { type: 'UNBLOCK', direction: 'credit', available: 'rises', onHold: 'stays' },
  },
  hold: {
    debit: { type: 'ON_HOLD', direction: 'debit', available: 'falls', onHold: 'rises' },
  },
  commit: {
    debit: { type: 'DEBIT', direction: 'debit', available: 'stays', onHold: 'falls' },
    credit: { type: 'CREDIT', direction: 'credit', available: 'rises', onHold: 'stays' },
  },
  cancel: {
    debit: { type: 'RELEASE', direction: 'credit', available: 'rises', onHold: 'falls' },
  },
};

/**
 * Books the legs of a step by alias and key, whatever their side; legs on one balance in request order, chained.
 * A leg of nothing books nothing. `earlier` operations of the transaction have taken the first ordinals.
 * Errors: INSUFFICIENT_FUNDS, NUMBER_OUT_OF_RANGE.
 */
export function bookLegs(
  step: Step,
  id: Uuid,
  legs: readonly Leg[],
  moving: Moving,
  earlier = 0,
): OperationRecord[] {
  const ordered = legs.filter(({ amount }) => amount !== ZERO).sort(byAliasAndKey);
  return ordered.map((leg, n) => {
    const effect = effectOf(step, leg);
    const { balance } = leg;
    const before = moving.get(balance) ?? standing(balance);
    const after = moved(leg, effect, before);
    moving.set(balance, after);
    return operation(partId(id, earlier + n + 1), leg, effect, before.state, after.state);
  });
}

/** The operations of an annotation: as they would be, and nothing moves. */
export function noteLegs(id: Uuid, legs: readonly Leg[]): OperationRecord[] {
  const ordered = legs.filter(({ amount }) => amount !== ZERO).sort(byAliasAndKey);
  return ordered.map((leg, n) => ({
    ...operation(partId(id, n + 1), leg, effectOf('post', leg), NOTHING, NOTHING),
    balanceAffected: false,
  }));
}

function operation(
  id: Uuid,
  { amount, account, balance, origin, words }: Leg,
  { type, direction }: Effect,
  before: BalanceState,
  after: BalanceState,
): OperationRecord {
  return {
    id,
    type,
    direction,
    origin,
    amount: amountText(amount),
    accountId: account.id,
    accountAlias: account.alias,
    balanceId: partId(account.id, balance.ordinal),
    balanceKey: balance.key,
    balance: before,
    balanceAfter: after,
    ...wordsOf(words),
  };
}

/** Only the external account may fall below zero. */
function moved(leg: Leg, effect: Effect, { available, onHold, state }: Standing): Standing {
  const { amount, account, balance } = leg;
  const mirrored = balance.direction === 'debit';
  const funds =
    effect.available === 'stays' || !mirrored ? effect.available : MIRROR[effect.available];
  const after = shifted(available, funds, amount);
  const held = shifted(onHold, effect.onHold, amount);
  if (after < ZERO && funds === 'falls' && !account.external) throw insufficientFunds(leg);
  if (held < ZERO) throw new Error(`${nameOf(leg)} holds less than was held`);
  if (!withinRange(after) || !withinRange(held)) {
    throw refusedLeg('NUMBER_OUT_OF_RANGE', leg, 'would exceed 30 digits');
  }
  return {
    available: after,
    onHold: held,
    state: {
      available: funds === 'stays' ? state.available : formatAmount(after),
      onHold: effect.onHold === 'stays' ? state.onHold : formatAmount(held),
      version: state.version + 1,
      overdraftUsed: state.overdraftUsed,
    },
  };
}

function shifted(from: Amount, how: Effect['available'], amount: Amount): Amount {
  if (how === 'stays') return from;
  return how === 'rises' ? add(from, amount) : subtract(from, amount);
}

const MIRROR = { falls: 'rises', rises: 'falls' } as const;

function effectOf(step: Step, { direction, account }: Leg): Effect {
  // The world outside is never held: a part of a group debits it when it is posted.
  const effect = EFFECTS[step === 'commit' && account.external ? 'post' : step][direction];
  if (effect === undefined) throw new Error(`A ${step} books no ${direction}`);
  return effect;
}

const standing = (balance: Balance): Standing => ({
  available: balance.available,
  onHold: balance.onHold,
  state: stateOf(balance),
});

/** Byte order, never that of a locale: aliases have but ASCII, keys may have anything. */
function byAliasAndKey(a: Leg, b: Leg): number {
  if (a.account !== b.account) return a.account.alias < b.account.alias ? -1 : 1;
  if (a.balance === b.balance) return 0; // Sorting is stable: request order stays.
  return Buffer.compare(Buffer.from(a.balance.key), Buffer.from(b.balance.key));
}

/** Clients look for the words "insufficient" and "funds". */
const insufficientFunds = (leg: Leg): Refusal =>
  refuse(
    'INSUFFICIENT_FUNDS',
    `Source account ${nameOf(leg)} has insufficient funds for ` +
      `${formatAmount(leg.amount)} ${leg.account.assetCode}.`,
  );

/** Amounts of one transaction are mostly one and the same. */
export function amountText(amount: Amount): string {
  if (amount !== lastAmount) {
    lastText = formatAmount(amount);
    lastAmount = amount;
  }
  return lastText;
}
let lastAmount = ZERO;
let lastText = '0';

/** Those members that are there, in the order in which operations are written. */
export function wordsOf(words: Leg['words']): Partial<Pick<OperationRecord, keyof Words>> {
  const { description, chartOfAccounts, route, routeId, rate, metadata } = words;
  return {
    ...(description !== undefined && { description }),
    ...(chartOfAccounts !== undefined && { chartOfAccounts }),
    ...(route !== undefined && { route }),
    ...(routeId !== undefined && { routeId }),
    ...(rate !== undefined && { rate }),
    ...(metadata !== undefined && { metadata }),
  };
}

const NOTHING: BalanceState = { available: '0', onHold: '0', version: 0, overdraftUsed: '0' };
