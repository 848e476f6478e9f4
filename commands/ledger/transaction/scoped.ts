import { refuse, type Finding, type Refusal } from '#src/kernel/errors.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { RequestedLeg, TransactionRequest } from './commands.ts';

/** A transaction as version 2 asks for it (contract ledger §5.4): each leg says where it is. Decimals are texts. */
export type ScopedRequest = Pick<
  TransactionRequest,
  'description' | 'code' | 'metadata' | 'routeId' | 'scheme' | 'skip' | 'accountBlockExceptionId'
> &
  Readonly<{
    asset: string;
    amount: string;
    debits: readonly ScopedLeg[];
    credits: readonly ScopedLeg[];
    /** Of the legs that name none. */
    operationRouteId?: Uuid | undefined;
  }>;

export type ScopedLeg = Scope &
  Pick<RequestedLeg, 'balanceKey' | 'share' | 'description'> &
  Readonly<{
    alias: string;
    amount?: string | undefined;
    operationRouteId?: Uuid | undefined;
  }>;

/** Where a leg is. */
export type Scope = Readonly<{ organizationId: Uuid; ledgerId: Uuid }>;

/** The first leg's; it owns the idempotency key. */
export function scopeOf({ debits: [first] }: Pick<ScopedRequest, 'debits'>): Scope {
  if (first === undefined) throw new Error('There is a leg on either side');
  return { organizationId: first.organizationId, ledgerId: first.ledgerId };
}

/** The place of the first leg that is elsewhere; undefined when all are in one ledger. */
export function strayLeg(
  { debits, credits }: Pick<ScopedRequest, 'debits' | 'credits'>,
  { organizationId, ledgerId }: Scope,
): string | undefined {
  const isStray = (leg: Scope): boolean =>
    leg.ledgerId !== ledgerId || leg.organizationId !== organizationId;
  const debit = debits.findIndex(isStray);
  if (debit >= 0) return `debits[${String(debit)}]`;
  const credit = credits.findIndex(isStray);
  return credit >= 0 ? `credits[${String(credit)}]` : undefined;
}

/** The same in the form in which transactions are decided. Errors: LEG_QUANTITY. */
export function requestOf(
  asked: ScopedRequest,
  { pending }: Readonly<{ pending?: boolean }> = {},
): TransactionRequest {
  const { asset, amount, debits, credits, description, code, metadata } = asked;
  const { routeId, operationRouteId, scheme, skip, accountBlockExceptionId } = asked;
  checkQuantities({ debits, credits });
  const legOf = (leg: ScopedLeg): RequestedLeg => ({
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
  const words = { description, code, metadata, routeId, scheme, skip, accountBlockExceptionId };
  return { ...words, pending, send };
}

/** A refusal of such a request, its findings located where the client wrote them. */
export const asScoped = (refusal: Refusal): Refusal => refusal.renamed(placeOf);

/** What a place in the form of version 1 is called in that of version 2. */
const placeOf = (place: string): string =>
  place
    .replace('send.source.from', 'debits')
    .replace('send.distribute.to', 'credits')
    .replace(/\bsend\.value$/, 'amount')
    .replace(/\.accountAlias$/, '.alias')
    .replace(/\.amount\.value$/, '.amount');

/** An amount or a share. */
function checkQuantities(sides: Pick<ScopedRequest, 'debits' | 'credits'>): void {
  const findings = (['debits', 'credits'] as const).flatMap((side) =>
    sides[side].flatMap(({ amount, share }, n): Finding[] =>
      (amount === undefined) === (share === undefined)
        ? [{ location: `${side}[${String(n)}]`, message: 'needs one of amount, share' }]
        : [],
    ),
  );
  if (findings.length === 0) return;
  throw refuse('LEG_QUANTITY', 'A leg has an amount or a share: one of them.', {
    findings: findings.slice(0, FINDINGS_MAX),
  });
}

const FINDINGS_MAX = 100;
