import { sendBodyLocations as locations } from './locations.ts';
import { journalOfLedger } from '#commands/ledger/journals.ts';
import { Refusal } from '#src/kernel/errors.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { TransactionEvent, TransactionRecord } from '#src/events/ledger/transaction.ts';
import { inOrder } from '#src/http/in-order.ts';
import type { BodyLine } from '#src/http/lines.ts';
import { reader } from '#src/http/reader.ts';
import { created, ok, type Body, type Reply } from '#src/http/reply.ts';
import type { Request } from '#src/http/request.ts';
import { byFees, feeCodes } from './fee-refusals.ts';
import { requireLedger, requireOrganization } from './parents.ts';
import { route } from './route.ts';
import type { Services } from '#src/http/services.ts';
import { TextBytes } from '#src/http/text-bytes.ts';
import {
  batchItem,
  createBatchBody,
  type BatchItem,
} from '#src/resources/ledger/transaction-body.ts';
import { createdText } from '#src/resources/ledger/created-text.ts';
import { batchResultSchema, batchSchema } from '#src/resources/ledger/transaction.ts';
import { byRoutes, bySpelling } from '#commands/ledger/transaction/route-refusals.ts';
import { feeRulesOf, ledgerServices } from './services.ts';
import { funded, held } from './transaction.ts';

/** Many transactions in one request: each on its own, or all or none (contract ledger §5.3). */
export const transactionBatchRoutes = [
  route({
    operationId: 'createTransactionBatch',
    summary: 'Create many transactions, each for itself or all or none',
    description:
      'As application/x-ndjson the body is one transaction per line and has no length limit; the reply is one result per ' +
      'line, in the same order. Read the reply while you send: the server stops reading while results wait for you, and ' +
      'ends a connection whose reader takes nothing for 30 s. Put an idempotencyKey on every line: after a broken ' +
      'connection, send the lines without a result again, and none is executed twice.',
    tag: 'Transactions',
    method: 'post',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}/transactions/batch',
    permission: 'transactions:post',
    entityType: 'Transaction',
    idempotent: true,
    only: 1,
    body: createBatchBody,
    bodyLimit: 8 * 1024 * 1024,
    replies: { 200: batchSchema, 201: batchSchema },
    lines: { item: batchItem, result: batchResultSchema },
    refusals: [
      ...funded,
      ...held,
      ...byRoutes,
      bySpelling,
      'SKIP_NOT_PERMITTED',
      'BATCH_SIZE',
      'BATCH_STRUCTURE',
      'BATCH_TOO_LARGE',
      ...byFees,
    ],
    codes: feeCodes,
    limit: (services) => ledgerServices(services).batches,

    handle: async (request, services) => {
      const { atomic, transactions } = request.body;
      services.commands.admitBatch();
      return atomic
        ? allOrNone(request, transactions, services)
        : eachForItself(request, transactions, services);
    },

    handleLines: async (request, lines, services) => {
      services.commands.admitBatch();
      const batch = await open(request, services);
      const work = async (line: BodyLine, n: number): Promise<string> => {
        await services.commands.room();
        return resultText(await batch.one(() => readLine(line), n)) + '\n';
      };
      return {
        status: 200,
        headers: { 'Content-Type': 'application/x-ndjson' },
        chunks: inOrder(lines, work, WINDOW, { memory: services.memory, sizeOf: weightOf }),
      };
    },
  }),
];

type BatchRequest = Request<Readonly<{ organization_id: Uuid; ledger_id: Uuid }>>;

/** The number of NDJSON items in progress at once: about one append. */
const WINDOW = 512;

const readItem = reader(batchItem);

/** A transaction and its result take several times the memory of their line. */
const weightOf = (line: BodyLine): number =>
  line instanceof Refusal ? 0 : line.length * LINE_EXPANSION;
const LINE_EXPANSION = 16;

const readLine = (line: BodyLine): unknown => {
  if (line instanceof Refusal) throw line;
  return readItem.parse(line);
};

