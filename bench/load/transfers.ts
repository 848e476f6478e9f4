import type { Answer } from './connection.ts';
import { pairsOf } from './distribution.ts';
import type { TransferWork, Work } from './job.ts';
import { aliasOf, amountOf, nameOf } from './names.ts';
import { missing, post } from './text.ts';
import { isKept, type Workload } from './workload.ts';

export type Transfer = Readonly<{ name: string; source: string; target: string; amount: string }>;

/** The nth transfer of a run, by its number: generator and audit both derive it, and neither remembers any. */
export function transfersOf(
  run: number,
  { distribution, accounts }: Pick<TransferWork, 'distribution' | 'accounts'>,
): (seq: number) => Transfer {
  const { source, target } = pairsOf(distribution, accounts, SEED + run);
  const aliases = Array.from({ length: accounts }, (_, account) => aliasOf(account));
  return (seq) => ({
    name: nameOf(run, seq),
    source: aliases[source(seq)]!,
    target: aliases[target(seq)]!,
    amount: amountOf(seq),
  });
}

/** Two-leg transfers, each with its own key, request id and description. */
export function transferWork(run: number, work: TransferWork): Workload {
  const transfer = transfersOf(run, work);
  const authorization = work.token === undefined ? '' : `Authorization: Bearer ${work.token}\r\n`;
  return {
    status: 201,
    keep: isKept,
    text: (seq) => transferText(work.ledgerPath, authorization, transfer(seq)),
    check: (seq, answer) => wrongTransfer(transfer(seq), answer),
  };
}

/** Sends the transfers of `transferWork` to a ledger whose fee package charges each one FEE_PERCENTAGE on top. */
export function chargedTransferWork(run: number, work: TransferWork): Workload {
  const transfer = transfersOf(run, work);
  return {
    ...transferWork(run, work),
    check(seq, { head, body }) {
      const { name, source, target, amount } = transfer(seq);
      return (
        missing(head, `req-${name}`) ??
        missing(body, `"description":"${name}"`) ??
        missing(body, `"amount":"${withFee(amount)}"`) ??
        missing(body, `"source":["${source}",`) ??
        missing(body, `"destination":["${target}","${FEE_ALIAS}"]`) ??
        missing(body, '"feeApplied":"true"')
      );
    },
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

/** Sends the requests of transferWork to a reference, which responds to all of them alike, or sends them back. */
export function referenceWork(run: number, work: TransferWork): Workload {
  return {
    ...transferWork(run, work),
    check: (_, { body }) => missing(body, '"description":'),
  };
}

/** Gives account n its opening balance out of the external account. */
export function fundWork(run: number, work: Work & { kind: 'fund' }): Workload {
  const transfer = (seq: number): Transfer => ({
    name: nameOf(run, seq),
    source: '@external/BRL',
    target: aliasOf(seq),
    amount: work.amount,
  });
  return {
    status: 201,
    keep: isKept,
    text: (seq) => transferText(work.ledgerPath, '', transfer(seq)),
    check: (seq, answer) => wrongTransfer(transfer(seq), answer),
  };
}

export function transferBody({ name, source, target, amount }: Transfer): string {
  const sum = `{"asset":"BRL","value":"${amount}"}`;
  return (
    `{"description":"${name}","send":{"asset":"BRL","value":"${amount}",` +
    `"source":{"from":[{"accountAlias":"${source}","amount":${sum}}]},` +
    `"distribute":{"to":[{"accountAlias":"${target}","amount":${sum}}]}}}`
  );
}

const SEED = 20_260_105;

function transferText(ledgerPath: string, headers: string, transfer: Transfer): string {
  const { name } = transfer;
  const named = `X-Request-Id: req-${name}\r\nX-Idempotency: ${name}\r\n${headers}`;
  return post(`${ledgerPath}/transactions/json`, named, transferBody(transfer));
}

function wrongTransfer(asked: Transfer, { head, body }: Answer): string | undefined {
  return (
    missing(head, `req-${asked.name}`) ??
    missing(body, `"description":"${asked.name}"`) ??
    missing(body, `"amount":"${asked.amount}"`) ??
    missing(body, `"source":["${asked.source}"]`) ??
    missing(body, `"destination":["${asked.target}"]`) ??
    wrongOperations(asked, operationsIn(body))
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
