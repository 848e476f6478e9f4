import { LEDGER, type Bank } from './bank.ts';
import type { Paper } from './paper.ts';

/** Addresses for a browser or curl. */
export async function whereToLook(bank: Bank, paper: Paper): Promise<void> {
  const { url, client, path } = bank;
  const { accountId } = await bank.balance('@alice');
  const query = { sort_order: 'desc', limit: 1 } as const;
  const { items } = await client.get(`${LEDGER}/transactions`, { path, query });
  const at = `${url}/v1/organizations/${path.organization_id}/ledgers/${path.ledger_id}`;
  paper.heading('', 'Where to look');
  paper.link("Alice's balance", `${at}/accounts/alias/@alice/balances`);
  paper.link(
    'Her operations, with the balance before and after each',
    `${at}/accounts/${accountId}/operations`,
  );
  paper.link('The last transaction', `${at}/transactions/${items[0]?.id ?? ''}`);
  paper.link('The journal, event by event', `${at}/journal?limit=10`);
  paper.link('What else the API offers', `${url}/docs`);
}
