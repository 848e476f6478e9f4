import {
  balanceName,
  debtorId,
  DEBTS,
  feeDebtProjection,
  feeDebtTotals,
} from '#projections/fees/fee-debt.ts';
import { requireLedger } from '#queries/ledger/parents.ts';
import { cursorReply, pageFilters } from '#queries/paging.ts';
import { equal, notFound, readRow, readRows } from '#queries/reading.ts';
import { sumsOf } from '#queries/sums.ts';
import { postingRefOf, type FeeDebtRecord } from '#src/events/ledger/fee-debt.ts';
import { ok } from '#src/http/reply.ts';
import type { Request } from '#src/http/request.ts';
import { route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import { refuse } from '#src/kernel/errors.ts';
import type { Filters } from '#src/kernel/filters.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { ledgerJournal } from '#src/kernel/journal-name.ts';
import { feeDebtListSchema, feeDebtSchema } from '#src/resources/fees/fee-debt.ts';
import { pathOf } from '#src/resources/fees/forms.ts';

const PATH = `${pathOf.ledger}/fee-debts` as const;

const filters = {
  account_alias: { type: 'string', description: 'The account that owes' },
  balance_key: {
    type: 'string',
    description: 'Needs account_alias; by default, the default balance',
  },
  status: { type: 'string', enum: ['open', 'settled'] },
} as const satisfies Filters;

const common = {
  tag: 'Fee debts',
  method: 'get',
  permission: 'fee-debts:get',
  entityType: 'FeeDebt',
} as const;

export const feeDebtReadRoutes = [
  route({
    ...common,
    operationId: 'listFeeDebts',
    summary: 'List the fee debts of a ledger',
    description: 'The oldest come first, which is the order in which they are settled.',
    path: PATH,
    paging: 'cursor',
    noMetadata: true,
    filters,
    filtersTogether: { dependentRequired: { balance_key: ['account_alias'] } },
    replies: { 200: feeDebtListSchema },
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND'],

    handle: async (request, services) => {
      const { organization_id: organizationId, ledger_id: ledgerId } = request.path;
      const debtor = debtorIn(request.query);
      await requireLedger(services, request, organizationId, ledgerId);
      const sequence = await readRows(services, request, {
        of: feeDebtProjection,
        after: ledgerJournal(ledgerId),
        where: { ledgerId, of: DEBTS, ...(debtor !== undefined && { debtor }) },
        filters: [...equal('status', request.query.status), ...pageFilters(request.page)],
      });
      const whole: typeof sequence = {
        ...sequence,
        async page(stretch) {
          const { items, ...page } = await sequence.page(stretch);
          const text = typeof items === 'string' ? items : new TextDecoder().decode(items);
          const debts = JSON.parse(`[${text}]`) as StoredDebt[];
          const shown = await Promise.all(debts.map((debt) => viewOf(debt, request, services)));
          return { ...page, items: shown.map((debt) => JSON.stringify(debt)).join(',') };
        },
      };
      if (debtor === undefined) return cursorReply(whole, request.page);
      const total = await readRow(services, request, {
        of: feeDebtTotals,
        after: ledgerJournal(ledgerId),
        where: { id: debtorId(ledgerId, debtor) },
      });
      return cursorReply(whole, request.page, { openTotal: sumsOf(total).amount('open') });
    },
  }),

  route({
    ...common,
    operationId: 'getFeeDebt',
    summary: 'Retrieve a fee debt',
    description:
      'Its entries, the oldest first, tell by which transactions it was opened and paid.',
    path: `${PATH}/{fee_debt}`,
    pathSchemas: { fee_debt: { type: 'string', minLength: 1, maxLength: 100 } },
    replies: { 200: feeDebtSchema },
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND', 'NOT_FOUND'],

    handle: async (request, services) => {
      const { organization_id: organizationId, ledger_id: ledgerId, fee_debt: id } = request.path;
      await requireLedger(services, request, organizationId, ledgerId);
      const row = await readRow(services, request, {
        of: feeDebtProjection,
        after: ledgerJournal(ledgerId),
        where: { id, ledgerId, of: DEBTS },
      });
      if (row === undefined) throw notFound('fee debt');
      const debt = JSON.parse(row.body) as StoredDebt;
      return ok(JSON.stringify(await viewOf(debt, request, services)));
    },
  }),
];

type StoredDebt = FeeDebtRecord & Readonly<{ organizationId: Uuid; ledgerId: Uuid }>;

type DebtQuery = Readonly<{ account_alias?: string | undefined; balance_key?: string | undefined }>;

/** Errors: QUERY_INVALID for a key without an alias. */
function debtorIn({ account_alias: alias, balance_key: key }: DebtQuery): string | undefined {
  if (alias !== undefined) {
    return balanceName({ alias, key: (key ?? 'default').toLowerCase() });
  }
  if (key === undefined) return undefined;
  const message = 'needs account_alias';
  throw refuse('QUERY_INVALID', `balance_key ${message}.`, {
    findings: [{ location: 'query.balance_key', message, value: key }],
  });
}

async function viewOf(debt: StoredDebt, request: Request, services: Services): Promise<object> {
  const { id, organizationId, ledgerId, originTransactionId, feePackageId, openedAt } = debt;
  return {
    ...{ id, organizationId, ledgerId },
    debtorBalance: balanceName(debt.debtor),
    creditBalance: balanceName(debt.creditor),
    ...{ originTransactionId, feePackageId, assetCode: debt.assetCode, seq: debt.seq },
    ...{ openedAmount: debt.opened, remaining: debt.remaining },
    entries: await entriesOf(debt, request, services),
    ...{ openedAt, createdAt: openedAt, updatedAt: debt.updatedAt },
  };
}

/** A debt that never changed says itself how it was opened. */
async function entriesOf(
  debt: StoredDebt,
  { context: { tenantId } }: Request,
  { reads }: Services,
): Promise<readonly object[]> {
  const { id, ledgerId, originTransactionId: transactionId, opened: amount, openedAt } = debt;
  if (debt.updatedAt === openedAt && debt.remaining === amount) {
    const postingRef = postingRefOf(debt);
    return [{ kind: 'opened', transactionId, postingRef, amount, appliedAt: openedAt }];
  }
  const rows = await reads.list(feeDebtProjection.collection, {
    where: { tenantId, ledgerId, of: id },
    order: 'asc',
    limit: ENTRIES_MAX,
  });
  return rows.map(({ body }) => JSON.parse(body) as object);
}

const ENTRIES_MAX = 1000;
