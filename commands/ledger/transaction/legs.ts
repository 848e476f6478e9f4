import { refuse, type Refusal, type RefusalName } from '#src/domain/errors.ts';
import type { AwaitingLeg, OperationRecord } from '#src/events/transaction.ts';
import { parseAmount, type Amount } from '#src/domain/amount.ts';
import type { Entry } from '#src/domain/routes.ts';
import type { Side } from '#src/events/shared.ts';
import { claimOn } from '#commands/ledger/group/parts.ts';
import type { Ledger } from '#commands/ledger/ledger-state.ts';
import { find, isInternal, type Account, type Balance } from './book.ts';
import type { RequestedLeg } from './commands.ts';
import type { Posting } from './postings.ts';

/** One line of a step: what it moves on which balance. */
export type Leg = Readonly<{
  direction: Side;
  amount: Amount;
  account: Account;
  balance: Balance;
  /** What asked for it. */
  origin: OperationRecord['origin'];
  /** What the operation will say for itself. */
  words: Words;
  /** Where routes are validated. */
  routed?: Routed;
  /** On what ends a hold: what of it was drawn from the overdraft. */
  owed?: Amount;
  /** The leg's place in the request, for findings; undefined when no request names it. */
  location?: string | undefined;
  /** What parts of groups will take of the balance: it must stay available. */
  claimed?: Amount | undefined;
  /** Of a part of a group that is no longer refused. */
  decided?: true;
}>;

/** What the operation route of a leg says of its operations. */
export type Routed = Readonly<{ entry: Entry; overdraft: Entry | undefined }>;

export type Words = Pick<
  RequestedLeg,
  'description' | 'chartOfAccounts' | 'route' | 'routeId' | 'rate' | 'metadata' | 'implied'
>;

/** Which legs an exception lets pass, whatever is blocked; asked once what comes before a block is fine. */
export type Exception = (legs: readonly Leg[]) => (leg: Leg) => boolean;

/** Errors: ACCOUNTS_NOT_ELIGIBLE. */
export function legOf(ledger: Ledger, posting: Posting): Leg {
  const { direction, amount, alias, key, origin, leg: words, location } = posting;
  const account = ledger.book.account(alias);
  const balance = find(account, key);
  if (account === undefined || balance === undefined) {
    const at = account === undefined ? 'accountAlias' : 'balanceKey';
    throw notEligible(alias, key, location, { at, value: words[at] });
  }
  const claimed = claimOn(ledger.parts, account, balance);
  return { direction, amount, account, balance, origin, words, location, claimed };
}

/** The line of an operation, or of one that waits, whatever its account is called today. */
export function recordedLeg(
  ledger: Ledger,
  direction: Side,
  recorded: Omit<AwaitingLeg, 'direction'>,
): Leg {
  const account = ledger.book.accountById(recorded.accountId);
  const balance = find(account, recorded.balanceKey);
  if (account === undefined || balance === undefined) {
    throw notEligible(recorded.accountAlias, recorded.balanceKey);
  }
  const { origin = 'request' } = recorded;
  const amount = parseAmount(recorded.amount);
  const claimed = claimOn(ledger.parts, account, balance);
  return { direction, amount, account, balance, origin, words: recorded, claimed };
}

/** Rule by rule in the order of contract ledger §7.1 step 6, each over all legs; funds come last, when booking. */
export function checkLegs(legs: readonly Leg[], asset: string, exception?: Exception): void {
  checkNamed(legs, asset);
  const passes = checkOpen(legs, exception);
  for (const leg of legs) {
    if (passes?.(leg)) continue;
    const source = leg.direction === 'debit';
    if (!(source ? leg.balance.allowSending : leg.balance.allowReceiving)) {
      throw refusedLeg('SIDE_NOT_PERMITTED', leg, source ? 'may not send' : 'may not receive');
    }
  }
}

/**
 * What a leg may name, also in an annotation, which moves nothing and is stopped by nothing else. What shows an account's
 * debt is moved by overdraft alone.
 */
export function checkNamed(legs: readonly Leg[], asset: string): void {
  for (const leg of legs) {
    if (leg.account.assetCode !== asset) {
      throw refusedLeg('ASSET_NOT_FOUND', leg, `holds ${leg.account.assetCode}, not ${asset}`);
    }
  }
  for (const leg of legs) {
    if (isInternal(leg.balance)) {
      throw refusedLeg('INTERNAL_BALANCE', leg, 'is kept by the ledger itself', {
        at: 'balanceKey',
        value: leg.balance.key,
      });
    }
  }
}

/** What stops any movement of an account: that it has ended, or is blocked. Answers what passes nonetheless. */
export function checkOpen(
  legs: readonly Leg[],
  exception?: Exception,
): ((leg: Leg) => boolean) | undefined {
  for (const leg of legs) {
    if (leg.account.closed) throw refusedLeg('ACCOUNT_CLOSED', leg, 'is closed');
  }
  const passes = exception?.(legs);
  for (const leg of legs) {
    if (leg.account.blocked && passes?.(leg) !== true) {
      throw refusedLeg('ACCOUNT_BLOCKED', leg, 'is blocked');
    }
  }
  return passes;
}

/** The world outside keeps no promise, so nothing of it can be held. */
export function checkHolds(sources: readonly Leg[]): void {
  for (const leg of sources) {
    if (leg.account.external) throw refusedLeg('EXTERNAL_SOURCE_PENDING', leg, 'cannot be held');
  }
}

/** The member of a leg that is at fault, and what the client wrote there. */
type Fault = Readonly<{ at: 'accountAlias' | 'balanceKey'; value: unknown }>;

export const refusedLeg = (
  name: RefusalName,
  leg: Leg,
  problem: string,
  fault: Fault = { at: 'accountAlias', value: leg.account.alias },
): Refusal => refuse(name, `${nameOf(leg)} ${problem}.`, findingOf(leg.location, fault, problem));

function findingOf(location: string | undefined, { at, value }: Fault, message: string) {
  if (location === undefined) return undefined;
  return { findings: [{ location: `${location}.${at}`, message, value }] };
}

/** Of one side, one per leg, in their order. */
export const aliasesOf = (legs: readonly Leg[], direction: Side): string[] =>
  legs.filter((leg) => leg.direction === direction).map(({ account }) => account.alias);

export const nameOf = ({ account, balance }: Leg): string => `${account.alias}#${balance.key}`;

function notEligible(alias: string, key: string, location?: string, fault?: Fault): Refusal {
  const detail = `The ledger has no balance ${alias}#${key}.`;
  const found = fault && findingOf(location, fault, 'names no balance of the ledger');
  return refuse('ACCOUNTS_NOT_ELIGIBLE', detail, found);
}
