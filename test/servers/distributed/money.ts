import { expect } from 'chai';
import { isDeepStrictEqual } from 'node:util';
import type {
  OperationRecord,
  TransactionEvent,
  TransactionRecord,
} from '#src/events/ledger/transaction.ts';
import { parseData } from '#src/kernel/event-data.ts';
import type { EventMetadata } from '#src/kernel/event-metadata.ts';
import { readJournalLine } from '#src/resources/ledger/journal.ts';
import { audit } from '#src/bootstrap/audit.ts';
import { createJournalVerifier } from '#src/verify/journal.ts';
import { unitsOf } from '#test/crash/decimals.ts';
import type { Balance, List } from '#test/e2e/books.ts';
import { clientOf } from '#test/support/client.ts';
import { until } from '#test/support/server.ts';
import { BANK, type Load } from './load.ts';
import type { Ledger } from './ledger.ts';

/** A transaction as the journal has it. */
export type Posted = Readonly<{
  eventId: string;
  recordedAt: string;
  transaction: TransactionRecord;
}>;

/**
 * The money, by equality: what was acknowledged is in the journal once and nothing else is; the journal passes its
 * auditor; balances as they are read are the fold of the journal, and what the acknowledged moves come to.
 * Answers what the journal holds, in its order.
 */
export async function checkMoney(
  { port }: Readonly<{ port: number }>,
  ledger: Ledger,
  { acknowledged }: Pick<Load, 'acknowledged'>,
): Promise<readonly Posted[]> {
  const client = clientOf(() => ({ port }));
  const answer = await client.get(`${ledger.at}/journal`);
  expect(answer.status, answer.text).to.equal(200);
  const journal = postedIn(answer.text);
  const [funding, ...moves] = journal.map(({ transaction }) => transaction);
  expect(funding?.amount).to.equal(ledger.funds);
  expect(moves.map(({ id }) => id).sort()).to.deep.equal([...acknowledged.keys()].sort());

  const folded = fold(journal.flatMap(({ transaction }) => transaction.operations));
  const due = balancesDue(ledger, acknowledged);
  const units = (text = '0'): bigint => unitsOf(text);
  for (const [alias, balance] of folded) {
    expect(units(balance.available), alias).to.equal(due.get(alias));
  }
  const shown = (alias: string, { available, version }: Shown) =>
    `${alias} ${available} v${version}`;
  const wanted = [...due.keys()]
    .map((alias) => shown(alias, folded.get(alias) ?? UNTOUCHED))
    .sort();
  let read: readonly string[] = [];
  const isRead = async (): Promise<boolean> => {
    const page = await client.get(`${ledger.at}/balances?limit=100`);
    if (page.status !== 200) return false;
    read = (page.json() as List<Balance>).items.map((item) => shown(item.alias, item)).sort();
    return isDeepStrictEqual(read, wanted);
  };
  await until(isRead, READ_MS, 'the read model is up to date').catch((error: unknown) => {
    expect(read).to.deep.equal(wanted);
    throw error;
  });
  client.close();
  return journal;
}

/** Every line goes through the auditor's verification on its way. */
function postedIn(text: string): Posted[] {
  const verifier = createJournalVerifier(audit);
  const posted: Posted[] = [];
  for (const line of text.split('\n').filter(Boolean)) {
    const event = readJournalLine(line)?.event;
    if (event === undefined) throw new Error(`No line of a journal: ${line}`);
    expect(verifier.take(event)).to.equal(undefined);
    if (event.type !== 'TransactionPosted') continue;
    const { transaction } = parseData(event.data) as TransactionEvent['data'];
    const { recordedAt } = JSON.parse(event.metadata) as EventMetadata;
    posted.push({ eventId: event.id, recordedAt, transaction });
  }
  expect(verifier.summary().transactions).to.equal(posted.length);
  return posted;
}

/** By alias, each version from the one before. */
function fold(operations: readonly OperationRecord[]): Map<string, OperationRecord['balance']> {
  const balances = new Map<string, OperationRecord['balance']>();
  for (const { accountAlias, balance, balanceAfter } of operations) {
    const before = balances.get(accountAlias);
    if (before !== undefined) expect(balance, accountAlias).to.deep.equal(before);
    expect(balanceAfter.version).to.equal(balance.version + 1);
    balances.set(accountAlias, balanceAfter);
  }
  return balances;
}

function balancesDue(ledger: Ledger, acknowledged: Load['acknowledged']): Map<string, bigint> {
  const funds = unitsOf(ledger.funds);
  const due = new Map(ledger.purses.map((purse) => [purse, 0n]));
  due.set(BANK, funds).set('@external/BRL', funds); // Its normal side is the other one.
  for (const { from, to, value } of acknowledged.values()) {
    due.set(from, (due.get(from) ?? 0n) - unitsOf(value));
    due.set(to, (due.get(to) ?? 0n) + unitsOf(value));
  }
  return due;
}

type Shown = Pick<Balance, 'available' | 'version'>;
const UNTOUCHED: Shown = { available: '0', version: 0 };
const READ_MS = 90_000;
