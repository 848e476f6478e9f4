import { createOperationRoute, createTransactionRoute } from '#test/e2e/routes.ts';
import type { Client } from '#test/support/client.ts';

const rubric = (code: string) => ({ code, description: `Booked as ${code}` });

/** Routes of a ledger and of its organization are created, changed and deleted. */
export async function layRoutes(client: Client, organization: string, bank: string): Promise<void> {
  for (const at of [bank, `/v2/organizations/${organization}`]) {
    const source = await createOperationRoute(client, at, 'source', {
      account: { ruleType: 'alias', validIf: '@alice' },
      accountingEntries: { direct: { debit: rubric('1.1') } },
    });
    const destination = await createOperationRoute(client, at, 'destination', {
      account: { ruleType: 'account_type', validIf: ['deposit', 'savings'] },
      metadata: { desk: 7 },
    });
    await change(client, `${at}/operation-routes/${source.id}`, { title: 'Alice pays' });
    const kept = await createTransactionRoute(client, at, [source, destination]);
    await change(client, `${at}/transaction-routes/${kept.id}`, { metadata: { channel: 'app' } });

    const both = await createOperationRoute(client, at, 'bidirectional');
    const gone = await createTransactionRoute(client, at, [both]);
    await remove(client, `${at}/transaction-routes/${gone.id}`);
    await remove(client, `${at}/operation-routes/${both.id}`);
  }
}

async function change(client: Client, path: string, changes: object): Promise<void> {
  const answer = await client.patch(path, changes);
  if (answer.status !== 200) throw new Error(answer.text);
}

async function remove(client: Client, path: string): Promise<void> {
  const answer = await client.delete(path);
  if (answer.status !== 204) throw new Error(answer.text);
}
