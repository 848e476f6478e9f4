import { add, ZERO, type Amount } from '#src/kernel/amount.ts';
import type { Facts, JournalFact, Needs } from '#src/kernel/decider.ts';
import type { FeeCharge, FeeCharger, FeeLeg } from '#src/kernel/fee-charge.ts';
import type { Revision } from '#src/kernel/ids.ts';
import { feesJournal } from '#src/kernel/journal-name.ts';
import type { Side, TransactionMetadata } from '#src/events/shared.ts';
import type { AppliedFeePackage } from '#src/events/ledger/transaction.ts';
import { DEFAULT_KEY, find } from '#commands/ledger/state/book.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import type { FeeRules, TransactionRequest } from './commands.ts';
import { legsOf, type Leg } from './legs.ts';
import { checkSides, type Posting } from './postings.ts';
import type { PreparedRequest } from './prepare.ts';

type ChargeableRequest = Readonly<{
  request: Pick<TransactionRequest, 'skip' | 'metadata' | 'route' | 'routeId'>;
  fees?: FeeRules | undefined;
}>;

/** A request to which a package of fees applies. */
export type RequestWithFees = Pick<PreparedRequest, 'value'> &
  Readonly<{
    /** All legs, sources first; on each side, those of fees follow those of the request. */
    legs: readonly Leg[];
    feeLegs: readonly Leg[];
    metadata: TransactionMetadata | undefined;
    feePackage: AppliedFeePackage;
  }>;

/** Looks up the journal of fees, unless the request is posted as it is. */
export function needsFees(
  { is, organizationId }: Ledger,
  asked: ChargeableRequest,
  facts: Facts,
): Needs | undefined {
  if (is !== 'live' || !isChargeable(asked)) return undefined;
  const journal = feesJournal(organizationId);
  return facts.journal(journal) === undefined ? { journals: [journal] } : undefined;
}

/**
 * Adds the fees of the package that applies to a request, if one does (contract registry-and-fees §B8): raises the value,
 * reduces the destinations that pay, and adds the legs of fees. `legs` are those of the request; no balance is on both
 * of its sides. Errors: ACCOUNT_ON_BOTH_SIDES, ACCOUNTS_NOT_ELIGIBLE, and the refusals of the fees.
 */
export function applyFees(
  ledger: Ledger,
  { request, fees }: ChargeableRequest,
  { value, postings }: Pick<PreparedRequest, 'value' | 'postings'>,
  legs: readonly Leg[],
  facts: Facts,
): RequestWithFees | undefined {
  if (!isChargeable({ request, fees })) return undefined;
  const fact = facts.journal(feesJournal(ledger.organizationId));
  if (fact === undefined) throw new Error('The fees were not looked up');
  const known = feesIn(fact);
  if (known === undefined) return undefined;

  const { metadata, route, routeId } = request;
  const [from, to] = [legs.filter(isDebit), legs.filter(isCredit)];
  const charge = known.charge(ledger.id, {
    ...{ value, route, routeId, metadata: metadata ?? {} },
    from: from.map(chargeable),
    to: to.map(chargeable),
    hasAccount: (alias) => find(ledger.book.account(alias), DEFAULT_KEY) !== undefined,
  });
  if (charge === undefined) return undefined;

  const sides = { debits: postings.filter(isDebit), credits: postings.filter(isCredit) };
  const { debits, credits } = withFeePostings(sides, charge, fees);
  const feeCredits = credits.slice(to.length);
  checkSides(sides.debits, feeCredits); // A fee is debited from a balance that the request debits.
  const feesFrom = legsOf(ledger, debits.slice(from.length));
  const feesTo = legsOf(ledger, feeCredits);
  const reduced = to.map((leg, n) => withAmount(leg, charge.to[n]!));
  return {
    value: charge.value,
    legs: [...from, ...feesFrom, ...reduced, ...feesTo],
    feeLegs: [...feesFrom, ...feesTo],
    metadata: withFeeMetadata(metadata, charge),
    feePackage: feePackageOf(charge, known.revision),
  };
}

/** Returns the fees of a live journal. */
export const feesIn = (fact: JournalFact | null | undefined): ChargingFact | undefined =>
  fact?.live === true ? (fact as ChargingFact) : undefined;

type PostingsBySide = Readonly<{ debits: readonly Posting[]; credits: readonly Posting[] }>;

/** Reduces the credits that pay, and adds the postings of fees after those of the request on their side. */
export function withFeePostings(
  { debits, credits }: PostingsBySide,
  charge: FeeCharge,
  fees: FeeRules | undefined,
): PostingsBySide {
  const feePosting = (direction: Side, leg: FeeLeg): Posting => ({
    direction,
    alias: leg.alias,
    key: direction === 'debit' ? debits[leg.payer]!.key : DEFAULT_KEY, // The balance that pays the rest pays its fees.
    amount: leg.amount,
    origin: 'fee',
    deferrable: leg.deferrable,
    leg: { accountAlias: leg.alias, ...routeOf(leg), metadata: markOf(leg, fees) },
  });
  const charged = {
    debits: [...debits, ...charge.feesFrom.map((leg) => feePosting('debit', leg))],
    credits: [
      ...credits.map((posting, n) => withAmount(posting, charge.to[n]!)),
      ...charge.feesTo.map((leg) => feePosting('credit', leg)),
    ],
  };
  for (const side of [charged.debits, charged.credits]) {
    if (total(side) !== charge.value) throw new Error('Fees leave the sides unequal');
  }
  return charged;
}

/** Most fees leave the destinations as they are. */
const withAmount = <Of extends Readonly<{ amount: Amount }>>(of: Of, amount: Amount): Of =>
  of.amount === amount ? of : { ...of, amount };

export const withFeeMetadata = (
  own: TransactionMetadata | undefined,
  { metadata: added }: Pick<FeeCharge, 'metadata'>,
): TransactionMetadata | undefined =>
  Object.keys(added).length === 0 ? own : { ...own, ...added };

export const feePackageOf = (
  { packageId: id, isCharged: charged }: FeeCharge,
  revision: Revision,
): AppliedFeePackage => ({ id, revision, charged });

type ChargingFact = JournalFact & FeeCharger;

/** A request with the result of version 1's calculation was charged there. Without `fees`, a request is posted as it is. */
const isChargeable = ({ request: { skip, metadata }, fees }: ChargeableRequest): boolean =>
  fees !== undefined && skip?.fees !== true && metadata?.['packageAppliedID'] === undefined;

const chargeable = ({ account: { alias, segmentId }, amount }: Leg) => ({
  alias,
  segmentId,
  amount,
});

const routeOf = ({ route }: Pick<FeeLeg, 'route'>) =>
  route === undefined ? {} : { route, routeId: route };

/** Version 2 marks the operations of fees. */
function markOf({ source }: Pick<FeeLeg, 'source'>, fees: FeeRules | undefined) {
  if (fees !== 2) return source === undefined ? undefined : { source };
  return source === undefined ? { feeLeg: 'true' } : { source, feeLeg: 'true' };
}

const total = (postings: readonly Posting[]) =>
  postings.reduce((sum, { amount }) => add(sum, amount), ZERO);

const isDebit = ({ direction }: Readonly<{ direction: Side }>): boolean => direction === 'debit';
const isCredit = ({ direction }: Readonly<{ direction: Side }>): boolean => direction === 'credit';
