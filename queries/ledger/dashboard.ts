import { counters } from '#projections/ledger/counters.ts';
import { readRow } from '#queries/reading.ts';
import { sums as sumsFrom, sumsOf, type Sums } from '#queries/sums.ts';
import { add, formatAmount, parseAmount } from '#src/kernel/amount.ts';
import { formatInstant, parseInstant, type Micros } from '#src/kernel/instant.ts';
import { ledgerJournal } from '#src/kernel/journal-name.ts';
import { ok } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import {
  dashboardAssetsSchema,
  dashboardMetricsSchema,
  dashboardVolumeSchema,
} from '#src/resources/ledger/dashboard.ts';
import type { Filtered, Filters } from '#src/kernel/filters.ts';
import { readActivity } from './activity.ts';
import { bothDates, malformed } from './date-parameters.ts';
import { DAY, daysOf, endsOf, windowUpTo, type Window } from './window.ts';
import { requireLedger } from './parents.ts';

const PATH = '/v1/organizations/{organization_id}/ledgers/{ledger_id}/dashboard';

const windowFilters = {
  period: { type: 'string', enum: ['7d', '30d', '90d'], description: 'Ends now; 30d unless sent' },
  start_date: { type: 'string', format: 'date-time', description: 'Inclusive, to the second' },
  end_date: { type: 'string', format: 'date-time', description: 'Exclusive, to the second' },
} as const satisfies Filters;

/** Both dates are given, or neither; dates exclude a period. */
const text = { type: 'string' } as const;
const windowRule = {
  dependentRequired: { start_date: ['end_date'], end_date: ['start_date'] },
  not: { properties: { period: text, start_date: text }, required: ['period', 'start_date'] },
} as const;

const common = {
  tag: 'Dashboard',
  method: 'get',
  permission: 'dashboard:get',
  entityType: 'Dashboard',
} as const;

const absent = ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND'] as const;
const windowed = [
  ...absent,
  'BOTH_DATES_NEEDED',
  'DATE_FORMAT',
  'END_BEFORE_START',
  'WINDOW_TOO_LONG',
] as const;

/** Recent activity in a ledger and its totals, from sums that the projector keeps (contract ledger §6.6). */
export const dashboardRoutes = [
  route({
    ...common,
    operationId: 'getDashboardMetrics',
    summary: 'Count the transactions of a window, and what they moved',
    description:
      '`total` and `byStatus` count transactions of every status, and volumes are those of settled ones, reversals ' +
      'included. The window is the last 30 days unless another is sent, of at most 90 days.',
    path: `${PATH}/metrics`,
    filters: windowFilters,
    filtersTogether: windowRule,
    replies: { 200: dashboardMetricsSchema },
    refusals: windowed,

    handle: async (request, services) => {
      const { organization_id: organizationId, ledger_id: id } = request.path;
      const window = windowAsked(request.query, services);
      await requireLedger(services, request, organizationId, id);
      const days = [...(await readActivity(request, services, id, window)).values()];
      return shown(services, {
        total: days.reduce((sum, day) => sum + total(day), 0),
        byStatus: countsByStatus(days),
        volumeByAsset: volumes(days, 'volume', 'moved'),
        reversalsByAsset: volumes(days, 'reversed', 'reversals'),
        ...shownWindow(window),
      });
    },
  }),

  route({
    ...common,
    operationId: 'getDashboardVolume',
    summary: 'What the transactions of a window moved, day by day',
    description:
      'Has one point for each day in UTC that the window touches, days without transactions included. The window is ' +
      'the last 30 days unless another is sent, of at most 90 days.',
    path: `${PATH}/volume`,
    filters: windowFilters,
    filtersTogether: windowRule,
    replies: { 200: dashboardVolumeSchema },
    refusals: windowed,

    handle: async (request, services) => {
      const { organization_id: organizationId, ledger_id: id } = request.path;
      const window = windowAsked(request.query, services);
      await requireLedger(services, request, organizationId, id);
      const found = await readActivity(request, services, id, window);
      return shown(services, {
        points: daysOf(window).map((date) => {
          const sums = found.get(date) ?? NOTHING;
          return {
            date,
            transactions: total(sums),
            byAsset: volumes([sums], 'volume', 'moved'),
          };
        }),
        ...shownWindow(window),
      });
    },
  }),

  route({
    ...common,
    operationId: 'getDashboardAssets',
    summary: 'What the accounts of a ledger hold of each asset now',
    description:
      'Sums the balances of all accounts but the external ones, in the order of the asset codes.',
    path: `${PATH}/assets`,
    replies: { 200: dashboardAssetsSchema },
    refusals: absent,

    handle: async (request, services) => {
      const { organization_id: organizationId, ledger_id: id } = request.path;
      await requireLedger(services, request, organizationId, id);
      const after = ledgerJournal(id);
      const sums = sumsOf(await readRow(services, request, { of: counters, after, where: { id } }));
      return shown(services, {
        assets: sums
          .counts('asset')
          .map(([asset]) => ({
            asset,
            accounts: sums.count(`accounts ${asset}`),
            available: sums.amount(`available ${asset}`),
            onHold: sums.amount(`onHold ${asset}`),
          }))
          .sort(byAsset),
      });
    },
  }),
];

