import { journalOfLedger } from '#commands/ledger/journals.ts';
import { DEFAULT_KEY } from '#commands/ledger/state/book.ts';
import type { NamedRoutes } from '#commands/ledger/transaction/routing.ts';
import type { Posting } from '#commands/ledger/transaction/postings.ts';
import { parseAmount, ZERO, type Amount } from '#src/kernel/amount.ts';
import { externalAlias } from '#src/kernel/external-alias.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { GroupPart, GroupRecord } from '#src/events/ledger/group.ts';
import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import type { Side } from '#src/events/shared.ts';
import type { GroupRequest } from '#commands/ledger/cross-ledger/request.ts';
import {
  bridgeAmong,
  type SiblingRoutes,
} from '#commands/ledger/cross-ledger/participant-routing.ts';
import { recordedStep } from './steps.ts';
import type { Steps } from '#src/journal/steps.ts';

/** The operation routes that the legs of a request and its fees name, over all its ledgers. */
export const routesInRequest = (
  { debits, credits, operationRouteId }: GroupRequest,
  bridges: readonly Amount[],
  fees: readonly Posting[],
): SiblingRoutes => {
  const named = (side: Side, legs: GroupRequest['debits']): ReadonlySet<Uuid> =>
    new Set([
      ...legs.flatMap((leg) => leg.operationRouteId ?? operationRouteId ?? []),
      ...fees.flatMap(({ direction, leg }) => (direction === side ? (leg.routeId ?? []) : [])),
    ]);
  return {
    named: { debit: named('debit', debits), credit: named('credit', credits) },
    crosses: bridges.some((bridge) => bridge !== ZERO),
  };
};

/** Reads the routes from what the ledgers of a group recorded; `mirrored` swaps the sides, for a reversal. */
export async function routesInGroup(
  steps: Steps,
  { id: groupId, parts }: GroupRecord,
  { mirrored = false }: Readonly<{ mirrored?: boolean }> = {},
): Promise<SiblingRoutes> {
  const all = await Promise.all(parts.map((part) => namedIn(steps, groupId, part)));
  const on = (side: Side): ReadonlySet<Uuid> => new Set(all.flatMap((named) => [...named[side]]));
  const crosses = parts.some(({ bridge }) => parseAmount(bridge) !== ZERO);
  const [debit, credit] = [on('debit'), on('credit')];
  return { named: mirrored ? { debit: credit, credit: debit } : { debit, credit }, crosses };
}

async function namedIn(
  { submit }: Steps,
  groupId: Uuid,
  { organizationId, ledgerId, bridge }: GroupPart,
): Promise<NamedRoutes> {
  const find = { type: 'FindGroupPart', organizationId, groupId } as const;
  const { events } = await submit(journalOfLedger(ledgerId), find);
  if (events.length === 0) return { debit: new Set(), credit: new Set() };
  return namedBy(recordedStep(events).data.transaction, parseAmount(bridge));
}

/** Skips operations that hold or release an amount, because another operation of the transaction moves it. */
function namedBy(
  { assetCode = '', operations = [], awaiting = [] }: Partial<TransactionRecord>,
  amount: Amount,
): NamedRoutes {
  const booked = operations.filter(
    ({ type, direction }) => type !== 'RELEASE' && !(type === 'ON_HOLD' && direction === 'credit'),
  );
  const lines = [...booked, ...awaiting].map(({ direction = 'credit', ...line }) => {
    return { ...line, direction };
  });
  const outside = externalAlias(assetCode);
  const bridge = bridgeAmong(
    lines,
    amount,
    ({ accountAlias, balanceKey }) => accountAlias === outside && balanceKey === DEFAULT_KEY,
  );
  const on = (side: Side): ReadonlySet<Uuid> => {
    const own = lines.filter((line) => line.direction === side && line !== bridge);
    return new Set(own.flatMap(({ routeId }) => routeId ?? []));
  };
  return { debit: on('debit'), credit: on('credit') };
}
