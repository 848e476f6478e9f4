import type { TransactionToCreate, Client } from '#src/library/client.ts';

export const LEDGER = '/v1/organizations/{organization_id}/ledgers/{ledger_id}';

export type LedgerPath = Readonly<{ organization_id: string; ledger_id: string }>;

/** A ledger in BRL with accounts of these aliases. */
export async function newLedger(
  client: Client,
  aliases: readonly string[],
  funds: Readonly<Record<string, string>> = {},
): Promise<LedgerPath> {
  const { id: organization_id } = await client.post('/v1/organizations', {
    body: { legalName: 'Andes Bank', legalDocument: '123' },
  });
  const { id: ledger_id } = await client.post('/v1/organizations/{organization_id}/ledgers', {
    path: { organization_id },
    body: { name: 'Retail' },
  });
  const path = { organization_id, ledger_id };
  await client.post(`${LEDGER}/assets`, {
    path,
    body: { name: 'Brazilian real', type: 'currency', code: 'BRL' },
  });
  for (const alias of aliases) {
    const body = { assetCode: 'BRL', type: 'deposit', alias };
    await client.post(`${LEDGER}/accounts`, { path, body });
  }
  for (const [alias, value] of Object.entries(funds)) {
    await pay(client, path, transfer('@external/BRL', alias, value));
  }
  return path;
}

export const transfer = (from: string, to: string, value: string): TransactionToCreate => {
  const leg = (accountAlias: string) => ({ accountAlias, amount: { asset: 'BRL', value } });
  return {
    send: { asset: 'BRL', value, source: { from: [leg(from)] }, distribute: { to: [leg(to)] } },
  };
};

export const pay = (client: Client, path: LedgerPath, body: TransactionToCreate) =>
  client.post(`${LEDGER}/transactions/json`, { path, body });

export async function available(client: Client, path: LedgerPath, alias: string) {
  const list = await client.get(`${LEDGER}/accounts/alias/{alias}/balances`, {
    path: { ...path, alias },
  });
  return list.items.map((balance) => balance.available).join();
}
