import { sendBodyLocations as locations } from './locations.ts';
import { journalOfLedger } from '#commands/ledger/journals.ts';
import type { LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import { externalAlias } from '#src/kernel/external-alias.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { TransactionEvent } from '#src/events/ledger/transaction.ts';
import { created, type Reply } from '#src/http/reply.ts';
import type { Request } from '#src/http/request.ts';
import { byFees, feeCodes } from './fee-refusals.ts';
import { requireOrganization } from './parents.ts';
import { route } from './route.ts';
import { feeRulesOf } from './services.ts';
import type { Services } from '#src/http/services.ts';
import {
  createAnnotationBody,
  createBlockBody,
  createInflowBody,
  createOutflowBody,
  createTransactionBody,
} from '#src/resources/ledger/transaction-body.ts';
import { createdText } from '#src/resources/ledger/created-text.ts';
import { transactionSchema, transactionSchemaV2 } from '#src/resources/ledger/transaction.ts';
import type {
  PostTransaction,
  RequestedLeg,
  TransactionRequest,
} from '#commands/ledger/transaction/commands.ts';
import {
  byRoutes,
  bySpelling,
  inflowByRoutes,
} from '#commands/ledger/transaction/route-refusals.ts';

export const PATH = '/v1/organizations/{organization_id}/ledgers/{ledger_id}/transactions';

/** The members that all creations declare alike. */
export const creation = {
  tag: 'Transactions',
  method: 'post',
  permission: 'transactions:post',
  entityType: 'Transaction',
  idempotent: true,
  replies: { 201: transactionSchema },
  repliesV2: { 201: transactionSchemaV2 },
} as const;

/** The refusals of every form, including annotations, which move no money and so have few. */
const annotationRefused = [
  'ORGANIZATION_NOT_FOUND',
  'LEDGER_NOT_FOUND',
  'LEG_QUANTITY',
  'VALUE_NOT_POSITIVE',
  'TOTALS_DIFFER',
  'ACCOUNT_ON_BOTH_SIDES',
  'ACCOUNTS_NOT_ELIGIBLE',
  'ASSET_NOT_FOUND',
  'INTERNAL_BALANCE',
  'IDEMPOTENCY_KEY_IN_USE',
  'TOO_LARGE',
] as const satisfies readonly LedgerRefusalName[];

/** The refusals of every form that moves money. */
export const everyForm = [
  ...annotationRefused,
  'ACCOUNT_CLOSED',
  'ACCOUNT_BLOCKED',
  'SIDE_NOT_PERMITTED',
] as const satisfies readonly LedgerRefusalName[];

const refused = [...everyForm, 'DATE_IN_FUTURE'] as const;

/** The refusals of forms that change balances; a debit-normal destination may lack funds, too. */
const moving = [...refused, 'INSUFFICIENT_FUNDS', 'NUMBER_OUT_OF_RANGE'] as const;
/** Additional refusals of forms whose sources may overdraw. */
export const funded = [...moving, 'OVERDRAFT_LIMIT'] as const;
/** Additional refusals of forms that may hold funds. */
export const held = ['DATE_WITH_PENDING', 'EXTERNAL_SOURCE_PENDING'] as const;

export const transactionWriteRoutes = [
  route({
    ...creation,
    operationId: 'createTransactionJson',
    summary: 'Create a transaction from JSON',
    description:
      'All legs are applied together or none is, and the response is sent once they are durable. With `pending`, ' +
      'the sources hold the funds until the transaction is committed or canceled.',
    path: `${PATH}/json`,
    body: createTransactionBody,
    refusals: [...funded, ...held, ...byRoutes, bySpelling, 'SKIP_NOT_PERMITTED', ...byFees],
    codes: feeCodes,
    handle: (request, services) => post(request, services, request.body),
  }),

  route({
    ...creation,
    operationId: 'createTransactionInflow',
    summary: 'Create a transaction from outside the ledger',
    description:
      'The external account of the asset is the source of the whole value. Settles at once, with all legs or none.',
    path: `${PATH}/inflow`,
    body: createInflowBody,
    refusals: [...moving, ...inflowByRoutes, bySpelling, 'SKIP_NOT_PERMITTED', ...byFees],
    codes: feeCodes,
    handle: (request, services) => {
      const { send } = request.body;
      const source = { from: [outside(send)] };
      return post(request, services, { ...request.body, send: { ...send, source } });
    },
  }),

  route({
    ...creation,
    operationId: 'createTransactionOutflow',
    summary: 'Create a transaction to outside the ledger',
    description:
      'The external account of the asset is the destination of the whole value. All legs are applied or none; with ' +
      '`pending`, the sources hold the funds until the transaction is committed or canceled.',
    path: `${PATH}/outflow`,
    body: createOutflowBody,
    refusals: [...funded, ...held, ...byRoutes, bySpelling, 'SKIP_NOT_PERMITTED', ...byFees],
    codes: feeCodes,
    handle: (request, services) => {
      const { send } = request.body;
      const distribute = { to: [outside(send)] };
      return post(request, services, { ...request.body, send: { ...send, distribute } });
    },
  }),

  route({
    ...creation,
    operationId: 'createTransactionAnnotation',
    summary: 'Note a transaction that moves nothing',
    description:
      'Is checked like a transaction, except for funds, blocks and permissions of the accounts, and recorded as ' +
      'NOTED. No balance changes, and it cannot be committed, canceled or reverted.',
    path: `${PATH}/annotation`,
    body: createAnnotationBody,
    refusals: [...annotationRefused, 'DATE_IN_FUTURE'],
    handle: (request, services) => post(request, services, request.body, 'annotation'),
  }),

  route({
    ...creation,
    operationId: 'createTransactionBlock',
    summary: 'Set funds aside, as from one balance of an account to another',
    description:
      'Moves the funds at once like any transaction, with operations of type BLOCK and without fees; `pending` has ' +
      'no effect. Name a balance of the same account that you keep for such funds as the destination.',
    path: `${PATH}/block`,
    body: createBlockBody,
    refusals: [...funded, ...byRoutes, bySpelling],
    handle: (request, services) => post(request, services, request.body, 'block'),
  }),

  route({
    ...creation,
    operationId: 'createTransactionUnblock',
    summary: 'Give back funds that were set aside',
    description:
      'Moves the funds at once like any transaction, with operations of type UNBLOCK and without fees; `pending` ' +
      'has no effect.',
    path: `${PATH}/unblock`,
    body: createBlockBody,
    refusals: [...funded, ...byRoutes, bySpelling],
    handle: (request, services) => post(request, services, request.body, 'unblock'),
  }),
];

type TransactionCreation = Request<Readonly<{ organization_id: Uuid; ledger_id: Uuid }>>;

export async function post(
  request: TransactionCreation,
  services: Services,
  transactionRequest: TransactionRequest,
  as?: PostTransaction['as'],
): Promise<Reply> {
  const { commands } = services;
  const { organization_id: organizationId, ledger_id: ledgerId } = request.path;
  await requireOrganization(commands, request, organizationId);
  const journal = journalOfLedger(ledgerId);
  const { events, revision, replayed } = await commands.submit(
    request,
    journal,
    {
      type: 'PostTransaction',
      organizationId,
      request: transactionRequest,
      locations,
      ...(as ? { as } : { fees: feeRulesOf(request, services) }),
    },
    'keyed',
  );
  const { transaction } = (events[0] as TransactionEvent).data;
  const { text, isAscii } = createdText(transaction, request.version);
  return created(text, { isAscii, token: { [journal.name]: revision }, replayed });
}

/** The external account as the leg that the form omits; it has the whole value. */
const outside = ({ asset, value }: Readonly<{ asset: string; value?: string }>): RequestedLeg => ({
  accountAlias: externalAlias(asset),
  amount: { asset, value: value ?? '0' },
  implied: true,
});
