import type { OperationRecord } from '#src/events/ledger/transaction.ts';
import type { Side } from '#src/events/shared.ts';

/** The change that an operation makes to a balance. */
export type BalanceEffect = Readonly<{
  type: OperationRecord['type'];
  direction: Side;
  /** The funds of a credit balance; on a debit balance `available` moves the other way. */
  available: FieldChange;
  onHold: FieldChange;
  /** Returns funds that were on hold, so their sufficiency is not checked. */
  returns?: true;
}>;

type FieldChange = 'falls' | 'rises' | 'stays';

const effect = (
  type: OperationRecord['type'],
  direction: Side,
  available: FieldChange,
  onHold: FieldChange,
): BalanceEffect => ({ type, direction, available, onHold });

const HOLD = effect('ON_HOLD', 'debit', 'falls', 'rises');

/** The steps of a transaction. A ledger that validates routes books a hold and its end in two steps. */
export type BookingStep =
  | 'post'
  | 'block'
  | 'unblock'
  | 'hold'
  | 'commit'
  | 'cancel'
  | 'fee settlement'
  | 'fee refund'
  | `two-step ${'hold' | 'commit' | 'cancel'}`;

/** The effects of each step (contract ledger §7.4). A hold and a cancellation book nothing on destinations. */
export const EFFECTS: Readonly<
  Record<BookingStep, Readonly<Partial<Record<Side, BalanceEffect>>>>
> = {
  post: {
    debit: effect('DEBIT', 'debit', 'falls', 'stays'),
    credit: effect('CREDIT', 'credit', 'rises', 'stays'),
  },
  block: {
    debit: effect('BLOCK', 'debit', 'falls', 'stays'),
    credit: effect('BLOCK', 'credit', 'rises', 'stays'),
  },
  unblock: {
    debit: effect('UNBLOCK', 'debit', 'falls', 'stays'),
    credit: effect('UNBLOCK', 'credit', 'rises', 'stays'),
  },
  hold: { debit: HOLD },
  commit: {
    debit: effect('DEBIT', 'debit', 'stays', 'falls'),
    credit: effect('CREDIT', 'credit', 'rises', 'stays'),
  },
  cancel: { debit: { ...effect('RELEASE', 'credit', 'rises', 'falls'), returns: true } },
  'fee settlement': {
    debit: effect('FEE_SETTLEMENT', 'debit', 'falls', 'stays'),
    credit: effect('FEE_SETTLEMENT', 'credit', 'rises', 'stays'),
  },
  'fee refund': {
    debit: effect('FEE_REFUND', 'debit', 'falls', 'stays'),
    credit: effect('FEE_REFUND', 'credit', 'rises', 'stays'),
  },
  'two-step hold': { debit: HOLD },
  'two-step commit': {
    debit: effect('ON_HOLD', 'debit', 'stays', 'falls'),
    credit: effect('CREDIT', 'credit', 'rises', 'stays'),
  },
  'two-step cancel': { debit: effect('RELEASE', 'debit', 'stays', 'falls') },
};

/** The first operation of a two-step hold takes the amount, the second puts it on hold. */
export const TAKEN = effect('DEBIT', 'debit', 'falls', 'stays');
export const PUT_ON_HOLD = effect('ON_HOLD', 'credit', 'stays', 'rises');

/** Makes the amount of a cancelled hold available, after another operation took it off hold. */
export const GIVEN_BACK: BalanceEffect = {
  ...effect('CREDIT', 'credit', 'rises', 'stays'),
  returns: true,
};

/** On the overdraft balance, which is a debit balance: a debit raises it (contract ledger §7.5). */
export const DRAWN = effect('OVERDRAFT', 'debit', 'falls', 'stays');
export const REPAID = effect('OVERDRAFT', 'credit', 'rises', 'stays');
/** An overdraft that was repaid before its hold was cancelled: its amount is no longer held. */
export const NO_LONGER_HELD = effect('DEBIT', 'debit', 'stays', 'falls');
