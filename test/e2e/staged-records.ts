import type { Client } from '#test/support/client.ts';
import { expect } from 'chai';
import {
  createAccount,
  createLedger,
  got,
  made,
  type Balance,
  type Book,
  type List,
} from './books.ts';
import type { Stage } from './provocations.ts';

/** Segments and the like, for refusals to be about. */
export async function stageRecords(client: Client, { org, at }: Book): Promise<Stage> {
  const create = async (list: string, fields: object) =>
    (await made<{ id: string }>(client, `${at}/${list}`, fields)).id;
  await create('segments', { name: 'Farms' });
  await create('segments', { name: 'Homes' });
  await create('account-types', { name: 'Savings', keyValue: 'savings' });
  const bare = (await createAccount(client, at, { alias: '@bare' })).id;
  const [own] = (await got<List<Balance>>(client, `${at}/accounts/${bare}/balances`)).items;
  expect((await client.delete(`${at}/balances/${own?.id ?? ''}`)).status).to.equal(204);
  const settings = { accounting: { validateAccountType: true } };
  return {
    'the account without balances': bare,
    'the strict ledger': (await createLedger(client, org, { settings })).id,
    account_type_id: await create('account-types', { name: 'Deposits', keyValue: 'deposit' }),
    portfolio_id: await create('portfolios', { name: 'Anna' }),
    segment_id: await create('segments', { name: 'Retail' }),
  };
}
