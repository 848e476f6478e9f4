import {
  add,
  formatAmount,
  negate,
  parseAmount,
  subtract,
  ZERO,
  type Amount,
} from '#src/kernel/amount.ts';
import type { Api } from './api.ts';
import type { Bank } from './bank.ts';
import { NotAsTold } from './not-as-told.ts';
import { shownAmount, type Paper } from './paper.ts';
import type { Balance, Operation } from './views.ts';

/**
 * Checks the books as anybody can who may read them: what is in the accounts came from outside, every balance is the
 * sum of its operations, and each operation begins where the one before ended. Errors: NotAsTold.
 */
export async function verify(api: Api, bank: Bank, paper: Paper): Promise<void> {
  let inside = ZERO;
  let outside = ZERO;
  let balances = 0;
  let operations = 0;
  for await (const balance of api.all<Balance>(`${bank.at}/balances`)) {
    const total = totalOf(balance);
    if (balance.direction === 'debit') outside = add(outside, total);
    else inside = add(inside, total);
    balances += 1;
    operations += await verifyBalance(api, bank, balance);
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
async function verifyBalance(api: Api, bank: Bank, balance: Balance): Promise<number> {
  const path = `${bank.at}/accounts/${balance.accountId}/operations`;
  let sum = ZERO;
  let count = 0;
  let last: Operation['balanceAfter'] = { available: '0', onHold: '0', version: 0 };
  for await (const operation of api.all<Operation>(path)) {
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

type State = Operation['balanceAfter'];

const same = (a: State, b: State): boolean =>
  a.version === b.version &&
  subtract(parseAmount(a.available), parseAmount(b.available)) === ZERO &&
  parseAmount(a.onHold) === parseAmount(b.onHold);
