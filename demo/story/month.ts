import { exactly, type Bank, type Transfer } from '../bank.ts';
import { customers, OUTSIDE, shops } from '../cast.ts';
import type { Step } from './step.ts';

const TRANSACTIONS = 5000;
const AT_ONCE = 64;
const SALARY = '6000';

export const month: Step = {
  at: '20:00',
  title: 'A month of 5,000 transactions',
  async play(bank, paper) {
    paper.say(
      `The bank books the past month of ${customers.length} customers and ${shops.length} shops: their salaries, and ` +
        `then what they bought. ${AT_ONCE} requests are under way at a time, one transaction each.`,
    );
    const transfers = Array.from({ length: TRANSACTIONS }, (_, n) => transferOf(n));
    const salaries = transfers.slice(0, customers.length);
    const startedMs = performance.now();
    let done = 0;
    const book = async (transfer: Transfer): Promise<void> => {
      await bank.move(transfer);
      done += 1;
      paper.progress(done, TRANSACTIONS);
    };
    await inParallel(salaries, book);
    await inParallel(transfers.slice(customers.length), book);
    const seconds = (performance.now() - startedMs) / 1000;
    const rate = Math.round(TRANSACTIONS / seconds).toLocaleString('en-US');
    paper.say(
      `${TRANSACTIONS.toLocaleString('en-US')} transactions in ${seconds.toFixed(1)} s, ${rate} a second on this ` +
        'machine, each on disk before it was answered.',
    );
    await checkBalances(bank, transfers);
    paper.note('Every customer and every shop has what an independent sum says.');
  },
};

/** Salaries first; then everybody buys in turn, for 1.00 to 60.99, day by day. */
function transferOf(n: number): Transfer {
  const customer = customers[n % customers.length] ?? '';
  const day = Math.floor((n * 30) / TRANSACTIONS);
  const more = { transactionDate: new Date(Date.now() - (30 - day) * DAY_MS).toISOString() };
  if (n < customers.length) {
    const [from, to] = [[exactly(OUTSIDE, SALARY)], [exactly(customer, SALARY)]];
    return { description: 'Salary', value: SALARY, from, to, more };
  }
  const cents = (n * 7919) % 6000;
  const value = `${1 + Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
  const shop = shops[(n * 31) % shops.length] ?? '';
  const [from, to] = [[exactly(customer, value)], [exactly(shop, value)]];
  return { description: 'Purchase', value, from, to, more };
}

const DAY_MS = 86_400_000;

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Sums the requests, in hundredths, beside the ledger. */
async function checkBalances(bank: Bank, transfers: readonly Transfer[]): Promise<void> {
  const hundredths = new Map<string, bigint>();
  for (const { value, from, to } of transfers) {
    const [whole = '', cents = '00'] = value.split('.');
    const amount = BigInt(whole + cents);
    for (const [leg, sign] of [
      [from[0], -1n],
      [to[0], 1n],
    ] as const) {
      const alias = leg?.accountAlias ?? '';
      hundredths.set(alias, (hundredths.get(alias) ?? 0n) + sign * amount);
    }
  }
  hundredths.delete(OUTSIDE); // Others bring money in as well.
  const expected = Array.from(hundredths, ([alias, sum]) => {
    const text = String(sum).padStart(3, '0');
    return [alias, `${text.slice(0, -2)}.${text.slice(-2)}`] as const;
  });
  await bank.mustHave(Object.fromEntries(expected));
}
