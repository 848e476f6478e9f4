import type { Finding, Refusal } from '#src/kernel/errors.ts';
import { refuse, type LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { AwaitingLeg, OperationRecord } from '#src/events/ledger/transaction.ts';
import { parseAmount, type Amount } from '#src/kernel/amount.ts';
import type { AccountingEntry } from '#src/events/ledger/route-rules.ts';
import type { Side } from '#src/events/shared.ts';
import { claimOn } from '#commands/ledger/state/reservations.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { find, isInternal, type Account, type Balance } from '#commands/ledger/state/book.ts';
import type { RequestedLeg } from './commands.ts';
import { legLocation, type LegLocation, type LegMember } from './locations.ts';
import type { Posting } from './postings.ts';

/** One leg of a step: an amount that is debited from a balance or credited to it. */
export type Leg = Readonly<{
  direction: Side;
  amount: Amount;
  account: Account;
  balance: Balance;
  /** The source of the leg: the request, or a rule of the ledger. */
  origin: OperationRecord['origin'];
  /** The descriptive members of the operation. */
  details: LegDetails;
  /** Set if the ledger validates routes. */
  routed?: RoutedEntries;
  /** On a leg that ends a hold: the part of its amount that was drawn from the overdraft. */
  owed?: Amount;
  /** For findings; undefined when no request names the leg. */
  location?: LegLocation | undefined;
  /** Set on both legs of a fee that its payer may owe. */
  deferrable?: number | undefined;
  /** Reserved by parts of groups: this amount of the balance must stay available. */
  claimed?: Amount | undefined;
  /** The leg belongs to a part of a group that can no longer be refused. */
  decided?: true;
}>;

/** The accounting entries of the leg's operation route. */
export type RoutedEntries = Readonly<{
  entry: AccountingEntry;
  overdraft: AccountingEntry | undefined;
}>;

export type LegDetails = Pick<
  RequestedLeg,
  'description' | 'chartOfAccounts' | 'route' | 'routeId' | 'rate' | 'metadata' | 'implied'
>;

/** Finds the legs that a block exception lets pass; called after the rules that precede blocks. */
export type BlockBypass = (legs: readonly Leg[]) => (leg: Leg) => boolean;

/** Finds the balances of postings. Errors: ACCOUNTS_NOT_ELIGIBLE, with all legs that name no balance. */
export function legsOf(ledger: Ledger, postings: readonly Posting[]): Leg[] {
  return postings.map((posting) => {
    const { direction, amount, alias, key, origin, leg: details, location, deferrable } = posting;
    const account = ledger.book.account(alias);
    const balance = find(account, key);
    if (account === undefined || balance === undefined)
      throw noSuchBalance(ledger, postings, posting);
    const claimed = claimOn(ledger.parts, account, balance);
    return { direction, amount, account, balance, origin, details, location, deferrable, claimed };
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

/** The leg of a recorded operation or of an awaiting leg; its account may have another alias by now. */
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

/**
 * Checks all legs rule by rule, in the order of contract ledger §7.1 step 6; funds are checked last, when booking.
 * Returns which legs the exception lets pass.
 */
export function checkLegs(
  legs: readonly Leg[],
  asset: string,
  exception?: BlockBypass,
): ((leg: Leg) => boolean) | undefined {
  checkNamedBalances(legs, asset);
  const passes = checkAccountsOpen(legs, exception);
  refuseAny('SIDE_NOT_PERMITTED', legs, (leg) => {
    if (passes?.(leg) === true) return undefined;
    const { allowSending, allowReceiving } = leg.balance;
    if (leg.direction === 'debit') return allowSending ? undefined : 'may not send';
    return allowReceiving ? undefined : 'may not receive';
  });
  return passes;
}

/**
 * Checks the asset of the accounts and that no leg names a companion balance, which only overdrafts move. Annotations
 * are checked by these rules only.
 */
export function checkNamedBalances(legs: readonly Leg[], asset: string): void {
  refuseAny('ASSET_NOT_FOUND', legs, ({ account: { assetCode } }) =>
    assetCode === asset ? undefined : `holds ${assetCode}, not ${asset}`,
  );
  refuseAny('INTERNAL_BALANCE', legs, keptByLedger, 'balanceKey');
}

const keptByLedger = ({ balance }: Leg) =>
  isInternal(balance) ? 'is kept by the ledger itself' : undefined;

/** Refuses closed accounts, and blocked ones unless the exception applies; returns which legs it lets pass. */
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

/** Refuses sources on external accounts, because nothing can be held there. */
export function checkHoldable(sources: readonly Leg[]): void {
  refuseAny('EXTERNAL_SOURCE_PENDING', sources, outside);
}

const outside = ({ account }: Leg) => (account.external ? 'cannot be held' : undefined);

/** Applies one rule to all legs: refuses with the text of the first leg that breaks it and a finding for each. */
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

/** The member of a leg that is at fault, and the value that the client sent. */
type LegFault = Readonly<{ at: Extract<LegMember, 'accountAlias' | 'balanceKey'>; value: unknown }>;

export function refusedLeg(name: LedgerRefusalName, leg: Leg, problem: string): Refusal {
  const fault: LegFault = { at: 'accountAlias', value: leg.account.alias };
  const findings = findingOf(leg.location, fault, problem);
  return refuse(name, `${nameOf(leg)} ${problem}.`, foundIn(findings));
}

/** Returns no finding if no request names the leg. */
const findingOf = (
  location: LegLocation | undefined,
  { at, value }: LegFault,
  message: string,
): readonly Finding[] =>
  location === undefined ? [] : [{ location: legLocation(location, at), message, value }];

const foundIn = (findings: readonly Finding[]) =>
  findings.length === 0 ? undefined : { findings };

/** The aliases of one side, one for each leg, in their order. */
export function aliasesOf(
  legs: readonly Pick<Leg, 'direction' | 'account'>[],
  direction: Side,
): string[] {
  const aliases: string[] = [];
  for (const leg of legs) if (leg.direction === direction) aliases.push(leg.account.alias);
  return aliases;
}

export const nameOf = ({ account, balance }: Leg): string => `${account.alias}#${balance.key}`;

function notEligible(alias: string, key: string, findings: readonly Finding[] = []): Refusal {
  const detail = `The ledger has no balance ${alias}#${key}.`;
  return refuse('ACCOUNTS_NOT_ELIGIBLE', detail, foundIn(findings));
}
