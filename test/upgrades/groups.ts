import { expect } from 'chai';
import { made, type Ledger } from '#test/e2e/books.ts';
import { inScope } from '#test/e2e/v2-request.ts';
import type { Group } from '#test/e2e/staged-groups.ts';
import type { Client } from '#test/support/client.ts';

/** Transactions over two ledgers: at once, held and then committed, cancelled or left, and reverted. */
export async function payAcross(client: Client, from: Ledger, to: Ledger): Promise<void> {
  const giving = { organizationId: from.organizationId, ledgerId: from.id };
  const taking = { organizationId: to.organizationId, ledgerId: to.id };
  for (const { organizationId, ledgerId } of [giving, taking]) {
    const path = `/v1/organizations/${organizationId}/ledgers/${ledgerId}/settings`;
    const answer = await client.patch(path, { crossLedger: { enabled: true } });
    expect(answer.status, answer.text).to.equal(200);
  }
  const pay = (kind: 'direct' | 'hold', amount: string) =>
    made<Group>(client, `/v2/transactions/${kind}`, {
      asset: 'BRL',
      amount,
      description: `Across, ${kind}`,
      metadata: { across: true },
      debits: [inScope(giving).leg('@alice', amount)],
      credits: [inScope(taking).part('@shop', 60), inScope(taking).part('@courier', 40)],
    });
  const step = (verb: string, { transactions: [member] }: Group) =>
    made<Group>(
      client,
      `/v2/organizations/${member?.organizationId ?? ''}/ledgers/${member?.ledgerId ?? ''}` +
        `/transactions/${member?.id ?? ''}/${verb}`,
      undefined,
    );
  await pay('direct', '12.5');
  await step('commit', await pay('hold', '3'));
  await step('cancel', await pay('hold', '4'));
  await step('revert', await pay('direct', '1'));
  await pay('hold', '0.25');
}
