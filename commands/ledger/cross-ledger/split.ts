import { withFeePostings } from '#commands/ledger/transaction/apply-fees.ts';
import { checkSides, postingsBySide, type Posting } from '#commands/ledger/transaction/postings.ts';
import { requestOf, type Scope } from '#commands/ledger/transaction/v2-request.ts';
import { add, subtract, ZERO, type Amount } from '#src/kernel/amount.ts';
import { externalAlias } from '#src/kernel/external-alias.ts';
import type { FeesOfGroup, GroupRequest, PartRequest, Reach } from './request.ts';

/**
 * Splits a request by ledger, in the order in which its legs name them, debits first. In each part one leg on the
 * external account balances the net amount that crosses the ledger's border; over all parts these bridges add up to
 * exactly zero. Fees belong to the part with the debits.
 */
export function splitGroup(request: GroupRequest, fees?: FeesOfGroup): readonly PartRequest[] {
  const { debits, credits, locations } = request;
  const { send, ...details } = requestOf(request, locations);
  const { sources, destinations } = postingsBySide({ send }, locations);

  const scopes = new Map<string, LedgerPostings>();
  const scopeOf = ({ organizationId, ledgerId }: Scope): LedgerPostings => {
    const key = `${organizationId} ${ledgerId}`;
    const known = scopes.get(key) ?? { organizationId, ledgerId, debits: [], credits: [] };
    scopes.set(key, known);
    return known;
  };
  const own = { debits: sources, credits: destinations };
  const charged = fees && 'charge' in fees ? withFeePostings(own, fees.charge, 2) : own;
  const payer = debits[0]!;
  charged.debits.forEach((posting, n) => scopeOf(debits[n] ?? payer).debits.push(posting));
  charged.credits.forEach((posting, n) => scopeOf(credits[n] ?? payer).credits.push(posting));
  return [...scopes.values()].map((scope, n) => {
    return { ...balanced(scope, send.asset), details, locations, ...(n === 0 && { fees }) };
  });
}

export const reachOf = (parts: readonly Pick<PartRequest, 'organizationId'>[]): Reach =>
  new Set(parts.map(({ organizationId }) => organizationId)).size === 1
    ? 'one organization'
    : 'several organizations';

type LedgerPostings = Scope & {
  debits: Posting[];
  credits: Posting[];
};

function balanced(
  { organizationId, ledgerId, debits, credits }: LedgerPostings,
  asset: string,
): Omit<PartRequest, 'details' | 'locations'> {
  const debitTotal = total(debits);
  const creditTotal = total(credits);
  const bridge = subtract(debitTotal, creditTotal);
  const outside = (direction: Posting['direction'], amount: Amount): Posting[] => {
    const alias = externalAlias(asset);
    const leg = { accountAlias: alias };
    return [{ direction, alias, key: 'default', amount, leg, origin: 'request' }];
  };
  const sources =
    bridge < ZERO ? [...debits, ...outside('debit', subtract(creditTotal, debitTotal))] : debits;
  const destinations = bridge > ZERO ? [...credits, ...outside('credit', bridge)] : credits;
  checkSides(sources, destinations);
  return {
    organizationId,
    ledgerId,
    asset,
    value: bridge > ZERO ? debitTotal : creditTotal,
    bridge,
    postings: [...sources, ...destinations],
  };
}

const total = (postings: readonly Posting[]): Amount =>
  postings.reduce((sum, { amount }) => add(sum, amount), ZERO);
