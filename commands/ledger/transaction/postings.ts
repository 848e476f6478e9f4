import {
  add,
  formatAmount,
  readAmount,
  share,
  subtract,
  ZERO,
  type Amount,
} from '#src/domain/amount.ts';
import { refuse, type Finding, type Refusal } from '#src/domain/errors.ts';
import type { Side } from '#src/events/shared.ts';
import type { RequestedLeg, TransactionRequest } from './commands.ts';

/** What one line of a request moves. A source is debited, a destination credited. */
export type Posting = Readonly<{
  direction: Side;
  alias: string;
  key: string;
  amount: Amount;
  leg: RequestedLeg;
  /** The leg's place in the request, for findings. */
  location: string;
}>;

/**
 * Works a request out into postings, sources first, in request order (contract ledger §7.1, steps 1 to 4).
 * Exact decimal arithmetic throughout; the totals are checked, never rounded or topped up.
 */
export function toPostings({
  send,
}: TransactionRequest): Readonly<{ value: Amount; postings: Posting[] }> {
  checkQuantities('send.source.from', send.source.from);
  checkQuantities('send.distribute.to', send.distribute.to);
  const value = decimal(send.value ?? '0');
  if (value <= ZERO) throw notPositive('send.value', send.value);

  const sources = side('debit', 'send.source.from', send.source.from, send.asset, value);
  const destinations = side('credit', 'send.distribute.to', send.distribute.to, send.asset, value);
  checkTotal('sources', sources, value);
  checkTotal('destinations', destinations, value);
  checkSides(sources, destinations);
  return { value, postings: [...sources, ...destinations] };
}

/** Exactly one of the three; an empty `remaining` is none. */
function checkQuantities(path: string, legs: readonly RequestedLeg[]): void {
  const findings = legs.flatMap(({ amount, share: part, remaining }, n): Finding[] => {
    const given = [amount, part, remaining || undefined].filter((one) => one !== undefined);
    if (given.length === 1) return [];
    return [
      { location: `${path}[${String(n)}]`, message: 'needs one of amount, share, remaining' },
    ];
  });
  if (findings.length === 0) return;
  throw refuse('LEG_QUANTITY', 'A leg has an amount, or a share, or what remains: one of them.', {
    findings: findings.slice(0, FINDINGS_MAX),
  });
}

const FINDINGS_MAX = 100;

function side(
  direction: Side,
  path: string,
  legs: readonly RequestedLeg[],
  asset: string,
  value: Amount,
): Posting[] {
  const amounts = legs.map((leg, n) => quantity(leg, `${path}[${String(n)}]`, asset, value));
  const rest = amounts.indexOf('remaining');
  if (rest >= 0) amounts[rest] = remainder(amounts, value, rest, path);
  return legs.map((leg, n) => ({
    direction,
    alias: leg.accountAlias,
    key: (leg.balanceKey ?? 'default').toLowerCase(),
    amount: amounts[n] as Amount,
    leg,
    location: `${path}[${String(n)}]`,
  }));
}

function quantity(
  leg: RequestedLeg,
  at: string,
  asset: string,
  value: Amount,
): Amount | 'remaining' {
  if (leg.share !== undefined) {
    return share(value, leg.share.percentage, leg.share.percentageOfPercentage ?? 0);
  }
  if (leg.amount === undefined) return 'remaining';
  if (leg.amount.asset !== asset) {
    throw refuse('ASSET_NOT_FOUND', `A leg names ${leg.amount.asset}, the transaction ${asset}.`, {
      findings: [
        {
          location: `${at}.amount.asset`,
          message: 'differs from send.asset',
          value: leg.amount.asset,
        },
      ],
    });
  }
  const amount = decimal(leg.amount.value);
  if (amount <= ZERO) throw notPositive(`${at}.amount.value`, leg.amount.value);
  return amount;
}

/** What the other legs of the side leave, wherever the leg stands; zero is accepted and books nothing. */
function remainder(
  amounts: readonly (Amount | 'remaining')[],
  value: Amount,
  rest: number,
  path: string,
): Amount {
  let left = value;
  amounts.forEach((amount, n) => {
    if (n === rest) return;
    if (amount === 'remaining') throw totalsDiffer(`${path} has more than one remaining leg.`);
    left = subtract(left, amount);
  });
  if (left < ZERO)
    throw totalsDiffer(`${path} leaves ${formatAmount(left)} for its remaining leg.`);
  return left;
}

function checkTotal(name: string, postings: readonly Posting[], value: Amount): void {
  const total = postings.reduce((sum, { amount }) => add(sum, amount), ZERO);
  if (total !== value) {
    throw totalsDiffer(
      `The ${name} add up to ${formatAmount(total)}, the transaction moves ${formatAmount(value)}.`,
    );
  }
}

function checkSides(sources: readonly Posting[], destinations: readonly Posting[]): void {
  for (const to of destinations) {
    if (sources.some((from) => from.alias === to.alias && from.key === to.key)) {
      throw refuse('ACCOUNT_ON_BOTH_SIDES', `${to.alias} gives and receives in one transaction.`, {
        findings: [{ location: to.location, message: 'is a source as well', value: to.alias }],
      });
    }
  }
}

function decimal(text: string): Amount {
  const amount = readAmount(text);
  if (typeof amount === 'string') throw new Error(`An amount was not validated: ${amount}`);
  return amount;
}

const totalsDiffer = (detail: string): Refusal => refuse('TOTALS_DIFFER', detail);

const notPositive = (location: string, value: unknown): Refusal =>
  refuse('VALUE_NOT_POSITIVE', 'Amounts of a transaction must be greater than zero.', {
    findings: [
      { location, message: 'must be greater than zero', ...(value !== undefined && { value }) },
    ],
  });
