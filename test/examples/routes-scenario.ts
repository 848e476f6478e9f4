import type { ExampleApi, Identified } from './example-api.ts';

/** Runs the routes of the ledger and, in version 2, those of the organization. */
export async function exampleRoutes(api: ExampleApi, version: 1 | 2): Promise<void> {
  await routes(api, '');
  if (version === 2) await routes(api, 'Organization');
}

async function routes({ call, within }: ExampleApi, level: '' | 'Organization'): Promise<void> {
  const create = (title: string, operationType: string, entry: object): Promise<Identified> =>
    call(`create${level}OperationRoute`, {
      body: {
        title,
        operationType,
        account: { ruleType: 'account_type', validIf: ['deposit'] },
        accountingEntries: { direct: entry },
      },
    });
  const source = await create('Pix sent', 'source', {
    debit: { code: '2.1.1', description: 'Customer deposits' },
  });
  const destination = await create('Pix received', 'destination', {
    credit: { code: '2.1.1', description: 'Customer deposits' },
  });
  within({ operation_route_id: source.id });
  await call(`get${level}OperationRoute`);
  await call(`update${level}OperationRoute`, { body: { description: 'Debits of Pix payments' } });
  await call(`list${level}OperationRoutes`, { query: { limit: 1 } });

  const route = await call(`create${level}TransactionRoute`, {
    body: {
      title: 'Pix payment',
      description: 'Between two customers',
      operationRoutes: [source.id, destination.id],
    },
  });
  within({ transaction_route_id: route.id });
  await call(`get${level}TransactionRoute`);
  await call(`update${level}TransactionRoute`, { body: { metadata: { owner: 'payments' } } });
  await call(`list${level}TransactionRoutes`, { query: { limit: 1 } });
}
