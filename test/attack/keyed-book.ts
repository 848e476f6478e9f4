import { expect } from 'chai';
import { openBook, transfer, type Balance, type Book, type List } from '#test/e2e/books.ts';
import type { Answer, Client } from '#test/support/client.ts';

/** A ledger into which every keyed request pays 1: what it holds says how many were executed. */
export type KeyedBook = Book;

const PAYEE = '@alice';

export const openKeyedBook = (client: Client): Promise<KeyedBook> =>
  openBook(client, { accounts: [PAYEE] });

/** The n-th payment, which always has the same key. Comes again while the server says so. */
export async function keyed(client: Client, { at }: KeyedBook, n: number): Promise<Answer> {
  const body = transfer('@external/BRL', PAYEE, '1');
  const headers = { 'X-Idempotency': `payment-number-${n}` };
  const answer = await client.post(`${at}/transactions/json`, body, headers);
  expect(answer.status, answer.text).to.equal(201);
  return answer;
}

/** What was paid in. */
export async function paid(client: Client, { at }: KeyedBook): Promise<string> {
  const path = `${at}/accounts/alias/${encodeURIComponent(PAYEE)}/balances`;
  const answer = await client.get(path);
  expect(answer.status, answer.text).to.equal(200);
  return (answer.json() as List<Balance>).items[0]!.available;
}

export const account = (client: Client, { at }: KeyedBook): Promise<Answer> =>
  client.get(`${at}/accounts/alias/${encodeURIComponent(PAYEE)}`);
