import type { Finding } from '#src/kernel/errors.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Side } from '#src/events/shared.ts';
import type { RequestedLeg, TransactionRequest } from './commands.ts';
import { legLocation, type RequestLocations } from './locations.ts';

/** A request of version 2 (contract ledger §5.4): its legs name their ledgers. Decimals are texts. */
export type V2Request = Pick<
  TransactionRequest,
  'description' | 'code' | 'metadata' | 'routeId' | 'scheme' | 'skip' | 'accountBlockExceptionId'
> &
  Readonly<{
    asset: string;
    amount: string;
    debits: readonly V2Leg[];
    credits: readonly V2Leg[];
    /** The default for legs that name none. */
    operationRouteId?: Uuid | undefined;
  }>;

export type V2Leg = Scope &
  Pick<RequestedLeg, 'balanceKey' | 'share' | 'description'> &
  Readonly<{
    alias: string;
    amount?: string | undefined;
    operationRouteId?: Uuid | undefined;
  }>;

/** The ledger of a leg and its organization. */
export type Scope = Readonly<{ organizationId: Uuid; ledgerId: Uuid }>;

/** The scope of the first leg; its ledger owns the idempotency key. */
export function scopeOf({ debits: [first] }: Pick<V2Request, 'debits'>): Scope {
  if (first === undefined) throw new Error('There is a leg on either side');
  return { organizationId: first.organizationId, ledgerId: first.ledgerId };
}

/** The location of the first leg in another ledger; undefined if all are in this one. */
export function legInOtherLedger(
  { debits, credits }: Pick<V2Request, 'debits' | 'credits'>,
  { organizationId, ledgerId }: Scope,
  locations: RequestLocations,
): string | undefined {
  const isElsewhere = (leg: Scope): boolean =>
    leg.ledgerId !== ledgerId || leg.organizationId !== organizationId;
  const debit = debits.findIndex(isElsewhere);
  if (debit >= 0) return legLocation({ locations, side: 'debit', index: debit });
  const credit = credits.findIndex(isElsewhere);
  return credit < 0 ? undefined : legLocation({ locations, side: 'credit', index: credit });
}

/** Converts the request into the form in which transactions are decided. Errors: LEG_QUANTITY. */
export function requestOf(
  request: V2Request,
  locations: RequestLocations,
  { pending }: Readonly<{ pending?: boolean }> = {},
): TransactionRequest {
  const { asset, amount, debits, credits, description, code, metadata } = request;
  const { routeId, operationRouteId, scheme, skip, accountBlockExceptionId } = request;
  checkQuantities({ debits, credits }, locations);
  const legOf = (leg: V2Leg): RequestedLeg => ({
    accountAlias: leg.alias,
    balanceKey: leg.balanceKey,
    amount: leg.amount === undefined ? undefined : { asset, value: leg.amount },
    share: leg.share,
    description: leg.description,
    routeId: leg.operationRouteId ?? operationRouteId,
  });
  const source = { from: debits.map(legOf) };
  const distribute = { to: credits.map(legOf) };
  const send = { asset, value: amount, source, distribute };
  const details = { description, code, metadata, routeId, scheme, skip, accountBlockExceptionId };
  return { ...details, pending, send };
}

/** Each leg needs either an amount or a share. */
function checkQuantities(
  { debits, credits }: Pick<V2Request, 'debits' | 'credits'>,
  locations: RequestLocations,
): void {
  const findingsOn = (side: Side, legs: readonly V2Leg[]): Finding[] =>
    legs.flatMap(({ amount, share }, index) => {
      if ((amount === undefined) !== (share === undefined)) return [];
      const location = legLocation({ locations, side, index });
      return [{ location, message: 'needs one of amount, share' }];
    });
  const findings = [...findingsOn('debit', debits), ...findingsOn('credit', credits)];
  if (findings.length === 0) return;
  throw refuse('LEG_QUANTITY', 'A leg has an amount or a share: one of them.', {
    findings: findings.slice(0, FINDINGS_MAX),
  });
}

const FINDINGS_MAX = 100;
