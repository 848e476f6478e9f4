import { createClient, type Client, type components } from 'quipu/client';
import { parseAmount } from '#src/kernel/amount.ts';
import { customers, OUTSIDE, people, shops } from './cast.ts';
import { NotAsTold } from './not-as-told.ts';
import type { Paper } from './paper.ts';

/** A ledger of one organization, and what the story does with it. */
export interface Bank {
  readonly url: string;
  readonly client: Client;
  /** The ids in paths below LEDGER. */
  readonly path: Readonly<{ organization_id: string; ledger_id: string }>;
  move(transfer: Transfer): Promise<Transaction>;
  balance(alias: string): Promise<Balance>;
  /** Reads balances back. Errors: NotAsTold when one is another than it should be. */
  mustHave(expected: Readonly<Record<string, string>>): Promise<void>;
}

export const LEDGER = '/v1/organizations/{organization_id}/ledgers/{ledger_id}';

export type Balance = components['schemas']['Balance'];
export type Operation = components['schemas']['Operation'];
export type Transaction = components['schemas']['Transaction'];
type NewTransaction = components['schemas']['CreateTransactionJsonRequest'];

export type Leg = components['schemas']['RequestedLeg'];

export type Transfer = Readonly<{
  description: string;
  value: string;
  from: Leg[];
  to: Leg[];
  /** Further members of the body. */
  more?: Pick<NewTransaction, 'pending' | 'transactionDate'>;
}>;

export const exactly = (accountAlias: string, value: string): Leg => ({
  accountAlias,
  amount: { asset: 'BRL', value },
});

export const share = (accountAlias: string, percentage: number): Leg => ({
  accountAlias,
  share: { percentage },
});

export const remaining = (accountAlias: string): Leg => ({ accountAlias, remaining: 'remaining' });

export const bodyOf = ({ description, value, from, to, more }: Transfer): NewTransaction => ({
  description,
  ...more,
  send: { asset: 'BRL', value, source: { from }, distribute: { to } },
});

export async function openBank(url: string, paper: Paper): Promise<Bank> {
  const client = createClient({ url });
  paper.heading('07:30', 'The bank opens');
  const { id: organization_id } = await client.post('/v1/organizations', {
    body: { legalName: 'Andes Bank', legalDocument: '12.345.678/0001-90' },
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
  const aliases = [...Object.keys(people), ...customers, ...shops];
  await Promise.all(
    aliases.map((alias) => {
      const body = { assetCode: 'BRL', type: 'deposit', alias };
      return client.post(`${LEDGER}/accounts`, { path, body });
    }),
  );
  paper.say(
    `An organization, a ledger, the asset BRL, and ${aliases.length} accounts. ${OUTSIDE} came with the ` +
      'asset: whatever enters or leaves the bank passes through it.',
  );

  const balance = async (alias: string): Promise<Balance> => {
    const { items } = await client.get(`${LEDGER}/accounts/alias/{alias}/balances`, {
      path: { ...path, alias },
    });
    const [found] = items;
    if (found === undefined) throw new NotAsTold(`${alias} has no balance`);
    return found;
  };
  return {
    ...{ url, client, path },
    move: (transfer) =>
      client.post(`${LEDGER}/transactions/json`, { path, body: bodyOf(transfer) }),
    balance,
    async mustHave(expected) {
      for (const [alias, value] of Object.entries(expected)) {
        const { available } = await balance(alias);
        if (parseAmount(available) === parseAmount(value)) continue;
        throw new NotAsTold(`${alias} should have ${value} and has ${available}`);
      }
    },
  };
}
