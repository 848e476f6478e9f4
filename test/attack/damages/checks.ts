import { randomUUID } from 'node:crypto';
import { transfer, type Balance, type Transaction } from '#test/e2e/books.ts';
import type { Chance } from '#test/support/random.ts';
import { inLanes, type Asking, type Strictness } from './asking.ts';
import type { Bank, Done, Keyed } from './bank.ts';

/** Every read answers the bytes that the undamaged folder answers. */
export async function checkReads(
  asking: Asking,
  answers: ReadonlyMap<string, string>,
  chance: Chance,
  how: Strictness,
): Promise<void> {
  const some = [...answers].filter(([path]) => !ONE.test(path) || chance.is(0.15));
  await inLanes(some, LANES, async ([path, text]) => {
    const answer = await asking.get(path);
    if (how === 'lenient' && answer.status >= 400) return;
    if (answer.status === 200 && answer.text === text) return;
    asking.note('wrong', `GET ${path} got ${answer.status} ${parting(answer.text, text)}`);
  });
}

/** Every request with a key that was executed is answered with its bytes, and is not executed again. */
export async function checkRepeats(
  asking: Asking,
  keyed: readonly Keyed[],
  chance: Chance,
  how: Strictness,
): Promise<void> {
  const singles = keyed.filter(({ isItem }) => !isItem && chance.is(0.4));
  await inLanes(singles, LANES, async ({ at, key, body, text }) => {
    const answer = await asking.post(`${at}/transactions/json`, body, key);
    if (answer.status === 201 && answer.text === text) return;
    if (answer.status === 201 && answer.headers['x-idempotency-replayed'] === 'false') {
      asking.note('doubled', `${key} was executed again: ${answer.text}`);
    } else if (how === 'strict' || answer.status < 300) {
      asking.note('wrong', `${key} got ${answer.status} ${parting(answer.text, text)}`);
    }
  });
  const ledgers = new Set(keyed.map(({ at }) => at));
  for (const at of ledgers) await repeatItems(asking, at, keyed, how);
}

async function repeatItems(asking: Asking, at: string, keyed: readonly Keyed[], how: Strictness) {
  let items = keyed.filter((one) => one.isItem && one.at === at);
  while (items.length > 0) {
    const transactions = items.map(({ body }) => body);
    const answer = await asking.post(`${at}/transactions/batch`, { transactions });
    if (answer.status >= 300) {
      if (how === 'strict') asking.note('wrong', `A batch got ${answer.status} ${answer.text}`);
      return;
    }
    const { results } = answer.json() as { results: Result[] };
    const again: Keyed[] = [];
    for (const [n, item] of items.entries()) {
      const { status, transaction, error } = results[n] ?? { status: 0 };
      const text = JSON.stringify(transaction ?? error);
      if (status === 503 && how === 'strict') again.push(item);
      else if (status === 201 && text !== item.text) {
        const same = transaction?.id === (JSON.parse(item.text) as Transaction).id;
        asking.note(same ? 'wrong' : 'doubled', `${item.key} got ${parting(text, item.text)}`);
      } else if (status !== 201 && how === 'strict') {
        asking.note('wrong', `${item.key} got ${status} ${text}`);
      }
    }
    if (again.length > 0) await asking.get(at); // It may say that it is stuck.
    items = again;
  }
}

/** What was ended, reverted or taken before cannot be once more. */
export async function checkEnds(asking: Asking, { at, ...done }: Done, how: Strictness) {
  const refused = async (path: string, body?: unknown): Promise<void> => {
    const { status, text } = await asking.post(path, body);
    if (status === 409 || (how === 'lenient' && status >= 400)) return;
    asking.note(status < 300 ? 'doubled' : 'wrong', `POST ${path} got ${status} ${text}`);
  };
  for (const id of done.committed) await refused(`${at}/transactions/${id}/commit`);
  for (const id of done.reverted) await refused(`${at}/transactions/${id}/revert`);
  const taken = { assetCode: 'BRL', type: 'deposit', metadata: { taxId: 't2' } };
  await refused(`${at}/accounts`, taken);
  await refused(at.slice(0, at.lastIndexOf('/')), { name: 'Wallets' });
}

/** New work is done once, from the balances that are due. Answers what was executed. */
export async function checkNew(
  asking: Asking,
  { at, held }: Done,
  bank: Bank,
  how: Strictness,
): Promise<Keyed | undefined> {
  const key = randomUUID();
  const body = transfer('@a1', '@a2', '0.01');
  const path = `${at}/transactions/json`;
  const first = await asking.post(path, body, key);
  if (first.status !== 201) {
    if (how === 'strict') asking.note('wrong', `A new request got ${first.status} ${first.text}`);
    return undefined;
  }
  checkBefore(asking, first.json() as Transaction, bank.answers.get(`${at}/balances?limit=100`));
  const [id] = held;
  if (how === 'strict') {
    for (const due of [201, 409]) {
      const { status, text } = await asking.post(`${at}/transactions/${id}/commit`);
      if (status !== due)
        asking.note(due === 409 ? 'doubled' : 'wrong', `${id}: ${status} ${text}`);
    }
  }
  const again = await asking.post(path, body, key);
  const isReplay = again.headers['x-idempotency-replayed'] === 'true';
  if (again.status === 201 && !isReplay) asking.note('doubled', `The new ${key}: ${again.text}`);
  else if (again.text !== first.text && (how === 'strict' || again.status < 300)) {
    asking.note('wrong', `The new ${key} got ${parting(again.text, first.text)}`);
  }
  const { id: made } = first.json() as Transaction;
  const read = await asking.get(`${at}/transactions/${made}`);
  if (read.status !== 200 && how === 'strict') {
    asking.note('wrong', `The new transaction ${made} got ${read.status} ${read.text}`);
  }
  return { at, key, body, text: first.text, isItem: false };
}

/** It begins with the balances that the undamaged folder shows. */
function checkBefore(asking: Asking, { operations }: Transaction, listed = '{}'): void {
  const { items = [] } = JSON.parse(listed) as { items?: readonly Balance[] };
  for (const { accountAlias, balance } of operations) {
    const due = items.find(({ alias }) => alias === accountAlias);
    const same = due?.available === balance.available && due.version === balance.version;
    if (same && due.onHold === balance.onHold) continue;
    const had = JSON.stringify(balance);
    asking.note('wrong', `${accountAlias} is due ${JSON.stringify(due)}, but had ${had}`);
  }
}

/** Where two texts part. */
export function parting(text: string, due: string): string {
  let at = 0;
  while (at < text.length && text[at] === due[at]) at += 1;
  const from = Math.max(0, at - 40);
  return `…${text.slice(from, at + 120)}… and not …${due.slice(from, at + 120)}… (at ${at})`;
}

type Result = Readonly<{ status: number; transaction?: Transaction; error?: unknown }>;
/** The path of one transaction. */
const ONE = /\/transactions\/[^?]+$/;
const LANES = 8;
