import type { Answer } from './connection.ts';
import { pairsOf } from './distribution.ts';
import type { TransferWork, Work } from './job.ts';
import { aliasOf, amountOf, nameOf } from './names.ts';
import { missing, post, requestId } from './text.ts';
import { DEEP_EVERY, type Workload } from './workload.ts';

/** Two-leg transfers; each answer is checked to be the transaction its own request asked for. */
export function transferWork(run: number, work: TransferWork): Workload {
  const { source, target } = pairsOf(work.distribution, work.accounts, SEED + run);
  const asked = (seq: number): Transfer => ({
    name: nameOf(run, seq),
    source: aliasOf(source(seq)),
    target: aliasOf(target(seq)),
    amount: amountOf(seq),
  });
  const authorization = work.token === undefined ? '' : `Authorization: Bearer ${work.token}\r\n`;
  return {
    status: 201,
    keep: () => false,
    text: (seq) => transferText(work.ledgerPath, requestId(run, seq) + authorization, asked(seq)),
    check: (seq, answer) => wrongTransfer(asked(seq), answer, seq % DEEP_EVERY === 0),
  };
}

/** Sends the transfers of `transferWork` to a ledger whose fee package charges each one FEE_PERCENTAGE on top. */
export function chargedTransferWork(run: number, work: TransferWork): Workload {
  const { status, keep, text } = transferWork(run, work);
  const { source, target } = pairsOf(work.distribution, work.accounts, SEED + run);
  return {
    status,
    keep,
    text,
    check: (seq, { head, body }) =>
      missing(head, `req-${nameOf(run, seq)}`) ??
      missing(body, `"description":"${nameOf(run, seq)}"`) ??
      missing(body, `"amount":"${withFee(amountOf(seq))}"`) ??
      missing(body, `"source":["${aliasOf(source(seq))}",`) ??
      missing(body, `"destination":["${aliasOf(target(seq))}","${FEE_ALIAS}"]`) ??
      missing(body, '"feeApplied":"true"'),
  };
}

export const FEE_ALIAS = '@bench-fees';
export const FEE_PERCENTAGE = '1';

/** An amount has two fractional digits and does not end in zero, so that the sum has four. */
function withFee(amount: string): string {
  const digits = BigInt(amount.replace('.', '')) * (100n + BigInt(FEE_PERCENTAGE));
  const text = String(digits).padStart(5, '0');
  return `${text.slice(0, -4)}.${text.slice(-4)}`;
}

/** The same requests to the reference server, which sends the body back as it came. */
export function echoWork(run: number, work: TransferWork): Workload {
  const transfers = transferWork(run, work);
  return {
    ...transfers,
    check: (seq, { head, body }) =>
      missing(head, `req-${nameOf(run, seq)}`) ??
      missing(body, `"description":"${nameOf(run, seq)}"`) ??
      missing(body, `"value":"${amountOf(seq)}"`),
  };
}

/** Gives account n its opening balance out of the external account. */
export function fundWork(run: number, work: Work & { kind: 'fund' }): Workload {
  const asked = (seq: number): Transfer => ({
    name: nameOf(run, seq),
    source: '@external/BRL',
    target: aliasOf(seq),
    amount: work.amount,
  });
  return {
    status: 201,
    keep: () => false,
    text: (seq) => transferText(work.ledgerPath, requestId(run, seq), asked(seq)),
    check: (seq, answer) => wrongTransfer(asked(seq), answer, seq % DEEP_EVERY === 0),
  };
}

export type Transfer = Readonly<{ name: string; source: string; target: string; amount: string }>;

export function transferBody({ name, source, target, amount }: Transfer): string {
  const sum = `{"asset":"BRL","value":"${amount}"}`;
  return (
    `{"description":"${name}","send":{"asset":"BRL","value":"${amount}",` +
    `"source":{"from":[{"accountAlias":"${source}","amount":${sum}}]},` +
    `"distribute":{"to":[{"accountAlias":"${target}","amount":${sum}}]}}}`
  );
}

export const SEED = 20_260_105;

function transferText(ledgerPath: string, headers: string, transfer: Transfer): string {
  const key = `X-Idempotency: ${transfer.name}\r\n`;
  return post(`${ledgerPath}/transactions/json`, headers + key, transferBody(transfer));
}

function wrongTransfer(asked: Transfer, { head, body }: Answer, deep: boolean): string | undefined {
  return (
    missing(head, `req-${asked.name}`) ??
    missing(body, `"description":"${asked.name}"`) ??
    missing(body, `"amount":"${asked.amount}"`) ??
    missing(body, `"source":["${asked.source}"]`) ??
    missing(body, `"destination":["${asked.target}"]`) ??
    (deep ? wrongOperations(asked, operationsIn(body)) : undefined)
  );
}

export type Side = Readonly<{
  accountAlias: string;
  direction: string;
  amount: { value: string };
  balance: { version: number };
  balanceAfter: { version: number };
}>;

const operationsIn = (body: string): readonly Side[] =>
  (JSON.parse(body) as { operations: readonly Side[] }).operations;

export function wrongOperations(asked: Transfer, operations: readonly Side[]): string | undefined {
  if (operations.length !== 2) return `has ${String(operations.length)} operations, not 2`;
  for (const { accountAlias, direction, amount, balance, balanceAfter } of operations) {
    const own = direction === 'debit' ? asked.source : asked.target;
    if (accountAlias !== own) return `moves ${accountAlias}, not ${own}`;
    if (amount.value !== asked.amount) return `moves ${amount.value}, not ${asked.amount}`;
    if (balanceAfter.version !== balance.version + 1) return `skips a version of ${own}`;
  }
  return undefined;
}
