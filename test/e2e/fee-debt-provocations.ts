import { expect } from 'chai';
import type { Client } from '#test/support/client.ts';
import {
  createAccount,
  got,
  made,
  NOBODY,
  posted,
  transfer,
  type Balance,
  type Book,
  type List,
} from './books.ts';
import { fee, flat } from './fee-books.ts';
import type { Changes, Stage } from './provocations.ts';
import { inScope } from './v2-request.ts';

/** An account that owes fees, and a collection of another's. */
export async function stageFeeDebts(client: Client, { at, org, ledger }: Book): Promise<Stage> {
  const v2 = at.replace('/v1/', '/v2/');
  const { direct } = inScope({ organizationId: org, ledgerId: ledger });
  const deferrable = fee({
    ...{ calculationModel: flat('10'), creditAccount: '@bob', deferrable: true },
  });
  await made(client, `${v2}/packages`, {
    ...{ feeGroupLabel: 'Deferred', minimumAmount: '1', maximumAmount: '1000', enable: true },
    ...{ fees: { adm: deferrable }, metadataSelector: { deferred: 'yes' } },
  });
  const indebted = async (alias: string): Promise<Readonly<{ id: string; origin: string }>> => {
    const { id } = await createAccount(client, at, { alias });
    await posted(client, at, transfer('@alice', alias, '1'));
    const body = direct(alias, '@bob', '1', { metadata: { deferred: 'yes' } });
    const origin = await made<{ id: string }>(client, '/v2/transactions/direct', body);
    return { id, origin: origin.id };
  };
  const { id: account, origin } = await indebted('@indebted');
  await indebted('@collected');
  await posted(client, at, transfer('@alice', '@collected', '1'));
  const collected = { accountAlias: '@collected' };
  const { status, text } = await client.post(`${v2}/fee-debts/collect`, collected);
  expect(status, text).to.equal(200);
  const path = `${at}/accounts/alias/@indebted/balances`;
  const { items } = await got<List<Balance>>(client, path);
  return {
    fee_debt: `${origin}:from:1:debit`,
    'the account that owes fees': account,
    'the balance that owes fees': items[0]?.id ?? '',
    'the collection': (JSON.parse(text) as { transactionId: string }).transactionId,
  };
}

export const feeDebtBodies = { collectFeeDebts: { accountAlias: '@indebted' } };

export const feeDebtProvocations = {
  getFeeDebt: { NOT_FOUND: { at: { fee_debt: `${NOBODY}:from:1:debit` } } },
  collectFeeDebts: {
    NOT_FOUND: { accountAlias: '@nobody' },
    MALFORMED_FIELD: { maxAmount: '0' },
    NUMBER_OUT_OF_RANGE: { maxAmount: '1e30' },
    IDEMPOTENCY_KEY_IN_USE: { headers: { 'X-Idempotency': 'used' } },
  },
} satisfies Readonly<Record<string, Readonly<Record<string, Changes>>>>;
