import { acrossLedgers, postAcrossLedgers } from './cross-ledger.ts';
import { journalOfLedger } from '#commands/ledger/journals.ts';
import type { Refusal } from '#src/kernel/errors.ts';
import { refuse, type LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { TransactionEvent } from '#src/events/ledger/transaction.ts';
import { created, type Reply } from '#src/http/reply.ts';
import type { Request } from '#src/http/request.ts';
import { byFees, feeCodes } from './fee-refusals.ts';
import { requireOrganization } from './parents.ts';
import { route } from './route.ts';
import type { Services } from '#src/http/services.ts';
import {
  createDirectBody,
  createHoldBody,
  createMoveBody,
  type CreateDirectBody,
} from '#src/resources/ledger/transaction-body-v2.ts';
import { transactionOrGroupSchema } from '#src/resources/ledger/transaction-group.ts';
import { createdText } from '#src/resources/ledger/created-text.ts';
import type { PostTransaction } from '#commands/ledger/transaction/commands.ts';
import { byRoutes } from '#commands/ledger/transaction/route-refusals.ts';
import { everyForm } from './transaction.ts';
import { flatBodyLocations as locations } from './locations.ts';
import {
  requestOf,
  scopeOf,
  legInOtherLedger,
  type V2Request,
} from '#commands/ledger/transaction/v2-request.ts';

/** The members that all routes for creations without a ledger in their path share. */
const creation = {
  tag: 'Transactions',
  method: 'post',
  permission: 'transactions:post',
  entityType: 'Transaction',
  idempotent: true,
  replies: { 201: transactionOrGroupSchema },
} as const;

/** The refusals of every creation of version 2. */
export const creationRefused = [
  ...everyForm,
  'INSUFFICIENT_FUNDS',
  'OVERDRAFT_LIMIT',
  'NUMBER_OUT_OF_RANGE',
] as const satisfies readonly LedgerRefusalName[];

/** Transactions of version 2: each leg names its organization and ledger (contract ledger §5.4). */
export const scopedTransactionRoutes = [
  route({
    ...creation,
    operationId: 'createDirectTransaction',
    summary: 'Create a transaction that settles at once',
    description:
      'All legs are applied or none. Legs in several ledgers make a group with a balanced transaction in each: the ' +
      'response is sent when all of them are durable, and readers may see some of them before.',
    path: '/v2/transactions/direct',
    body: createDirectBody,
    refusals: [
      ...creationRefused,
      ...byRoutes,
      'EXCEPTION_NOT_USABLE',
      'SKIP_NOT_PERMITTED',
      ...acrossLedgers,
      ...byFees,
    ],
    codes: feeCodes,
    handle: (request, services) => post(request, services),
  }),

  route({
    ...creation,
    operationId: 'createHoldTransaction',
    summary: 'Create a transaction whose funds are held until it is committed or cancelled',
    description:
      'The accounts to be debited hold the funds. If its legs are in several ledgers, those that only receive get ' +
      'their transactions at the commit. A block exception is refused.',
    path: '/v2/transactions/hold',
    body: createHoldBody,
    refusals: [
      ...creationRefused,
      ...byRoutes,
      'EXTERNAL_SOURCE_PENDING',
      'SKIP_NOT_PERMITTED',
      ...acrossLedgers,
      'EXCEPTION_NOT_SUPPORTED',
      ...byFees,
    ],
    codes: feeCodes,
    handle: (request, services) => {
      checkNoException(request.body);
      return post(request, services, 'hold');
    },
  }),

  route({
    ...creation,
    operationId: 'createBlockTransaction',
    summary: 'Set funds aside, as from one balance of an account to another',
    description:
      'Moves the funds at once, with operations of type BLOCK and without fees. All legs must be in one ledger.',
    path: '/v2/transactions/block',
    body: createMoveBody,
    refusals: [...creationRefused, ...byRoutes, 'LEGS_IN_SEVERAL_SCOPES'],
    handle: (request, services) => post(request, services, 'block'),
  }),

  route({
    ...creation,
    operationId: 'createUnblockTransaction',
    summary: 'Give back funds that were set aside',
    description:
      'Moves the funds at once, with operations of type UNBLOCK and without fees. All legs must be in one ledger.',
    path: '/v2/transactions/unblock',
    body: createMoveBody,
    refusals: [...creationRefused, ...byRoutes, 'LEGS_IN_SEVERAL_SCOPES'],
    handle: (request, services) => post(request, services, 'unblock'),
  }),
];

type TransactionCreationV2 = Request<unknown, V2Request>;

async function post(
  request: TransactionCreationV2,
  services: Services,
  as?: 'hold' | 'block' | 'unblock',
): Promise<Reply> {
  const { body } = request;
  const { commands } = services;
  const { organizationId, ledgerId } = scopeOf(body);
  const elsewhere = legInOtherLedger(body, { organizationId, ledgerId }, locations);
  if (elsewhere !== undefined) {
    if (as === 'block' || as === 'unblock') throw severalScopes(elsewhere);
    return postAcrossLedgers(request, services, as ?? 'direct');
  }
  const transactionRequest = requestOf(body, locations, { pending: as === 'hold' });
  await requireOrganization(commands, request, organizationId);
  const journal = journalOfLedger(ledgerId);
  const command: PostTransaction = {
    type: 'PostTransaction',
    organizationId,
    request: transactionRequest,
    locations,
    ...(as === undefined || as === 'hold' ? { fees: 2 } : { as }),
  };
  const { events, revision, replayed } = await commands.submit(request, journal, command, 'keyed');
  const { transaction } = (events[0] as TransactionEvent).data;
  const { text, isAscii } = createdText(transaction, 2);
  return created(text, { isAscii, token: { [journal.name]: revision }, replayed });
}

function checkNoException({ accountBlockExceptionId }: CreateDirectBody): void {
  if (accountBlockExceptionId === undefined) return;
  throw exceptionOfHold('accountBlockExceptionId', accountBlockExceptionId);
}

export const exceptionOfHold = (location: string, value: Uuid): Refusal =>
  refuse('EXCEPTION_NOT_SUPPORTED', 'A hold takes no accountBlockExceptionId.', {
    findings: [{ location, message: 'is not taken by a hold', value }],
  });

const severalScopes = (leg: string): Refusal =>
  refuse('LEGS_IN_SEVERAL_SCOPES', `${leg} is in another ledger than debits[0].`, {
    findings: [{ location: leg, message: 'is not in the ledger of debits[0]' }],
  });
