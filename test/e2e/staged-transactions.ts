import { expect } from 'chai';
import type { Client } from '#test/support/client.ts';
import {
  createAccount,
  createAsset,
  exactly,
  got,
  made,
  posted,
  sending,
  transfer,
  type Balance,
  type Book,
  type List,
  type Transaction,
} from './books.ts';
import type { Stage } from './provocations.ts';

/** Transactions that cannot be committed, or reverted, any more; each named by its reason. */
export async function stageTransactions(client: Client, { at }: Book): Promise<Stage> {
  const open = async (alias: string, fields: object = {}): Promise<string> =>
    (await createAccount(client, at, { alias, ...fields })).id;
  const post = async (from: string, to: string, value: string, more = {}, asset = 'BRL') =>
    (await posted(client, at, transfer(from, to, value, asset, more))).id;
  const change = async (method: 'PATCH' | 'DELETE', path: string, body?: object) => {
    const headers = { 'Content-Type': 'application/json' };
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await client.send({ method, path: `${at}/${path}`, headers, ...text });
    expect(answer.status, answer.text).to.be.within(200, 204);
  };
  const permit = async (alias: string, permission: object) => {
    const path = `${at}/accounts/alias/${alias}/balances`;
    const [balance] = (await got<List<Balance>>(client, path)).items;
    await change('PATCH', `balances/${balance?.id ?? ''}`, permission);
  };
  const addBalance = (account: string, fields: object) =>
    made(client, `${at}/accounts/${account}/balances`, fields);
  const pending = { pending: true };
  await open('@world', { type: 'external' });

  const cold = await open('@cold');
  const toBlocked = await post('@alice', '@cold', '1');
  const pendingToBlocked = await post('@alice', '@cold', '1', pending);
  await change('PATCH', `accounts/${cold}`, { blocked: true });

  const ended = await open('@ended');
  const toClosed = await post('@alice', '@ended', '1');
  await post('@ended', '@alice', '1');
  const pendingToClosed = await post('@alice', '@ended', '1', pending);
  const closing = await client.post(`${at.replace('/v1/', '/v2/')}/accounts/${ended}/close`);
  expect(closing.status, closing.text).to.equal(204);

  const held = await open('@held');
  await post('@alice', '@held', '1');
  await post('@held', '@alice', '1', pending);

  const gone = await open('@gone');
  const toDeleted = await post('@alice', '@gone', '1');
  await post('@gone', '@alice', '1');
  const pendingToDeleted = await post('@alice', '@gone', '1', pending);
  await change('DELETE', `accounts/${gone}`);

  await open('@quiet');
  const toMuted = await post('@alice', '@quiet', '1');
  await permit('@quiet', { allowSending: false });

  await open('@deaf');
  await permit('@deaf', { allowReceiving: false });

  const owing = await open('@owing');
  await addBalance(owing, { key: 'cost', direction: 'debit' });
  const toOwing = await post('@alice', '@owing', '1');
  await permit('@owing', { settings: overdraft('10') });
  await post('@owing', '@external/BRL', '11');
  const cost = sending('1', [exactly('@alice', '1')], [onCost], pending);
  const pendingToDebit = (await posted(client, at, cost)).id;
  const { items: kept } = await got<List<Balance>>(client, `${at}/accounts/${ended}/balances`);
  const { items: owed } = await got<List<Balance>>(client, `${at}/accounts/${owing}/balances`);

  await open('@poor');
  const toPoor = await post('@alice', '@poor', '1');
  await post('@poor', '@alice', '1');

  const reverted = await post('@alice', '@bob', '1');
  const reversal = await made<Transaction>(
    client,
    `${at}/transactions/${reverted}/revert`,
    undefined,
  );

  // Two worlds outside, because one alone would be full before its account is.
  await createAsset(client, at, { code: 'EUR' });
  await open('@mint', { type: 'external', assetCode: 'EUR' });
  await open('@full', { assetCode: 'EUR' });
  await open('@payer', { assetCode: 'EUR' });
  await post('@mint', '@payer', '5', {}, 'EUR');
  const most = '9'.repeat(30);
  const filled = sending(
    most,
    [exactly('@external/EUR', most, 'EUR')],
    [exactly('@full', most, 'EUR')],
  );
  await posted(client, at, { ...filled, send: { ...filled.send, asset: 'EUR' } });
  const pendingToFull = await post('@payer', '@full', '1', pending, 'EUR');
  const fromFull = await post('@full', '@payer', '1', {}, 'EUR');
  await post('@mint', '@full', '1', {}, 'EUR');

  return {
    'to a blocked one': toBlocked,
    'pending to a blocked one': pendingToBlocked,
    'the closed account': ended,
    'the balance of the closed account': kept[0]?.id ?? '',
    'the account on hold': held,
    'to a closed one': toClosed,
    'pending to a closed one': pendingToClosed,
    'to a deleted one': toDeleted,
    'pending to a deleted one': pendingToDeleted,
    'to a muted one': toMuted,
    'to a poor one': toPoor,
    'to one that owes': toOwing,
    'pending to a debit balance': pendingToDebit,
    'the balance that owes': owed[0]?.id ?? '',
    'the overdraft balance': owed[2]?.id ?? '',
    'pending to a full one': pendingToFull,
    'from a full one': fromFull,
    reverted,
    reversal: reversal.id,
  };
}

const onCost = { ...exactly('@owing', '1'), balanceKey: 'cost' };

const overdraft = (overdraftLimit: string) => ({
  allowOverdraft: true,
  overdraftLimitEnabled: true,
  overdraftLimit,
});
