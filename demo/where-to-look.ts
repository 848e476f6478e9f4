import type { Api } from './api.ts';
import type { Bank } from './bank.ts';
import type { Paper } from './paper.ts';
import type { List, Transaction } from './views.ts';

/** Addresses for a browser or curl. */
export async function whereToLook(api: Api, bank: Bank, paper: Paper): Promise<void> {
  const { accountId } = await bank.balance('@alice');
  const [last] = (
    await api.get<List<Transaction>>(`${bank.at}/transactions?sort_order=desc&limit=1`)
  ).items;
  paper.heading('', 'Where to look');
  paper.link("Alice's balance", `${api.url}${bank.at}/accounts/alias/@alice/balances`);
  paper.link(
    'Her operations, with the balance before and after each',
    `${api.url}${bank.at}/accounts/${accountId}/operations`,
  );
  paper.link('The last transaction', `${api.url}${bank.at}/transactions/${last?.id ?? ''}`);
  if (api.offers('GET /ledgers/{ledger_id}/journal')) {
    paper.link('The journal, event by event', `${api.url}${bank.at}/journal?limit=10`);
  }
  paper.link('What else the API offers', `${api.url}/docs`);
}
