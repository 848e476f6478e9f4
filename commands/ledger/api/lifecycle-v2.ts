import { bridged } from './cross-ledger.ts';
import { route } from './route.ts';
import { byExceptionBody, type ByExceptionBody } from '#src/resources/ledger/block-exception.ts';
import { commitRefused, grouped, revert, revertRefused, settle, step } from './lifecycle.ts';

const PATH =
  '/v2/organizations/{organization_id}/ledgers/{ledger_id}/transactions/{transaction_id}';

/** Version 2 accepts a block exception, in an optional body. */
export const transactionLifecycleRoutesV2 = [
  route({
    ...step,
    replies: step.repliesV2,
    operationId: 'commitTransactionV2',
    summary: 'Settle a pending transaction',
    description:
      'Requires a pending transaction, and accounts that are neither blocked nor closed. The response has the ' +
      'operations of this step; a repeated request is refused with 409. In a cross-ledger group, all members are ' +
      'committed or none.',
    path: `${PATH}/commit`,
    body: byExceptionBody,
    bodyOptional: true,
    refusals: [
      ...commitRefused,
      ...grouped,
      'GROUP_INCONSISTENT',
      ...bridged,
      'EXCEPTION_NOT_USABLE',
    ],
    handle: (request, services) =>
      settle(request, services, { type: 'CommitTransaction', ...named(request.body) }),
  }),

  route({
    ...step,
    replies: step.repliesV2,
    operationId: 'revertTransactionV2',
    summary: 'Revert a settled transaction, by a new one that mirrors it',
    description:
      'Requires a settled transaction that is not a reversal and has none yet; funds, blocks and permissions are ' +
      'checked as for any transaction. A repeated request is refused with 409. A cross-ledger group is reverted as ' +
      'a whole, by a new group.',
    path: `${PATH}/revert`,
    body: byExceptionBody,
    bodyOptional: true,
    refusals: [
      ...revertRefused,
      ...grouped,
      'GROUP_INCONSISTENT',
      'CROSS_LEDGER_DISABLED',
      'GROUP_ORGANIZATIONS',
      ...bridged,
      'EXCEPTION_NOT_USABLE',
    ],
    handle: (request, services) => revert(request, services, named(request.body)),
  }),
];

const named = (body: ByExceptionBody | undefined): ByExceptionBody => ({
  accountBlockExceptionId: body?.accountBlockExceptionId,
});
