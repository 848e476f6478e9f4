import { balanceProjection, EMPTY_STATE } from '#projections/ledger/balance.ts';
import { transactionProjection } from '#projections/ledger/transaction.ts';
import { notFound, readRow } from '#queries/reading.ts';
import type { Refusal } from '#src/kernel/errors.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { formatInstant, isFuture, type Instant } from '#src/kernel/instant.ts';
import { ledgerJournal } from '#src/kernel/journal-name.ts';
import type { BalanceRecord } from '#src/events/ledger/account.ts';
import { ok } from '#src/http/reply.ts';
import type { Request } from '#src/http/request.ts';
import { route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import type { Row } from '#src/ports/read-store.ts';
import { balanceAtSchema, balanceAtView } from '#src/resources/ledger/balance-at.ts';
import type { Filters } from '#src/kernel/filters.ts';
import { BALANCES_MAX } from './balance.ts';
import { recordedAt, revisionAt, stateAt } from './balance-at.ts';
import { requireLedger } from './parents.ts';

const LEDGER = '/v1/organizations/{organization_id}/ledgers/{ledger_id}';

/** `date` must include a time, because a day alone does not name an instant. */
const filters = {
  date: {
    type: 'string',
    format: 'moment',
    required: true,
    description: 'YYYY-MM-DD hh:mm:ss in UTC, or RFC 3339',
  },
} as const satisfies Filters;

const shared = {
  tag: 'Balances',
  method: 'get',
  permission: 'balances:get',
  entityType: 'Balance',
  filters,
} as const;

/** Historical balances, by the time at which transactions were recorded (contract ledger §4.4). */
export const balanceHistoryRoutes = [
  route({
    ...shared,
    operationId: 'getBalanceHistory',
    summary: 'Retrieve a balance as it was at an instant',
    description:
      'Returns the amounts after the last operation that was recorded at or before the instant, whatever its ' +
      'transactionDate; zeros before the first one. Refused with 404 if the balance did not exist yet, and with 400 ' +
      'for an instant in the future.',
    path: `${LEDGER}/balances/{balance_id}/history`,
    replies: { 200: balanceAtSchema },
    refusals: [
      'ORGANIZATION_NOT_FOUND',
      'LEDGER_NOT_FOUND',
      'NOT_FOUND',
      'INSTANT_IN_FUTURE',
      'NO_BALANCE_THEN',
    ],

    handle: async (request, services) => {
      const { organization_id: organizationId, ledger_id: ledgerId, balance_id: id } = request.path;
      const { date } = request.query;
      checkPast(date, services);
      await requireLedger(services, request, organizationId, ledgerId);
      const row = await readRow(services, request, {
        of: balanceProjection,
        after: ledgerJournal(ledgerId),
        where: { id, ledgerId },
      });
      if (row === undefined) throw notFound('balance');
      const [then] = await balancesAt(services, request, [row], date);
      if (then === undefined) throw noBalanceThen();
      return ok(JSON.stringify(then));
    },
  }),

  route({
    ...shared,
    operationId: 'listBalanceHistoryOfAccount',
    summary: 'List the balances of an account as they were at an instant',
    description:
      'Leaves out balances that did not exist yet, and is refused with 404 if none did. Amounts are those after the ' +
      'last operation that was recorded at or before the instant, whatever its transactionDate.',
    path: `${LEDGER}/accounts/{account_id}/balances/history`,
    replies: { 200: { type: 'array', items: balanceAtSchema } },
    refusals: [
      'ORGANIZATION_NOT_FOUND',
      'LEDGER_NOT_FOUND',
      'INSTANT_IN_FUTURE',
      'NO_BALANCE_THEN',
    ],

    handle: async (request, services) => {
      const { organization_id: organizationId, ledger_id: ledgerId, account_id } = request.path;
      const { date } = request.query;
      const { reads, progress } = services;
      const { collection } = balanceProjection;
      checkPast(date, services);
      await requireLedger(services, request, organizationId, ledgerId);
      await progress.reached(collection.name, ledgerJournal(ledgerId), request.consistencyToken);
      const { tenantId } = request.context;
      const where = { tenantId, ledgerId, accountId: account_id };
      const rows = await reads.list(collection, { where, order: 'asc', limit: BALANCES_MAX });
      const found = await balancesAt(services, request, rows, date);
      if (found.length === 0) throw noBalanceThen();
      return ok(JSON.stringify(found));
    },
  }),
];

/** Returns those of the balances that existed at the instant, in their order. */
async function balancesAt(
  { reads, log, progress }: Services,
  { path, consistencyToken }: BalancesAtRequest,
  rows: readonly Row[],
  date: Instant,
): Promise<object[]> {
  const balances = rows
    .map(({ body }) => JSON.parse(body) as BalanceRecord)
    .filter(({ createdAt }) => createdAt <= date);
  if (balances.length === 0) return [];
  const journal = ledgerJournal(path.ledger_id);
  await progress.reached(transactionProjection.collection.name, journal, consistencyToken);
  const revision = await revisionAt(log, journal, date);
  return Promise.all(
    balances.map(async (balance) => {
      const then = await stateAt(reads, balance, revision);
      if (then === undefined) return balanceAtView(balance, EMPTY_STATE, balance.createdAt);
      return balanceAtView(balance, then.state, await recordedAt(log, journal, then.revision));
    }),
  );
}

type BalancesAtRequest = Pick<Request<Readonly<{ ledger_id: Uuid }>>, 'path' | 'consistencyToken'>;

function checkPast(date: Instant, { clock }: Services): void {
  if (!isFuture(date, formatInstant(clock.now()))) return;
  throw refuse('INSTANT_IN_FUTURE', 'Nobody knows yet what a balance will be.', {
    findings: [{ location: 'query.date', message: 'lies in the future', value: date }],
  });
}

const noBalanceThen = (): Refusal =>
  refuse('NO_BALANCE_THEN', 'There was no such balance at that instant.');
