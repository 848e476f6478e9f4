import { revertGroup } from '#commands/ledger/processes/create-group.ts';
import { orWithGroup } from './cross-ledger.ts';
import { cancelGroup, commitGroup } from '#commands/ledger/processes/settle-group.ts';
import { journalOfLedger } from '#commands/ledger/journals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { TransactionEvent } from '#src/events/ledger/transaction.ts';
import { created, ok, type Reply } from '#src/http/reply.ts';
import type { Request } from '#src/http/request.ts';
import { requireOrganization } from './parents.ts';
import { route } from './route.ts';
import type { Services } from '#src/http/services.ts';
import {
  operationSchema,
  operationSchemaV2,
  operationView,
} from '#src/resources/ledger/operation.ts';
import {
  updateOperationBody,
  updateTransactionBody,
} from '#src/resources/ledger/transaction-body.ts';
import { transactionOrGroupSchema } from '#src/resources/ledger/transaction-group.ts';
import {
  transactionSchema,
  transactionSchemaV2,
  transactionView,
  type Shown,
} from '#src/resources/ledger/transaction.ts';
import {
  committedByRoutes,
  revertedByRoutes,
} from '#commands/ledger/transaction/route-refusals.ts';
import type {
  DescriptiveChanges,
  RevertTransaction,
  SettleTransaction,
  TransactionCommand,
} from '#commands/ledger/transaction/commands.ts';

const PATH =
  '/v1/organizations/{organization_id}/ledgers/{ledger_id}/transactions/{transaction_id}';

export const step = {
  tag: 'Transactions',
  method: 'post',
  permission: 'transactions:post',
  entityType: 'Transaction',
  replies: { 201: transactionSchema },
  repliesV2: { 201: transactionOrGroupSchema },
} as const;

const absent = ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND', 'NOT_FOUND'] as const;

/** The refusals of members of groups, in version 2. */
export const grouped = ['GROUP_FINISHED', 'TRANSACTION_BUSY'] as const;

export const commitRefused = [
  ...absent,
  ...committedByRoutes,
  'STATUS_NOT_ALLOWED',
  'ACCOUNT_CLOSED',
  'ACCOUNT_BLOCKED',
  'ACCOUNTS_NOT_ELIGIBLE',
  'INSUFFICIENT_FUNDS',
  'NUMBER_OUT_OF_RANGE',
] as const;

export const revertRefused = [
  ...absent,
  ...revertedByRoutes,
  'STATUS_NOT_ALLOWED',
  'REVERTED_ALREADY',
  'REVERSAL_OF_REVERSAL',
  'NOTHING_TO_REVERT',
  'ACCOUNTS_NOT_ELIGIBLE',
  'ACCOUNT_CLOSED',
  'ACCOUNT_BLOCKED',
  'SIDE_NOT_PERMITTED',
  'INSUFFICIENT_FUNDS',
  'OVERDRAFT_LIMIT',
  'NUMBER_OUT_OF_RANGE',
] as const;

