import { checkSides, postingsBySide, type Posting } from '#commands/ledger/transaction/postings.ts';
import { requestOf, type Scope } from '#commands/ledger/transaction/v2-request.ts';
import { add, subtract, ZERO, type Amount } from '#src/kernel/amount.ts';
import { externalAlias } from '#src/kernel/external-alias.ts';
import type { GroupRequest, PartRequest, Reach } from './request.ts';

/**
 * Splits a request by ledger, in the order in which its legs name them, debits first. In each part one leg on the
 * external account balances the net amount that crosses the ledger's border; over all parts these bridges add up to
 * exactly zero.
 */
export function splitGroup(request: GroupRequest): readonly PartRequest[] {
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
  debits.forEach((leg, n) => scopeOf(leg).debits.push(sources[n]!));
  credits.forEach((leg, n) => scopeOf(leg).credits.push(destinations[n]!));
  return [...scopes.values()].map((scope) => {
    return { ...balanced(scope, send.asset), details, locations };
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
