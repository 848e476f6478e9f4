import { inScope } from '#test/e2e/v2-request.ts';
import type { Client } from '#test/support/client.ts';

/** Transactions in the forms of version 2, and what they may leave out. */
export async function postForms(client: Client, org: string, ledger: string): Promise<void> {
  const { direct, part } = inScope({ organizationId: org, ledgerId: ledger });
  const at = `/v1/organizations/${org}/ledgers/${ledger}`;
  const post = async (path: string, body: object): Promise<void> => {
    const answer = await client.post(path, body);
    if (answer.status !== 201) throw new Error(`${path}: ${answer.text}`);
  };
  const overrides = { allowFeeSkip: true, allowTracerSkip: true };
  await client.patch(`${at}/settings`, { overrides });
  const skip = { fees: true, tracer: true };
  const words = { scheme: 'PIX', description: 'By phone', metadata: { device: 7 } };
  const shared = { credits: [part('@bob', 40), part('@carol', 60)] };
  const paid = direct('@alice', '@bob', '12.5', { ...words, ...shared, skip });
  await post('/v2/transactions/direct', paid);
  await post('/v2/transactions/hold', direct('@alice', '@bob', '0.25', { scheme: 'CARD' }));
  await post('/v2/transactions/block', direct('@alice', '@fees', '3'));
  await post('/v2/transactions/unblock', direct('@fees', '@alice', '3'));
  const transactions = [
    { action: 'hold', order: 2, ...direct('@bob', '@carol', '1') },
    { action: 'direct', order: 1, ...direct('@alice', '@bob', '1', words) },
  ];
  await post('/v2/transactions/batch', { transactions });
}
