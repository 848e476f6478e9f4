import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import type { BlockBypass, Leg } from '#commands/ledger/transaction/legs.ts';
import { add, formatAmount, ZERO, type Amount } from '#src/kernel/amount.ts';
import type { Stamp } from '#src/kernel/decider.ts';
import type { Refusal } from '#src/kernel/errors.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { formatInstant, type Instant, type Micros } from '#src/kernel/instant.ts';
import type { BlockExceptionRecord } from '#src/events/ledger/account.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { ByException } from '#src/events/ledger/transaction.ts';
import type { BlockException } from '#commands/ledger/state/live-exceptions.ts';

/** Amounts are above zero, as formatAmount writes them; `ttl` is in seconds. */
export type GrantBlockExceptions = Readonly<{
  type: 'GrantBlockExceptions';
  organizationId: Uuid;
  exceptions: readonly Readonly<{ accountAlias: string; amount: string; ttl: number }>[];
}>;

/** Grants all exceptions or none, valid from one instant on. Errors: EXCEPTION_ALIAS_UNKNOWN. */
export function grantBlockExceptions(
  ledger: Ledger,
  { exceptions }: GrantBlockExceptions,
  { at, instant, ids }: Stamp,
): LedgerEvent {
  const granted = exceptions.map(({ accountAlias, amount, ttl }, n): BlockExceptionRecord => {
    const account = ledger.book.account(accountAlias);
    if (account === undefined) throw aliasUnknown(accountAlias, n);
    return {
      id: ids.next(),
      organizationId: ledger.organizationId,
      ledgerId: ledger.id,
      accountId: account.id,
      accountAlias,
      amount,
      createdAt: instant,
      expiresAt: formatInstant((at + ttl * 1_000_000) as Micros),
    };
  });
  return { type: 'BlockExceptionsGranted', data: { exceptions: granted } };
}

/** The block exception that a debit consumes, as recorded in the event. */
export const usedBy = (id: Uuid | undefined): ByException =>
  id === undefined ? {} : { accountBlockExceptionId: id };

/**
 * Lets one debit of exactly its amount, including the part drawn from an overdraft, pass a block of its account. The
 * debit consumes the exception even if the account is not blocked. Errors, when the check runs: EXCEPTION_NOT_USABLE.
 */
export function exceptionOf(
  ledger: Ledger,
  id: Uuid | undefined,
  now: Instant,
): BlockBypass | undefined {
  if (id === undefined) return undefined;
  return (legs) => {
    const exception = liveException(ledger, id);
    const { accountId, amount, expiresAt } = exception;
    if (expiresAt <= now) throw notUsable(id, `expired at ${expiresAt}`);
    const passes = ({ account, direction }: Leg): boolean =>
      account.id === accountId && direction === 'debit';
    const debits = withoutItsFees(legs.filter((leg) => passes(leg) && wholeOf(leg) !== ZERO));
    const [debit] = debits;
    if (debit === undefined || debits.length > 1) {
      throw notUsable(id, `fits one debit, and there are ${String(debits.length)}`);
    }
    if (wholeOf(debit) !== amount) throw notUsable(id, `is for ${formatAmount(amount)}`);
    return passes;
  };
}

/** The fees of a debit and returned fees pass with it; a client cannot know them when it asks for the exception. */
const withoutItsFees = (debits: readonly Leg[]): readonly Leg[] =>
  debits.length > 1
    ? debits.filter(({ origin }) => origin !== 'fee' && origin !== 'settlement')
    : debits;

/** Errors: EXCEPTION_NOT_USABLE, also while the exception is reserved for a part of a group. */
export function liveException({ exceptions, parts }: Ledger, id: Uuid): BlockException {
  const exception = exceptions.get(id);
  if (exception === undefined) throw notUsable(id, 'is unknown here, or was used');
  for (const { exceptionId } of parts.values()) {
    if (exceptionId === id) throw notUsable(id, 'is kept for a group that is being posted');
  }
  return exception;
}

/** The amount of a debit, including the part drawn from an overdraft. */
const wholeOf = ({ amount, owed = ZERO }: Leg): Amount => add(amount, owed);

const aliasUnknown = (alias: string, n: number): Refusal =>
  refuse('EXCEPTION_ALIAS_UNKNOWN', `The ledger has no account ${alias}, in exceptions[${n}].`, {
    findings: [
      { location: `exceptions[${n}].accountAlias`, message: 'names no account', value: alias },
    ],
  });

const notUsable = (id: Uuid, why: string): Refusal =>
  refuse('EXCEPTION_NOT_USABLE', `The exception ${why}.`, {
    findings: [{ location: 'accountBlockExceptionId', message: why, value: id }],
  });
