import type { Finding, Refusal } from '#src/kernel/errors.ts';
import { refuse, type LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { AwaitingLeg, OperationRecord } from '#src/events/ledger/transaction.ts';
import { parseAmount, type Amount } from '#src/kernel/amount.ts';
import type { Entry } from '#src/events/ledger/route-rules.ts';
import type { Side } from '#src/events/shared.ts';
import { claimOn } from '#commands/ledger/state/reservations.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { find, isInternal, type Account, type Balance } from '#commands/ledger/state/book.ts';
import type { RequestedLeg } from './commands.ts';
import { legLocation, type LegLocation, type LegMember } from './locations.ts';
import type { Posting } from './postings.ts';

/** One line of a step: what it moves on which balance. */
export type Leg = Readonly<{
  direction: Side;
  amount: Amount;
  account: Account;
  balance: Balance;
  /** The source of the leg: the request, or a rule of the ledger. */
  origin: OperationRecord['origin'];
  /** The descriptive members of the operation. */
  details: LegDetails;
  /** Set where routes are validated. */
  routed?: RoutedEntries;
  /** On a leg that ends a hold: the amount of it that was drawn from the overdraft. */
  owed?: Amount;
  /** For findings; undefined when no request names the leg. */
  location?: LegLocation | undefined;
  /** Reserved by parts of groups: this amount of the balance must stay available. */
  claimed?: Amount | undefined;
  /** The leg belongs to a part of a group that can no longer be refused. */
  decided?: true;
}>;

/** The accounting entries of the leg's operation route. */
export type RoutedEntries = Readonly<{ entry: Entry; overdraft: Entry | undefined }>;

export type LegDetails = Pick<
  RequestedLeg,
  'description' | 'chartOfAccounts' | 'route' | 'routeId' | 'rate' | 'metadata' | 'implied'
>;

/** Finds the legs that an exception lets pass a block; called after the rules that come before blocks. */
export type BlockBypass = (legs: readonly Leg[]) => (leg: Leg) => boolean;

/** Errors: ACCOUNTS_NOT_ELIGIBLE, which finds all legs that name no balance. */
export function legsOf(ledger: Ledger, postings: readonly Posting[]): Leg[] {
  return postings.map((posting) => {
    const { direction, amount, alias, key, origin, leg: details, location } = posting;
    const account = ledger.book.account(alias);
    const balance = find(account, key);
    if (account === undefined || balance === undefined)
      throw noSuchBalance(ledger, postings, posting);
    const claimed = claimOn(ledger.parts, account, balance);
    return { direction, amount, account, balance, origin, details, location, claimed };
  });
}

function noSuchBalance({ book }: Ledger, postings: readonly Posting[], first: Posting): Refusal {
  const findings = postings.flatMap(({ alias, key, leg, location }) => {
    const account = book.account(alias);
    if (find(account, key) !== undefined) return [];
    const at = account === undefined ? 'accountAlias' : 'balanceKey';
    return findingOf(location, { at, value: leg[at] }, 'names no balance of the ledger');
  });
  return notEligible(first.alias, first.key, findings);
}

/** The leg of a recorded operation or of one that is pending; its account may have another alias by now. */
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
  return { direction, amount, account, balance, origin, details: recorded, claimed };
}

/** Rule by rule in the order of contract ledger §7.1 step 6, each over all legs; funds come last, when booking. */
export function checkLegs(legs: readonly Leg[], asset: string, exception?: BlockBypass): void {
  checkNamedBalances(legs, asset);
  const passes = checkAccountsOpen(legs, exception);
  refuseAny('SIDE_NOT_PERMITTED', legs, (leg) => {
    if (passes?.(leg) === true) return undefined;
    const { allowSending, allowReceiving } = leg.balance;
    if (leg.direction === 'debit') return allowSending ? undefined : 'may not send';
    return allowReceiving ? undefined : 'may not receive';
  });
}

/**
 * What a leg may name, also in an annotation, which moves nothing and is stopped by nothing else. What shows an account's
 * debt is moved by overdraft alone.
 */
export function checkNamedBalances(legs: readonly Leg[], asset: string): void {
  refuseAny('ASSET_NOT_FOUND', legs, ({ account: { assetCode } }) =>
    assetCode === asset ? undefined : `holds ${assetCode}, not ${asset}`,
  );
  refuseAny('INTERNAL_BALANCE', legs, keptByLedger, 'balanceKey');
}

const keptByLedger = ({ balance }: Leg) =>
  isInternal(balance) ? 'is kept by the ledger itself' : undefined;

/** What stops any movement of an account: that it has ended, or is blocked. Answers what passes nonetheless. */
export function checkAccountsOpen(
  legs: readonly Leg[],
  exception?: BlockBypass,
): ((leg: Leg) => boolean) | undefined {
  refuseAny('ACCOUNT_CLOSED', legs, closed);
  const passes = exception?.(legs);
  refuseAny('ACCOUNT_BLOCKED', legs, (leg) =>
    leg.account.blocked && passes?.(leg) !== true ? 'is blocked' : undefined,
  );
  return passes;
}

const closed = ({ account }: Leg) => (account.closed ? 'is closed' : undefined);

/** The world outside keeps no promise, so nothing of it can be held. */
export function checkHoldable(sources: readonly Leg[]): void {
  refuseAny('EXTERNAL_SOURCE_PENDING', sources, outside);
}

const outside = ({ account }: Leg) => (account.external ? 'cannot be held' : undefined);

/** One rule for all legs: refuses in the words of the first that it stops, and finds the others as well. */
function refuseAny(
  name: LedgerRefusalName,
  legs: readonly Leg[],
  problemOf: (leg: Leg) => string | undefined,
  at: LegFault['at'] = 'accountAlias',
): void {
  for (const leg of legs) {
    const problem = problemOf(leg);
    if (problem === undefined) continue;
    const findings = legs.flatMap((one) => {
      const its = problemOf(one);
      const value = at === 'accountAlias' ? one.account.alias : one.balance.key;
      return its === undefined ? [] : findingOf(one.location, { at, value }, its);
    });
    throw refuse(name, `${nameOf(leg)} ${problem}.`, foundIn(findings));
  }
}

/** The member of a leg that is at fault, and what the client wrote there. */
type LegFault = Readonly<{ at: Extract<LegMember, 'accountAlias' | 'balanceKey'>; value: unknown }>;

export function refusedLeg(name: LedgerRefusalName, leg: Leg, problem: string): Refusal {
  const fault: LegFault = { at: 'accountAlias', value: leg.account.alias };
  const findings = findingOf(leg.location, fault, problem);
  return refuse(name, `${nameOf(leg)} ${problem}.`, foundIn(findings));
}

/** None when no request names the leg. */
const findingOf = (
  location: LegLocation | undefined,
  { at, value }: LegFault,
  message: string,
): readonly Finding[] =>
  location === undefined ? [] : [{ location: legLocation(location, at), message, value }];

const foundIn = (findings: readonly Finding[]) =>
  findings.length === 0 ? undefined : { findings };

/** Of one side, one per leg, in their order. */
export const aliasesOf = (legs: readonly Leg[], direction: Side): string[] =>
  legs.filter((leg) => leg.direction === direction).map(({ account }) => account.alias);

export const nameOf = ({ account, balance }: Leg): string => `${account.alias}#${balance.key}`;

function notEligible(alias: string, key: string, findings: readonly Finding[] = []): Refusal {
  const detail = `The ledger has no balance ${alias}#${key}.`;
  return refuse('ACCOUNTS_NOT_ELIGIBLE', detail, foundIn(findings));
}
