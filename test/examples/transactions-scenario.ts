import { leg, payment } from './bank.ts';
import type { ExampleApi } from './example-api.ts';

type Transaction = Readonly<{ id: string; operations: readonly Readonly<{ id: string }>[] }>;

/** Runs the forms of transactions that name one ledger in their path. */
export async function exampleTransactions(api: ExampleApi, version: 1 | 2): Promise<void> {
  const { call, within } = api;
  const paid = await call<Transaction>('createTransactionJson', {
    body: payment('@alice', '@bakery', '12.5', {
      description: 'Breakfast',
      transactionDate: '2026-01-05T08:30:00Z',
      metadata: { receipt: '1001' },
    }),
  });
  within({ transaction_id: paid.id, operation_id: paid.operations[0]?.id ?? '' });
  await call('getTransaction');
  await call('updateTransaction', { body: { description: 'Breakfast for two' } });
  await call('updateOperation', {
    body: { description: 'Paid by card', metadata: { card: '4242' } },
  });
  await call('listTransactions', { query: { limit: 1, sort_order: 'desc' } });
  await call('listOperationsByAccount', { query: { limit: 1, sort_order: 'desc' } });
  await call('getOperationByAccount');

  await call('createTransactionOutflow', {
    body: {
      description: 'Cash withdrawal',
      send: { asset: 'BRL', value: '100', source: { from: [leg('@alice', '100')] } },
    },
  });
  await call('createTransactionAnnotation', {
    body: payment('@alice', '@bruno', '40', { description: 'Rent agreed for February' }),
  });
  await call('createTransactionBlock', {
    body: payment('@alice', '@bruno', '75', { description: 'Disputed card payment' }),
  });
  await call('createTransactionUnblock', {
    body: payment('@bruno', '@alice', '75', { description: 'Dispute settled' }),
  });
  await scripts(api);
  await canceled(api);
  if (version === 1) await committed(api);
  if (version === 1) await batches(api);
}

async function scripts({ call }: ExampleApi): Promise<void> {
  await call('createTransactionDsl', { body: { dsl: SCRIPT } });
  await call('createTransactionDsl', { media: 'text/plain', body: SCRIPT });
  await call('createTransactionDsl', { media: 'multipart/form-data', body: { dsl: SCRIPT } });
}

const SCRIPT = `(transaction V1
  (chart-of-accounts-group-name PAYMENTS)
  (description "Shared lunch")
  (send BRL 30
    (source
      (from @alice :amount BRL 18)
      (from @bruno :remaining))
    (distribute
      (to @bakery :share 100))))
`;

const pending = (description: string) =>
  payment('@alice', '@bruno', '60', { description, pending: true });

async function canceled({ call }: ExampleApi): Promise<void> {
  const { id } = await call('createTransactionJson', { body: pending('Hotel booking') });
  await call('cancelTransaction', { path: { transaction_id: id } });
}

async function committed({ call }: ExampleApi): Promise<void> {
  const { id } = await call('createTransactionJson', { body: pending('Hotel deposit') });
  await call('commitTransaction', { path: { transaction_id: id } });
  await call('revertTransaction', { path: { transaction_id: id } });
}

/**
 * Each item by itself (200), all or none (201), and as lines. None is refused, because codes look different in
 * deployments with another ERROR_CODE_STYLE.
 */
async function batches({ call }: ExampleApi): Promise<void> {
  const coffee = payment('@alice', '@bakery', '3', { description: 'Coffee' });
  const bread = payment('@bruno', '@bakery', '9', { description: 'Bread' });
  const keyed = [
    { ...coffee, idempotencyKey: 'till-1-1001' },
    { ...bread, idempotencyKey: 'till-1-1002' },
  ];
  await call('createTransactionBatch', { body: { transactions: keyed } });
  await call('createTransactionBatch', { body: { atomic: true, transactions: [coffee] } });
  const line = { ...coffee, idempotencyKey: 'till-1-1003' };
  await call('createTransactionBatch', { media: 'application/x-ndjson', body: [line] });
}
