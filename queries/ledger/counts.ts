import { counters, type Counted } from '#projections/ledger/counters.ts';
import { readActivity } from '#queries/ledger/activity.ts';
import { sumsOf } from '#queries/sums.ts';
import { readRow } from '#queries/reading.ts';
import { formatInstant, type Instant } from '#src/kernel/instant.ts';
import { ledgerJournal, organizationJournal } from '#src/kernel/journal-name.ts';
import { counted } from '#src/http/reply.ts';
import type { Request } from '#src/http/request.ts';
import { route, type Declaration, type Route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import type { Filters } from '#src/kernel/filters.ts';
import { bothDates, malformed } from './date-parameters.ts';
import { windowOf } from './window.ts';
import { requireLedger, requireOrganization } from './parents.ts';

const ORGANIZATION = '/v1/organizations/{organization_id}';
const LEDGER = `${ORGANIZATION}/ledgers/{ledger_id}`;

/** Counts of live records; deleted ones do not count (contract ledger §1.9, §6.5). */
export const countRoutes: readonly Route[] = [
  count('Organization', 'organizations', '/v1/organizations/metrics/count', {
    refusals: [],
    handle: (request, services) =>
      countOf(request, services, 'organizations', request.context.tenantId, 'organization'),
  }),

  count('Ledger', 'ledgers', `${ORGANIZATION}/ledgers/metrics/count`, {
    refusals: ['ORGANIZATION_NOT_FOUND'],
    handle: async (request, services) => {
      const { organization_id: id } = request.path;
      await requireOrganization(services, request, id);
      return countOf(request, services, 'ledgers', id, organizationJournal(id));
    },
  }),

  ...(
    [
      ['Asset', 'assets'],
      ['Segment', 'segments'],
      ['Portfolio', 'portfolios'],
      ['Account', 'accounts'],
    ] as const
  ).map(([entityType, what]) =>
    count(entityType, what, `${LEDGER}/${what}/metrics/count`, {
      refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND'],
      handle: async (request, services) => {
        const { organization_id: organizationId, ledger_id: id } = request.path;
        await requireLedger(services, request, organizationId, id);
        return countOf(request, services, what, id, ledgerJournal(id));
      },
    }),
  ),

  count('Transaction', 'transactions', `${LEDGER}/transactions/metrics/count`, {
    description:
      'The number is in the header X-Total-Count, and the response has no body. Counts those of the current day in ' +
      'UTC unless dates are sent; CREATED counts the same as APPROVED.',
    filters: {
      route: { type: 'string', description: 'As it was sent in `route`' },
      status: { type: 'string', enum: ['APPROVED', 'PENDING', 'CANCELED', 'NOTED', 'CREATED'] },
      start_date: { type: 'string', format: 'date-time', description: 'Inclusive, to the second' },
      end_date: { type: 'string', format: 'date-time', description: 'Inclusive, to the second' },
    },
    refusals: [
      'ORGANIZATION_NOT_FOUND',
      'LEDGER_NOT_FOUND',
      'BOTH_DATES_NEEDED',
      'DATE_FORMAT',
      'END_BEFORE_START',
    ],
    handle: async (request, services) => {
      const { organization_id: organizationId, ledger_id: id } = request.path;
      const { route: name = '', status, start_date: start, end_date: end } = request.query;
      const between = bounds(start, end) ?? today(services);
      await requireLedger(services, request, organizationId, id);
      const found = await readActivity(request, services, id, between, name);
      const wanted = status === 'CREATED' ? 'APPROVED' : status; // APPROVED is shown as CREATED.
      return counted(
        [...found.values()]
          .flatMap((sums) => sums.counts('count'))
          .reduce((sum, [of, n]) => (wanted === undefined || of === wanted ? sum + n : sum), 0),
      );
    },
  }),
];

/** Declares a count; its handler is typed by its path and filters. */
function count<const Path extends `/${string}`, const Query extends Filters = NoFilters>(
  entityType: string,
  what: string,
  path: Path,
  rest: Pick<
    Declaration<Path, undefined, Query, undefined>,
    'description' | 'filters' | 'refusals' | 'handle'
  >,
): Route {
  return route({
    operationId: `count${what.charAt(0).toUpperCase()}${what.slice(1)}`,
    summary: `Count the ${what}`,
    description:
      'The number is in the header X-Total-Count, and the response has no body. Deleted ones are not counted.',
    tag: what.charAt(0).toUpperCase() + what.slice(1),
    method: 'head',
    path,
    permission: `${what}:head`,
    entityType,
    replies: { 204: null },
    ...rest,
  });
}

type NoFilters = Readonly<Record<never, never>>;

async function countOf(
  request: Request,
  services: Services,
  what: Counted,
  id: string,
  after: string,
) {
  const row = await readRow(services, request, { of: counters, after, where: { id } });
  return counted(sumsOf(row).count(what));
}

/** Both ends are inclusive. */
function bounds(first: Instant | undefined, last: Instant | undefined) {
  const dates = bothDates(first, last);
  if (dates === undefined) return undefined;
  const { start, end } = dates;
  if (start > end) {
    throw malformed('END_BEFORE_START', 'end_date', 'must not be before start_date', end);
  }
  return windowOf(start, end);
}

/** The current day in UTC. */
function today({ clock }: Services) {
  const day = formatInstant(clock.now()).slice(0, 10);
  return windowOf(`${day}T00:00:00.000000Z` as Instant, `${day}T23:59:59.999999Z` as Instant);
}
