import { openBook } from '#test/e2e/books.ts';
import { clientOf } from '#test/support/client.ts';
import { BANK } from './load.ts';

/** A ledger with a bank that has money and purses that have none. */
export type Ledger = Readonly<{ at: string; purses: readonly string[]; funds: string }>;

export async function openLedger({ port }: Readonly<{ port: number }>): Promise<Ledger> {
  const client = clientOf(() => ({ port }));
  const purses = Array.from({ length: PURSES }, (_, n) => `@purse-${n}`);
  const { at } = await openBook(client, { accounts: purses, funds: { [BANK]: FUNDS } });
  client.close();
  return { at, purses, funds: FUNDS };
}

const PURSES = 8;
const FUNDS = '1000000';
