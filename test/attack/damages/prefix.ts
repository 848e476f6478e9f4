import { parseData } from '#src/kernel/event-data.ts';
import type { Balance, Transaction } from '#test/e2e/books.ts';
import type { Asking } from './asking.ts';
import type { Bank, Keyed } from './bank.ts';
import { parting } from './checks.ts';
import type { LoggedEvent } from './log-events.ts';

/**
 * The log lost its last events, as an older backup has: what it still has is the truth, and everything derived must
 * agree with it. What it lost may be done again, once.
 */
export async function checkPrefix(asking: Asking, bank: Bank, last: number): Promise<void> {
  const kept = bank.events.slice(0, last);
  const keys = new Set(kept.map(keyOf).filter((key) => key !== undefined));
  await checkBalances(asking, bank, kept);
  await checkTransactions(asking, bank, kept);
  for (const keyed of bank.keyed.filter(({ isItem }) => !isItem).slice(-60)) {
    await checkKey(asking, keyed, keys.has(keyed.key));
  }
}

async function checkKey(asking: Asking, { at, key, body, text }: Keyed, isKept: boolean) {
  const path = `${at}/transactions/json`;
  const first = await asking.post(path, body, key);
  const replayed = String(first.headers['x-idempotency-replayed']);
  if (first.status !== 201 || replayed !== String(isKept) || (isKept && first.text !== text)) {
    const flaw = isKept && replayed === 'false' ? 'doubled' : 'wrong';
    asking.note(flaw, `${key}, kept: ${isKept}, got ${first.status} ${replayed} ${first.text}`);
  }
  const again = await asking.post(path, body, key);
  if (again.text === first.text) return;
  asking.note('doubled', `${key} got ${parting(again.text, first.text)}`);
}

async function checkBalances(asking: Asking, bank: Bank, kept: readonly LoggedEvent[]) {
  const due = new Map<string, string>();
  for (const { stream, type, data } of kept) {
    if (!type.startsWith('Transaction')) continue;
    const { transaction } = parseData(data) as { transaction: Transaction };
    for (const { accountAlias, balanceAfter } of transaction.operations) {
      const { available, onHold, version } = balanceAfter;
      due.set(`${stream} ${accountAlias}`, `${available} ${onHold} ${version}`);
    }
  }
  for (const { at } of bank.done) {
    const answer = await asking.get(`${at}/balances?limit=100`);
    if (answer.status !== 200) {
      asking.note('wrong', `Balances got ${answer.status} ${answer.text}`);
      continue;
    }
    const { items } = answer.json() as { items: readonly Balance[] };
    for (const { alias, available, onHold, version } of items) {
      const name = `ledger-${at.slice(at.lastIndexOf('/') + 1)} ${alias}`;
      const has = `${available} ${onHold} ${version}`;
      if (has === (due.get(name) ?? '0 0 0')) continue;
      asking.note('wrong', `${name} has ${has}, by the log ${due.get(name)}`);
    }
  }
}

/** By id, where nothing happened to it later than the log knows. */
async function checkTransactions(asking: Asking, bank: Bank, kept: readonly LoggedEvent[]) {
  const known = new Map<string, number>();
  for (const event of bank.events) {
    if (!event.type.startsWith('Transaction')) continue;
    const { transaction } = parseData(event.data) as { transaction: Transaction };
    const places = known.get(transaction.id) ?? 0;
    known.set(transaction.id, places + (event.position > kept.length ? 1 : 0));
  }
  const created = new Set<string>(
    kept.flatMap(({ data }) => {
      const { transaction } = parseData(data) as { transaction?: Transaction };
      return transaction?.id ?? [];
    }),
  );
  for (const [path, text] of [...bank.answers].filter(([each]) => ONE.test(each)).slice(-80)) {
    const id = path.slice(path.lastIndexOf('/') + 1);
    const answer = await asking.get(path);
    const isRight = created.has(id)
      ? answer.status === 200 && (known.get(id) !== 0 || answer.text === text)
      : answer.status === 404;
    if (!isRight) asking.note('wrong', `GET ${path} got ${answer.status} ${answer.text}`);
  }
}

const keyOf = ({ metadata }: LoggedEvent): string | undefined =>
  (JSON.parse(metadata) as { idempotencyKey?: string }).idempotencyKey;
const ONE = /\/transactions\/[^?]+$/;
