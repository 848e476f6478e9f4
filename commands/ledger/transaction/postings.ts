import {
  add,
  formatAmount,
  readAmount,
  share,
  subtract,
  ZERO,
  type Amount,
} from '#src/kernel/amount.ts';
import type { Finding, Refusal } from '#src/kernel/errors.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { OperationRecord } from '#src/events/ledger/transaction.ts';
import type { Side } from '#src/events/shared.ts';
import type { RequestedLeg, TransactionRequest } from './commands.ts';
import { legLocation, type LegLocation, type RequestLocations } from './locations.ts';

/** One leg of a request with its amount calculated. Sources are debited, destinations credited. */
export type Posting = Readonly<{
  direction: Side;
  alias: string;
  key: string;
  amount: Amount;
  origin: OperationRecord['origin'];
  leg: RequestedLeg;
  /** The location for findings; undefined for a leg that the request does not contain. */
  location?: LegLocation | undefined;
  /** Set on both postings of a fee that its payer may owe. */
  deferrable?: number | undefined;
}>;

/**
 * Calculates the postings of a request, sources first, in request order (contract ledger §7.1, steps 1 to 4). All
 * arithmetic is exact; totals are checked, never rounded or adjusted.
 */
export function toPostings(
  request: Pick<TransactionRequest, 'send'>,
  locations: RequestLocations,
): Readonly<{ value: Amount; postings: Posting[] }> {
  const { value, sources, destinations } = postingsBySide(request, locations);
  checkSides(sources, destinations);
  return { value, postings: [...sources, ...destinations] };
}

/** Calculates each side, without checking that no balance is on both. */
export function postingsBySide(
  { send }: Pick<TransactionRequest, 'send'>,
  locations: RequestLocations,
): Readonly<{ value: Amount; sources: Posting[]; destinations: Posting[] }> {
  const from: RequestSide = { side: 'debit', legs: send.source.from, locations };
  const to: RequestSide = { side: 'credit', legs: send.distribute.to, locations };
  checkQuantities(from);
  checkQuantities(to);
  const value = decimal(send.value ?? '0');
  if (value <= ZERO) throw notPositive(locations.value, send.value);

  const given = statedQuantities(from, value);
  const taken = statedQuantities(to, value);
  checkAssets(from, send.asset);
  checkAssets(to, send.asset);
  const sources = postingsOf(from, given, value);
  const destinations = postingsOf(to, taken, value);
  checkTotal('sources', sources, value);
  checkTotal('destinations', destinations, value);
  return { value, sources, destinations };
}

type RequestSide = Readonly<{
  side: Side;
  legs: readonly RequestedLeg[];
  locations: RequestLocations;
}>;

/** Each leg needs exactly one of the three; an empty `remaining` counts as absent. */
function checkQuantities({ legs, ...at }: RequestSide): void {
  const findings = legs.flatMap(({ amount, share: part, remaining }, index): Finding[] => {
    const given = [amount, part, remaining === '' ? undefined : remaining].filter(
      (one) => one !== undefined,
    );
    if (given.length === 1) return [];
    const location = legLocation({ ...at, index });
    return [{ location, message: 'needs one of amount, share, remaining' }];
  });
  if (findings.length === 0) return;
  throw refuse('LEG_QUANTITY', 'A leg has an amount, or a share, or what remains: one of them.', {
    findings: findings.slice(0, FINDINGS_MAX),
  });
}

const FINDINGS_MAX = 100;

function postingsOf(
  { side, legs, locations }: RequestSide,
  quantities: readonly Quantity[],
  value: Amount,
): Posting[] {
  const rest = quantities.indexOf('remaining');
  const left = rest < 0 ? ZERO : remainder(quantities, value, rest, locations.lists[side]);
  return legs.map((leg, index) => {
    const quantity = quantities[index] ?? 'remaining';
    return {
      direction: side,
      alias: leg.accountAlias,
      key: (leg.balanceKey ?? 'default').toLowerCase(),
      amount: quantity === 'remaining' ? left : quantity,
      origin: 'request',
      leg,
      location: leg.implied === true ? undefined : { locations, side, index },
    };
  });
}

type Quantity = Amount | 'remaining';

/** The quantities that the legs state; all amounts are checked before any are added up. */
function statedQuantities({ legs, ...at }: RequestSide, value: Amount): Quantity[] {
  return legs.map(({ amount, share: part }, index) => {
    if (part !== undefined) return share(value, part.percentage, part.percentageOfPercentage ?? 0);
    if (amount === undefined) return 'remaining';
    const own = decimal(amount.value);
    if (own <= ZERO) throw notPositive(legLocation({ ...at, index }, 'value'), amount.value);
    return own;
  });
}

function checkAssets({ legs, ...at }: RequestSide, asset: string): void {
  legs.forEach(({ amount }, index) => {
    if (amount === undefined || amount.asset === asset) return;
    throw refuse('ASSET_NOT_FOUND', `A leg names ${amount.asset}, the transaction ${asset}.`, {
      findings: [
        {
          location: legLocation({ ...at, index }, 'asset'),
          message: `differs from ${at.locations.asset}`,
          value: amount.asset,
        },
      ],
    });
  });
}

/** The amount that the other legs of the side leave. Zero is accepted and books nothing. */
function remainder(
  quantities: readonly Quantity[],
  value: Amount,
  rest: number,
  list: string,
): Amount {
  let left = value;
  quantities.forEach((amount, n) => {
    if (n === rest) return;
    if (amount === 'remaining') throw totalsDiffer(`${list} has more than one remaining leg.`);
    left = subtract(left, amount);
  });
  if (left < ZERO)
    throw totalsDiffer(`${list} leaves ${formatAmount(left)} for its remaining leg.`);
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

/** The separator NUL cannot occur, because every text from outside is refused if it contains it. */
const balanceOf = ({ alias, key }: Posting): string => `${alias}\0${key}`;

export function checkSides(sources: readonly Posting[], destinations: readonly Posting[]): void {
  const [from] = sources;
  const both = sources.length === 1 ? sameBalance(from) : oneOf(sources);
  const to = destinations.find(both);
  if (to === undefined) return;
  throw refuse('ACCOUNT_ON_BOTH_SIDES', `${to.alias} gives and receives in one transaction.`, {
    ...(to.location !== undefined && {
      findings: [
        { location: legLocation(to.location), message: 'is a source as well', value: to.alias },
      ],
    }),
  });
}

/** Most transactions have one source, which is compared without building a set. */
const sameBalance =
  (from: Posting | undefined) =>
  ({ alias, key }: Posting): boolean =>
    alias === from?.alias && key === from.key;

function oneOf(sources: readonly Posting[]): (to: Posting) => boolean {
  const giving = new Set(sources.map(balanceOf));
  return (to) => giving.has(balanceOf(to));
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
