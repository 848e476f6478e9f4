import {
  billingSummary,
  maintenanceResult,
  volumeResult,
  type BillingResult,
} from '#commands/fees/billing/billing-results.ts';
import type { LiveBillingPackage } from '#commands/fees/billing/billing-packages.ts';
import { readPeriod, type BillingPeriod } from '#commands/fees/billing/period.ts';
import type { FeesFact } from '#commands/fees/fees.ts';
import { parentsCheck, requireLedger } from '#commands/ledger/api/parents.ts';
import { refuse } from '#src/events/fees/refusals.ts';
import { ok } from '#src/http/reply.ts';
import type { Request } from '#src/http/request.ts';
import { route, type Route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { feesJournal } from '#src/kernel/journal-name.ts';
import { billingBodies, billingView } from '#src/resources/fees/billing-calculation.ts';
import {
  codesOf,
  FEE_FORMS,
  parentRefusals,
  pathOf,
  suffixOf,
  type PathInForm,
} from '#src/resources/fees/forms.ts';
import { countByAccount, countTransactions } from './billed-transactions.ts';
import { requireParents } from './in-form.ts';
import { targetAccounts } from './target-accounts.ts';

export const billingCalculateRoutes: readonly Route[] = FEE_FORMS.map((form) => {
  const admit = form === 'header' ? undefined : parentsCheck(`${pathOf[form]}/`);
  return route({
    operationId: `calculateBilling${suffixOf[form]}`,
    summary: 'Calculate what the billing packages of a ledger charge for a period',
    description:
      'Returns a transaction for each charge, to be posted by the client; its metadata has the figures that led to the ' +
      'amount. Nothing is stored. A period is a month, an ISO week or a day in UTC. If one package cannot be calculated, ' +
      'none is.',
    tag: 'Billing packages',
    method: 'post',
    path: `${pathOf[form]}/billing/calculate`,
    entityType: 'Billing',
    permission: { namespace: 'plugin-fees', resource: 'billing-calculate', action: 'post' },
    codes: codesOf(form),
    ...(admit && { admit }),
    body: billingBodies[form],
    replies: { 200: billingView },
    refusals: [
      ...parentRefusals[form],
      ...(form === 'ledger' ? [] : ['LEDGER_NOT_FOUND']),
      ...(['BILLING_ACCOUNT_NOT_FOUND', 'BILLING_SEGMENT_UNRESOLVED'] as const),
      ...(['BILLING_FAILED', 'UNAVAILABLE'] as const),
    ],
    async handle(request, services) {
      await requireParents(form, request, services);
      const { organization_id: organizationId, ledger_id: ledgerInPath } =
        request.path as PathInForm;
      const { ledgerId = ledgerInPath!, period, type } = request.body as RequestedBilling;
      if (form !== 'ledger') {
        await requireLedger(services.commands, request, organizationId, ledgerId);
      }
      const days = periodOf(period);
      const fact = await services.commands.fact(request, feesJournal(organizationId));
      const packages = (fact as FeesFact | undefined)?.billingPackagesOf(ledgerId) ?? [];
      const active = packages
        .filter((one) => one.enable && (type === undefined || one.type === type))
        .sort((a, b) => (a.id < b.id ? -1 : 1));
      const results: BillingResult[] = [];
      let room = ACCOUNTS_MAX;
      for (const one of active) {
        const found = await resultsOf(request, services, one, { period, days, room });
        results.push(...found);
        room -= found.reduce((sum, { totalAccounts }) => sum + Math.max(totalAccounts, 1), 0);
        if (room < 0) throw tooManyAccounts(one);
      }
      return ok(JSON.stringify({ results, summary: billingSummary(results) }));
    },
  });
});

/** `ledgerId` is in the path or in the body. */
type RequestedBilling = Readonly<{
  ledgerId?: Uuid;
  period: string;
  type?: LiveBillingPackage['type'];
}>;

/** Errors: BILLING_PERIOD. */
function periodOf(text: string): BillingPeriod {
  const period = readPeriod(text);
  if (period !== undefined) return period;
  throw refuse('BILLING_PERIOD', `There is no period ${text}.`, {
    findings: [{ location: 'period', message: 'does not exist in the calendar', value: text }],
  });
}

type Occasion = Readonly<{ period: string; days: BillingPeriod; room: number }>;

/** Calculates the charges of one package. Errors: BILLING_FAILED, those of targetAccounts. */
async function resultsOf(
  request: Request,
  services: Services,
  one: LiveBillingPackage,
  { period, days, room }: Occasion,
): Promise<readonly BillingResult[]> {
  const { ledgerId } = one;
  if (one.type === 'maintenance') {
    const aliases = await targetAccounts(request, services, ledgerId, one.accountTarget, room);
    if (aliases === undefined) throw tooManyAccounts(one);
    return [maintenanceResult(one, period, aliases)];
  }
  const events = { ledgerId, filter: one.eventFilter, period: days };
  if (one.countMode === 'perRoute') {
    return [volumeResult(one, period, await countTransactions(request, services, events))];
  }
  const counts = await countByAccount(request, services, events, room);
  if (counts === undefined) throw tooManyAccounts(one);
  return [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([alias, count]) => volumeResult(one, period, count, alias));
}

const tooManyAccounts = ({ label }: LiveBillingPackage) =>
  refuse('BILLING_FAILED', `With ${label}, more than ${ACCOUNTS_MAX} accounts are charged.`);

/** One response lists so many accounts, or results without accounts; it then has a few megabytes. */
const ACCOUNTS_MAX = 10_000;
