import { parseAmount } from '#src/kernel/amount.ts';
import type { Api } from './api.ts';
import { customers, OUTSIDE, people, shops } from './cast.ts';
import { NotAsTold } from './not-as-told.ts';
import type { Paper } from './paper.ts';
import type { Answer, Balance, List, Named, Transaction } from './views.ts';

/** A ledger of one organization, and what the story does with it. */
export interface Bank {
  /** `/v1/organizations/{id}/ledgers/{id}` */
  readonly at: string;
  readonly api: Api;
  move(transfer: Transfer, headers?: Readonly<Record<string, string>>): Promise<Transaction>;
  /** Sends a transaction that may be refused. */
  tryToMove<T>(transfer: Transfer, headers?: Readonly<Record<string, string>>): Promise<Answer<T>>;
  balance(alias: string): Promise<Balance>;
  /** Reads balances back. Errors: NotAsTold when one is another than it should be. */
  mustHave(expected: Readonly<Record<string, string>>): Promise<void>;
}

export type Leg = Readonly<{ accountAlias: string } & Record<string, unknown>>;

export type Transfer = Readonly<{
  description: string;
  value: string;
  from: readonly Leg[];
  to: readonly Leg[];
  /** Further members of the body. */
  more?: object;
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

export async function openBank(api: Api, paper: Paper): Promise<Bank> {
  paper.heading('07:30', 'The bank opens');
  const org = await api.make<Named>('/v1/organizations', {
    legalName: 'Andes Bank',
    legalDocument: '12.345.678/0001-90',
  });
  const ledger = await api.make<Named>(`/v1/organizations/${org.id}/ledgers`, { name: 'Retail' });
  const at = `/v1/organizations/${org.id}/ledgers/${ledger.id}`;
  await api.make(`${at}/assets`, { name: 'Brazilian real', type: 'currency', code: 'BRL' });
  const aliases = [...Object.keys(people), ...customers, ...shops];
  await Promise.all(
    aliases.map((alias) =>
      api.make(`${at}/accounts`, { assetCode: 'BRL', type: 'deposit', alias }),
    ),
  );
  paper.say(
    `An organization, a ledger, the asset BRL, and ${aliases.length} accounts. ${OUTSIDE} came with the ` +
      'asset: whatever enters or leaves the bank passes through it.',
  );

  const balance = async (alias: string): Promise<Balance> => {
    const path = `${at}/accounts/alias/${encodeURIComponent(alias)}/balances`;
    const [found] = (await api.get<List<Balance>>(path)).items;
    if (found === undefined) throw new NotAsTold(`${alias} has no balance`);
    return found;
  };
  return {
    at,
    api,
    move: (transfer, headers) => api.make(`${at}/transactions/json`, bodyOf(transfer), headers),
    tryToMove: (transfer, headers) =>
      api.post(`${at}/transactions/json`, bodyOf(transfer), headers),
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

const bodyOf = ({ description, value, from, to, more }: Transfer): object => ({
  description,
  ...more,
  send: { asset: 'BRL', value, source: { from }, distribute: { to } },
});