const shown = ({ clock }: Services, figures: object) =>
  ok(JSON.stringify({ ...figures, updatedAt: formatInstant(clock.now()) }), {
    headers: { 'Cache-Control': 'private, no-cache' },
  });

function shownWindow(window: Window) {
  const { from, to } = endsOf(window);
  return { windowStart: from, windowEnd: to };
}

function windowAsked(
  { period, start_date: first, end_date: last }: Filtered<typeof windowFilters>,
  { clock }: Services,
): Window {
  if (period !== undefined && (first !== undefined || last !== undefined)) {
    throw malformed('QUERY_INVALID', 'period', 'stands beside dates', period);
  }
  const dates = bothDates(first, last);
  if (dates === undefined) return lately(period ?? '30d', clock.now());
  const { start, end } = dates;
  if (end <= start)
    throw malformed('END_BEFORE_START', 'end_date', 'must be after start_date', end);
  if (parseInstant(end) - parseInstant(start) > DAYS_MAX * DAY) {
    const message = `must be at most ${DAYS_MAX} days after start_date`;
    throw malformed('WINDOW_TOO_LONG', 'end_date', message, end);
  }
  return windowUpTo(start, end);
}

/** The window includes the current second. */
function lately(period: '7d' | '30d' | '90d', now: Micros): Window {
  const days = Number.parseInt(period, 10);
  return windowUpTo(
    formatInstant((now - days * DAY) as Micros),
    formatInstant((now + 1) as Micros),
  );
}

function countsByStatus(days: readonly Sums[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const [status, n] of days.flatMap((sums) => sums.counts('count'))) {
    found[status] = (found[status] ?? 0) + n;
  }
  return found;
}

const total = (sums: Sums): number => sums.counts('count').reduce((sum, [, n]) => sum + n, 0);

function volumes(days: readonly Sums[], moved: string, transactions: string) {
  const found = new Map<string, { asset: string; amount: string; transactions: number }>();
  for (const sums of days) {
    for (const [asset, n] of sums.counts(transactions)) {
      const before = found.get(asset);
      const amount = add(
        parseAmount(before?.amount ?? '0'),
        parseAmount(sums.amount(`${moved} ${asset}`)),
      );
      found.set(asset, {
        asset,
        amount: formatAmount(amount),
        transactions: (before?.transactions ?? 0) + n,
      });
    }
  }
  return [...found.values()].sort(byAsset);
}

const byAsset = (a: Readonly<{ asset: string }>, b: Readonly<{ asset: string }>): number =>
  a.asset < b.asset ? -1 : 1;

const DAYS_MAX = 90;
const NOTHING = sumsFrom({});
