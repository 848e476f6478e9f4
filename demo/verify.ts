import {
  add,
  formatAmount,
  negate,
  parseAmount,
  subtract,
  ZERO,
  type Amount,
} from '#src/kernel/amount.ts';
import { LEDGER, type Balance, type Bank, type Operation } from './bank.ts';
import { NotAsTold } from './not-as-told.ts';
import { shownAmount, type Paper } from './paper.ts';

/**
 * Checks the books as anybody can who may read them: what is in the accounts came from outside, every balance is the
 * sum of its operations, and each operation begins where the one before ended. Errors: NotAsTold.
 */
export async function verify(bank: Bank, paper: Paper): Promise<void> {
  const { client, path } = bank;
  let inside = ZERO;
  let outside = ZERO;
  let balances = 0;
  let operations = 0;
  for await (const balance of client.items(`${LEDGER}/balances`, { path })) {
    const total = totalOf(balance);
    if (balance.direction === 'debit') outside = add(outside, total);
    else inside = add(inside, total);
    balances += 1;
    operations += await verifyBalance(bank, balance);
  }
  if (inside !== outside) {
    const [a, b] = [formatAmount(inside), formatAmount(outside)];
    throw new NotAsTold(`The accounts hold ${a}, the world outside brought in ${b}`);
  }
  const sum = shownAmount(formatAmount(inside));
  paper.good(`The accounts hold BRL ${sum}, and as much came from outside: the difference is 0.`);
  const [some, many] = [balances, operations].map((count) => count.toLocaleString('en-US'));
  paper.good(`${some} balances are the sums of their ${many} operations, without a gap.`);
}

/** Answers how many operations it has. */
async function verifyBalance({ client, ...bank }: Bank, balance: Balance): Promise<number> {
  const path = { ...bank.path, account_id: balance.accountId };
  let sum = ZERO;
  let count = 0;
  let last: BalanceState = NOTHING;
  for await (const operation of client.items(`${LEDGER}/accounts/{account_id}/operations`, {
    path,
  })) {
    if (operation.balanceId !== balance.id) continue;
    if (!same(operation.balance, last)) throw new NotAsTold(`${balance.alias} has a gap`);
    sum = add(sum, effectOf(operation, balance));
    last = operation.balanceAfter;
    count += 1;
  }
  if (!same(balance, last) || sum !== totalOf(balance)) {
    throw new NotAsTold(`${balance.alias} is not the sum of its ${count} operations`);
  }
  return count;
}

/** Held money still belongs to the account, so holding and releasing change nothing here. */
function effectOf({ type, amount }: Operation, { direction }: Balance): Amount {
  const value = parseAmount(amount.value);
  if (type !== 'CREDIT' && type !== 'DEBIT') return ZERO;
  return (type === 'CREDIT') === (direction === 'credit') ? value : negate(value);
}

const totalOf = ({ available, onHold }: Balance): Amount =>
  add(parseAmount(available), parseAmount(onHold));

type BalanceState = Pick<Balance, 'available' | 'onHold' | 'version'>;

const NOTHING: BalanceState = { available: '0', onHold: '0', version: 0 };

const same = (a: BalanceState, b: BalanceState): boolean =>
  a.version === b.version &&
  subtract(parseAmount(a.available), parseAmount(b.available)) === ZERO &&
  parseAmount(a.onHold) === parseAmount(b.onHold);