/** Steps of an existing transaction. */
export const transactionLifecycleRoutes = [
  route({
    ...step,
    operationId: 'commitTransaction',
    summary: 'Settle a pending transaction',
    description:
      'Requires a pending transaction, and accounts that are neither blocked nor closed. The response has the ' +
      'operations of this step; a repeated request is refused with 409.',
    path: `${PATH}/commit`,
    only: 1,
    refusals: [...commitRefused, 'GROUP_MEMBER'],
    handle: (request, services) => settle(request, services, { type: 'CommitTransaction' }),
  }),

  route({
    ...step,
    operationId: 'cancelTransaction',
    summary: 'Give back what a pending transaction holds',
    description:
      'Requires a pending transaction; blocked accounts do not prevent it. The response has the operations of this ' +
      'step; a repeated request is refused with 409. In a cross-ledger group, version 2 cancels all members, and ' +
      'version 1 refuses.',
    path: `${PATH}/cancel`,
    refusals: [...absent, 'STATUS_NOT_ALLOWED', 'GROUP_MEMBER', ...grouped],
    handle: (request, services) => settle(request, services, { type: 'CancelTransaction' }),
  }),

  route({
    ...step,
    operationId: 'revertTransaction',
    summary: 'Revert a settled transaction, by a new one that mirrors it',
    description:
      'Requires a settled transaction that is not a reversal and has none yet; funds, blocks and permissions are ' +
      'checked as for any transaction. A repeated request is refused with 409.',
    path: `${PATH}/revert`,
    only: 1,
    refusals: [...revertRefused, 'GROUP_MEMBER'],
    handle: (request, services) => revert(request, services, {}),
  }),

  route({
    operationId: 'updateTransaction',
    summary: 'Change the description or the metadata of a transaction',
    description:
      'Members that are absent stay as they are, and metadata is merged by key. Amounts, accounts and status cannot ' +
      'be changed.',
    tag: 'Transactions',
    method: 'patch',
    path: PATH,
    permission: 'transactions:patch',
    entityType: 'Transaction',
    body: updateTransactionBody,
    replies: { 200: transactionSchema },
    repliesV2: { 200: transactionSchemaV2 },
    refusals: [...absent, 'TOO_LARGE'],
    handle: async (request, services) => {
      const changes = changesOf(request.body);
      const { event, more } = await submit(request, services, {
        type: 'UpdateTransaction',
        changes,
      });
      return ok(shown(event, { as: 'stored', version: request.version }), more);
    },
  }),

  route({
    operationId: 'updateOperation',
    summary: 'Change the description or the metadata of an operation',
    description:
      'Members that are absent stay as they are, and metadata is merged by key. Amounts, accounts and status cannot ' +
      'be changed.',
    tag: 'Operations',
    method: 'patch',
    path: `${PATH}/operations/{operation_id}`,
    permission: 'operations:patch',
    entityType: 'Operation',
    body: updateOperationBody,
    replies: { 200: operationSchema },
    repliesV2: { 200: operationSchemaV2 },
    refusals: [...absent, 'TOO_LARGE'],
    handle: async (request, services) => {
      const { operation_id: operationId } = request.path;
      const changes = changesOf(request.body);
      const { event, more } = await submit(request, services, {
        type: 'UpdateOperation',
        operationId,
        changes,
      });
      const { transaction } = event.data;
      const operation = transaction.operations.find(({ id }) => id === operationId);
      if (operation === undefined) throw new Error(`No operation ${operationId} was changed`);
      return ok(JSON.stringify(operationView(operation, transaction, request.version)), more);
    },
  }),
];

type LifecycleRequest = Request<
  Readonly<{ organization_id: Uuid; ledger_id: Uuid; transaction_id: Uuid }>
>;
type Step = TransactionCommand extends infer Command
  ? Command extends Readonly<{ transactionId: Uuid }>
    ? Omit<Command, 'organizationId' | 'transactionId'>
    : never
  : never;

async function submit(request: LifecycleRequest, { commands }: Services, step: Step) {
  const { organization_id: organizationId, ledger_id, transaction_id } = request.path;
  await requireOrganization(commands, request, organizationId);
  const journal = journalOfLedger(ledger_id);
  const command = { ...step, organizationId, transactionId: transaction_id };
  const { events, revision } = await commands.submit(request, journal, command);
  const event = events[0] as TransactionEvent;
  return { event, more: { token: { [journal.name]: revision } } };
}

/** Commits or cancels a transaction, and shows the result. */
export function settle(
  request: LifecycleRequest,
  services: Services,
  step: Step & Pick<SettleTransaction, 'type' | 'accountBlockExceptionId'>,
): Promise<Reply> {
  const withGroup = step.type === 'CommitTransaction' ? commitGroup : cancelGroup;
  return orWithGroup(request, services, { withGroup, ...step }, async () => {
    const paysDebts = request.version === 2;
    const { event, more } = await submit(request, services, { ...step, paysDebts });
    if (!('stepOperations' in event.data)) throw new Error(`${step.type} settles a transaction`);
    const { version } = request;
    const lastOperations = event.data.stepOperations;
    return created(shown(event, { as: 'stored', lastOperations, version }), more);
  });
}

export const revert = (
  request: LifecycleRequest,
  services: Services,
  how: Pick<RevertTransaction, 'accountBlockExceptionId'>,
): Promise<Reply> =>
  orWithGroup(request, services, { withGroup: revertGroup, ...how }, async () => {
    const { event, more } = await submit(request, services, {
      type: 'RevertTransaction',
      ...how,
      paysDebts: request.version === 2,
    });
    return created(shown(event, { as: 'created', version: request.version }), more);
  });

const shown = ({ data: { transaction } }: TransactionEvent, how: Shown): string =>
  JSON.stringify(transactionView(transaction, how));

const changesOf = <Value>({
  description,
  metadata,
}: DescriptiveChanges<Value>): DescriptiveChanges<Value> => ({ description, metadata });
