import { journalOfLedger } from '#commands/ledger/journals.ts';
import { formatAmount, readAmount, ZERO, type Amount } from '#src/kernel/amount.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import { created } from '#src/http/reply.ts';
import { requireOrganization } from './parents.ts';
import { route } from './route.ts';
import {
  blockExceptionsSchema,
  blockExceptionsView,
  createBlockExceptionsBody,
  type AskedException,
} from '#src/resources/ledger/block-exception.ts';

export const blockExceptionWriteRoutes = [
  route({
    operationId: 'createAccountBlockExceptionsV2',
    summary: 'Let single debits pass from accounts that are blocked',
    description:
      'Each lets one debit of exactly its amount pass until it expires; a transaction that is refused does not use ' +
      'it up. All are created or none, and the response has them in the order of the request. They cannot be read ' +
      'later.',
    tag: 'Account block exceptions',
    method: 'post',
    path: '/v2/organizations/{organization_id}/ledgers/{ledger_id}/accounts/block-exceptions',
    permission: 'account-block-exceptions:post',
    entityType: 'AccountBlockException',
    body: createBlockExceptionsBody,
    replies: { 201: blockExceptionsSchema },
    refusals: [
      'ORGANIZATION_NOT_FOUND',
      'LEDGER_NOT_FOUND',
      'EXCEPTION_AMOUNT_INVALID',
      'EXCEPTION_ALIAS_UNKNOWN',
    ],

    handle: async (request, { commands }) => {
      const { organization_id: organizationId, ledger_id } = request.path;
      const exceptions = wellPriced(request.body.exceptions);
      await requireOrganization(commands, request, organizationId);
      const journal = journalOfLedger(ledger_id);
      const command = { type: 'GrantBlockExceptions', organizationId, exceptions } as const;
      const { events, revision } = await commands.submit(request, journal, command);
      const [event] = events;
      if (event?.type !== 'BlockExceptionsGranted') throw new Error('A grant is one event');
      return created(JSON.stringify(blockExceptionsView(event.data.exceptions)), {
        token: { [journal.name]: revision },
      });
    },
  }),
];

/** Normalizes the amounts. Errors: EXCEPTION_AMOUNT_INVALID, with all amounts that are not above zero. */
function wellPriced(exceptions: readonly AskedException[]): readonly AskedException[] {
  const read = exceptions.map(({ amount }) => readAmount(amount) as Amount);
  const findings = read.flatMap((amount, n) =>
    amount > ZERO
      ? []
      : [
          {
            location: `exceptions[${n}].amount`,
            message: 'must be above zero',
            value: exceptions[n]?.amount,
          },
        ],
  );
  if (findings.length === 0) {
    return exceptions.map((asked, n) => ({ ...asked, amount: formatAmount(read[n]!) }));
  }
  const detail = 'An exception is for an amount above zero.';
  throw refuse('EXCEPTION_AMOUNT_INVALID', detail, { findings });
}
