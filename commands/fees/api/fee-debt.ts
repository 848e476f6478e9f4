import { requireOrganization } from '#commands/ledger/api/parents.ts';
import { DEFAULT_KEY } from '#commands/ledger/state/book.ts';
import { journalOfLedger } from '#commands/ledger/journals.ts';
import type { TransactionEvent } from '#src/events/ledger/transaction.ts';
import { ok } from '#src/http/reply.ts';
import { route } from '#commands/ledger/api/route.ts';
import { formatAmount, readAmount, ZERO, type Amount } from '#src/kernel/amount.ts';
import { refuse } from '#src/kernel/errors.ts';
import { collectedSchema, collectFeeDebtsBody } from '#src/resources/fees/fee-debt.ts';
import { pathOf } from '#src/resources/fees/forms.ts';

const PATH = `${pathOf.ledger}/fee-debts/collect` as const;

export const feeDebtWriteRoutes = [
  route({
    operationId: 'collectFeeDebts',
    summary: 'Collect the fees that a balance owes',
    description:
      'Pays open debts from what is available on the balance, oldest first, at most 50 with one call. Without a debt or ' +
      'funds, or if the debtor or the fee account may not move, it collects less or nothing.',
    tag: 'Fee debts',
    method: 'post',
    path: PATH,
    permission: 'fee-debts:post',
    entityType: 'FeeDebt',
    body: collectFeeDebtsBody,
    idempotent: true,
    replies: { 200: collectedSchema },
    codes: { NOT_FOUND: { code: 'LDG-0007', legacyCode: '0007' } },
    refusals: [
      ...(['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND', 'NOT_FOUND'] as const),
      ...(['IDEMPOTENCY_KEY_IN_USE', 'NUMBER_OUT_OF_RANGE'] as const),
    ],
    async handle(request, { commands }) {
      const { organization_id: organizationId, ledger_id } = request.path;
      const { accountAlias, balanceKey = DEFAULT_KEY, maxAmount: sent } = request.body;
      const maxAmount = sent === undefined ? undefined : positive(sent);
      await requireOrganization(commands, request, organizationId);
      const journal = journalOfLedger(ledger_id);
      const command = {
        ...{ type: 'CollectFeeDebts' as const, organizationId, accountAlias, maxAmount },
        balanceKey: balanceKey.toLowerCase(),
      };
      const { events, revision, replayed } = await commands.submit(
        // Without a key of its own, no request is the repeat of another.
        request,
        journal,
        command,
        request.idempotency && 'keyed',
      );
      const token = { [journal.name]: revision };
      const [event] = events as readonly TransactionEvent[];
      if (event === undefined) return ok('{"collected":"0"}', { token, replayed });
      const { id: transactionId, amount: collected } = event.data.transaction;
      return ok(JSON.stringify({ collected, transactionId }), { token, replayed });
    },
  }),
];

/** Returns a decimal, which may have an exponent, in its shortest form. Errors: MALFORMED_FIELD. */
function positive(maxAmount: string): string {
  const amount = readAmount(maxAmount) as Amount; // The schema has refused every other text.
  if (amount > ZERO) return formatAmount(amount);
  const message = 'must be greater than zero';
  throw refuse('MALFORMED_FIELD', `maxAmount ${message}.`, {
    findings: [{ location: 'maxAmount', message, value: maxAmount }],
  });
}
