import { journalOfLedger } from '#commands/ledger/journals.ts';
import { Refusal } from '#src/kernel/errors.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { TransactionEvent } from '#src/events/ledger/transaction.ts';
import { created, type Reply } from '#src/http/reply.ts';
import type { Request } from '#src/http/request.ts';
import { byFees, feeCodes } from './fee-refusals.ts';
import { requireOrganization } from './parents.ts';
import { route } from './route.ts';
import type { Services } from '#src/http/services.ts';
import { createBatchBodyV2, type BatchItemV2 } from '#src/resources/ledger/transaction-body-v2.ts';
import { createdText } from '#src/resources/ledger/created-text.ts';
import { batchSchemaV2 } from '#src/resources/ledger/transaction.ts';
import { asWhole } from './batch.ts';
import type {
  PostTransactions,
  TransactionRequest,
} from '#commands/ledger/transaction/commands.ts';
import { byRoutes } from '#commands/ledger/transaction/route-refusals.ts';
import { ledgerServices } from './services.ts';
import { flatBodyLocations as locations } from './locations.ts';
import { exceptionOfHold, creationRefused } from './transaction-v2.ts';
import {
  requestOf,
  scopeOf,
  legInOtherLedger,
  type Scope,
} from '#commands/ledger/transaction/v2-request.ts';

/** Several transactions of one ledger, decided in order, all or none (contract ledger §5.4). */
export const scopedBatchRoutes = [
  route({
    operationId: 'createTransactionBatchV2',
    summary: 'Create several transactions in their order, all or none',
    description:
      'Items are applied as `order` numbers them, from 1 without gaps, so that a later one can spend what an ' +
      'earlier one brought. All legs must be in one ledger; at most 50 items are accepted, 10 unless the deployment ' +
      'is configured otherwise.',
    tag: 'Transactions',
    method: 'post',
    path: '/v2/transactions/batch',
    permission: 'transactions:post',
    entityType: 'Transaction',
    idempotent: true,
    body: createBatchBodyV2,
    bodyLimit: 1024 * 1024 - 1,
    replies: { 201: batchSchemaV2 },
    refusals: [
      ...creationRefused,
      ...byRoutes,
      'EXTERNAL_SOURCE_PENDING',
      'SKIP_NOT_PERMITTED',
      'EXCEPTION_NOT_SUPPORTED',
      'EXCEPTION_NOT_USABLE',
      'BATCH_SIZE',
      'BATCH_STRUCTURE',
      'BATCH_LEGS',
      'BATCH_TOO_LARGE',
      ...byFees,
    ],
    codes: feeCodes,
    limit: (services) => ledgerServices(services).batches,
    handle: async (request, services) => {
      services.commands.admitBatch();
      return post(request, services);
    },
  }),
];

type Items = readonly BatchItemV2[];

async function post(
  request: Request<unknown, Readonly<{ transactions: Items }>>,
  services: Services,
): Promise<Reply> {
  const { transactions } = request.body;
  const { commands } = services;
  checkSize(transactions, ledgerServices(services).batchSizeMax);
  const places = placesInOrder(transactions);
  const { organizationId, ledgerId } = oneScope(transactions);
  const command: PostTransactions = {
    type: 'PostTransactions',
    organizationId,
    requests: places.map((place) => checked(transactions[place]!, place)),
    items: { list: 'transactions', places },
    locations,
    most: { postings: POSTINGS_MAX, balances: BALANCES_MAX },
    fees: 2,
  };
  await requireOrganization(commands, request, organizationId);
  const journal = journalOfLedger(ledgerId);
  const { events, revision, replayed } = await commands
    .submit(request, journal, command, 'keyed')
    .catch(asWhole);
  const texts = events.map((event) => {
    const { transaction } = (event as TransactionEvent).data;
    return createdText(transaction, 2).text;
  });
  const token = { [journal.name]: revision };
  return created(`{"transactions":[${texts.join(',')}]}`, { token, replayed });
}

/** Errors: BATCH_SIZE, BATCH_LEGS. */
function checkSize(items: Items, sizeMax: number): void {
  if (items.length > sizeMax) {
    const message = `must have at most ${sizeMax} items here`;
    throw refuse('BATCH_SIZE', `transactions ${message}.`, {
      findings: [{ location: 'transactions', message }],
    });
  }
  const legs = items.reduce((sum, { debits, credits }) => sum + debits.length + credits.length, 0);
  if (legs <= LEGS_MAX) return;
  const message = `have ${legs} legs, more than ${LEGS_MAX}`;
  throw refuse('BATCH_LEGS', `The transactions ${message}.`, {
    findings: [{ location: 'transactions', message }],
  });
}

/**
 * Returns the index at which each numbered item was sent. Errors: BATCH_STRUCTURE unless they are numbered 1, 2, 3 …
 */
function placesInOrder(items: Items): readonly number[] {
  const places: number[] = [];
  items.forEach(({ order }, place) => {
    if (order > items.length) throw misordered(place, order, 'leaves a gap');
    if (places[order - 1] !== undefined) throw misordered(place, order, 'is there twice');
    places[order - 1] = place;
  });
  return places;
}

/** Errors: BATCH_STRUCTURE if a leg of any item names another ledger. */
function oneScope(items: Items): Scope {
  const scope = scopeOf(items[0]!);
  items.forEach((item, place) => {
    const elsewhere = legInOtherLedger(item, scope, locations);
    if (elsewhere === undefined) return;
    const location = `transactions[${place}].${elsewhere}`;
    throw refuse('BATCH_STRUCTURE', `${location} is in another ledger than the first leg.`, {
      findings: [{ location, message: 'is not in the ledger of the first leg' }],
    });
  });
  return scope;
}

/** Errors: EXCEPTION_NOT_SUPPORTED, LEG_QUANTITY. */
function checked(item: BatchItemV2, place: number): TransactionRequest {
  const location = `transactions[${place}]`;
  const { action, accountBlockExceptionId } = item;
  if (action === 'hold' && accountBlockExceptionId !== undefined) {
    throw exceptionOfHold(`${location}.accountBlockExceptionId`, accountBlockExceptionId);
  }
  try {
    return requestOf(item, locations, { pending: action === 'hold' });
  } catch (error) {
    throw error instanceof Refusal ? error.within(location) : error;
  }
}

const misordered = (place: number, order: number, why: string): Refusal =>
  refuse('BATCH_STRUCTURE', `order ${order} ${why}.`, {
    findings: [{ location: `transactions[${place}].order`, message: why, value: order }],
  });

const LEGS_MAX = 1000;
const POSTINGS_MAX = 100;
const BALANCES_MAX = 150;