/** A batch whose items succeed or fail independently. */
async function open(request: BatchRequest, services: Services) {
  const { commands, problem } = services;
  const fees = feeRulesOf(request, services);
  if (request.idempotency !== undefined) {
    throw misplaced('header.X-Idempotency', 'each item of this batch carries its own key');
  }
  const { organization_id: organizationId, ledger_id: ledgerId } = request.path;
  await requireOrganization(commands, request, organizationId);
  await requireLedger(commands, request, organizationId, ledgerId);
  const journal = journalOfLedger(ledgerId);
  let last = 0;

  const { context } = request;
  const operationId = 'createTransactionJson'; // With its key, an item is the same request as one to /json.
  const submit = (sent: unknown) => {
    const { idempotencyKey: key, ...body } = readItem.check(sent);
    return commands.submit(
      { operationId, body, idempotency: key ? { key } : undefined, context },
      journal,
      { type: 'PostTransaction', organizationId, request: body, locations, fees },
      'keyed',
    );
  };

  return {
    journal,
    /** The revision of the journal that contains all items answered so far. */
    revision: () => last,
    /** Returns the result of one item; never rejects. */
    async one(read: () => unknown, index: number): Promise<ItemResult> {
      try {
        const { events, revision } = await submit(read());
        last = Math.max(last, revision);
        const { transaction } = (events[0] as TransactionEvent).data;
        return { index, status: 201, transaction };
      } catch (error) {
        const { requestId } = context;
        const { status, body = '' } = problem(error, {
          requestId,
          entityType: 'Transaction',
          codes: feeCodes,
        });
        return { index, status, error: body.toString() };
      }
    },
  };
}

/** The result of an item: what it posted, or a problem document. */
type ItemResult = Readonly<{ index: number; status: number }> &
  (Readonly<{ transaction: TransactionRecord }> | Readonly<{ error: string }>);

function resultText(result: ItemResult): string {
  const head = `{"index":${String(result.index)},"status":${String(result.status)},`;
  if ('error' in result) return `${head}"error":${result.error}}`;
  return `${head}"transaction":${createdText(result.transaction, 1).text}}`;
}

function resultsBody(results: readonly ItemResult[]): Body {
  const text = new TextBytes(results.length * RESULT_BYTES);
  for (const result of results)
    text.add((result.index === 0 ? '{"results":[' : ',') + resultText(result));
  text.add(']}');
  return [text.bytes];
}

/** The result of a transfer of two legs has about this many. */
const RESULT_BYTES = 2560;

async function eachForItself(
  request: BatchRequest,
  transactions: readonly unknown[],
  services: Services,
): Promise<Reply> {
  const batch = await open(request, services);
  const results = await Promise.all(transactions.map((item, n) => batch.one(() => item, n)));
  const token = { [batch.journal.name]: batch.revision() };
  return ok(resultsBody(results), { token });
}

async function allOrNone(
  request: BatchRequest,
  transactions: readonly unknown[],
  services: Services,
): Promise<Reply> {
  const { commands } = services;
  const { organization_id: organizationId, ledger_id: ledgerId } = request.path;
  const requests = transactions.map(checked);
  await requireOrganization(commands, request, organizationId);
  const journal = journalOfLedger(ledgerId);
  const command = {
    type: 'PostTransactions',
    organizationId,
    requests,
    items: { list: 'transactions' },
    locations,
    fees: feeRulesOf(request, services),
  } as const;
  const { events, revision, replayed } = await commands
    .submit(request, journal, command, 'keyed')
    .catch(asWhole);
  const results = events.map((event, index) => {
    const { transaction } = (event as TransactionEvent).data;
    return { index, status: 201, transaction };
  });
  const token = { [journal.name]: revision };
  return created(resultsBody(results), { token, replayed });
}

/** Validates an item of an atomic batch; findings include its index in the batch. */
function checked(sent: unknown, n: number): BatchItem {
  const item = `transactions[${String(n)}]`;
  try {
    const found = readItem.check(sent);
    if (found.idempotencyKey === undefined) return found;
  } catch (error) {
    throw error instanceof Refusal ? error.within(item) : error;
  }
  throw misplaced(`${item}.idempotencyKey`, 'an atomic batch has one key, X-Idempotency');
}

/** An atomic batch fails as a whole: a batch that is too large is refused as such, not as one of its items. */
export function asWhole(error: unknown): never {
  const isTooLarge =
    error instanceof Refusal &&
    error.refusal === 'TOO_LARGE' &&
    error.details.findings === undefined;
  if (!isTooLarge) throw error;
  throw refuse('BATCH_TOO_LARGE', 'The batch would be recorded in more than 900 KB.');
}

const misplaced = (location: string, message: string): Refusal =>
  refuse('BATCH_STRUCTURE', `A key stands in the wrong place: ${message}.`, {
    findings: [{ location, message }],
  });
