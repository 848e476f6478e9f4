import type {
  TransactionCommand,
  TransactionRequest,
} from '#commands/ledger/transaction/commands.ts';
import type { RefusalName } from '#src/kernel/errors.ts';
import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import {
  asOf,
  imageOf,
  units,
  wholeLegs,
  type BookedAccount,
  type BookedLedger,
  type BookedTransaction,
} from './booked.ts';
import { isOneWay, justifiedByRoutes } from './route-oracle.ts';
import { linesOf, type AskedLine } from './lines.ts';
import type { Command } from './request.ts';
import { isAwaited, stopped } from './moments.ts';

/**
 * Whether what was refused of a transaction could not be had at some moment after `head`. Answers undefined, or
 * what speaks against it.
 */
export function justifiedOfTransaction(
  refusal: RefusalName,
  command: Command,
  ledger: BookedLedger | undefined,
  head: number,
): string | undefined {
  if (ledger === undefined) return 'there is no ledger';
  if ('transactionId' in command) {
    const transaction = ledger.transactions.get(command.transactionId);
    return justifiedOfOld(refusal, command, transaction, ledger, head);
  }
  const requests = requestsOf(command);
  if (requests.length === 0) return 'nobody expects that';
  const byRoutes = justifiedByRoutes(refusal, command, ledger, head);
  if (byRoutes !== 'not by routes') return byRoutes;
  return requests.some((request) => couldNotBe(refusal, request, ledger, head))
    ? undefined
    : refusal === 'INSUFFICIENT_FUNDS' || refusal === 'OVERDRAFT_LIMIT'
      ? fundsWereThere(command, ledger, head)
      : 'nothing of what was asked deserves it';
}

type Addressed = Extract<TransactionCommand, Readonly<{ transactionId: string }>>;

function justifiedOfOld(
  refusal: RefusalName,
  command: Addressed,
  transaction: BookedTransaction | undefined,
  ledger: BookedLedger,
  head: number,
): string | undefined {
  const there = transaction !== undefined && (transaction.images[0]?.revision ?? 0) <= head;
  if (refusal === 'NOT_FOUND') {
    if (!there) return undefined;
    if (command.type !== 'UpdateOperation') return 'the transaction was there';
    const { operations } = asOf(transaction.images, head).record;
    const has = operations.some(({ id }) => id === command.operationId);
    return has ? 'the operation was there' : undefined;
  }
  if (transaction === undefined) return 'there is no such transaction';
  const { record } = imageOf(transaction);
  switch (refusal) {
    case 'STATUS_NOT_ALLOWED': {
      if (command.type === 'CommitTransaction' || command.type === 'CancelTransaction') {
        return record.status === 'PENDING' ? 'it was and is pending' : undefined;
      }
      const before = asOf(transaction.images, head).record.status;
      if (command.type !== 'RevertTransaction') return 'its status does not matter';
      return before === 'APPROVED' ? 'it was settled' : undefined;
    }
    case 'GROUP_MEMBER':
      return record.groupId === undefined ? 'it is in no group' : undefined;
    case 'ROUTE_NOT_BIDIRECTIONAL':
      return isOneWay(ledger, record) ? undefined : 'it was booked by routes for both sides';
    case 'REVERTED_ALREADY':
      return transaction.revertedAt === undefined ? 'nobody reverted it' : undefined;
    case 'REVERSAL_OF_REVERSAL':
      return record.parentTransactionId === undefined ? 'it is no reversal' : undefined;
    case 'ACCOUNTS_NOT_ELIGIBLE': {
      const { operations, awaiting = [] } = asOf(transaction.images, head).record;
      const lines = [...operations, ...awaiting];
      const lost = lines.some((line) => isLost(line.accountAlias, ledger, head));
      return lost ? undefined : 'all of its balances were there';
    }
    case 'OVERDRAFT_LIMIT':
    case 'INSUFFICIENT_FUNDS': {
      if (command.type === 'RevertTransaction') {
        return wereThere([{ lines: mirrorOf(record), pending: false }], ledger, head);
      }
      if (command.type !== 'CommitTransaction') return 'no funds are asked for';
      // A commit asks for the funds of the debit balances that it credits.
      const before = asOf(transaction.images, head).record;
      return wereThere([{ lines: receivedBy(before), pending: false }], ledger, head);
    }
    default:
      return 'nobody expects that';
  }
}

/** Whether an account had no default balance at some moment after `head`. */
export const isLost = (alias: string, ledger: BookedLedger, head: number): boolean => {
  const account = ledger.accounts.get(alias);
  if (account === undefined || account.openedAt > head) return true;
  return stopped(account.standings, head, ({ live }) => !live);
};

/** What a commit credits. */
export const receivedBy = ({ awaiting = [] }: TransactionRecord): readonly AskedLine[] =>
  awaiting
    .filter(({ direction }) => direction !== 'debit')
    .map(({ accountAlias, amount }): AskedLine => {
      return { side: 'destination', alias: accountAlias, amount: units(amount) };
    });

/** What a reversal moves. */
export function mirrorOf({ operations }: TransactionRecord): readonly AskedLine[] {
  const moved = wholeLegs(operations).filter(
    ({ operation: { type } }) => type !== 'ON_HOLD' && type !== 'RELEASE',
  );
  return moved.map(({ operation, whole }): AskedLine => {
    const side = operation.direction === 'credit' ? 'source' : 'destination';
    return { side, alias: operation.accountAlias, amount: whole };
  });
}

export function requestsOf(command: Command): readonly TransactionRequest[] {
  if (command.type === 'PostTransaction') return [command.request];
  return command.type === 'PostTransactions' ? command.requests : [];
}

export function couldNotBe(
  refusal: RefusalName,
  request: TransactionRequest,
  ledger: BookedLedger,
  head: number,
): boolean {
  const lines = linesOf(request);
  switch (refusal) {
    case 'ACCOUNTS_NOT_ELIGIBLE':
      return lines.some(({ alias }) => isLost(alias, ledger, head));
    case 'ASSET_NOT_FOUND':
      return lines.some(({ alias }) => {
        const asset = ledger.accounts.get(alias)?.asset;
        return asset !== undefined && asset !== request.send.asset;
      });
    case 'ACCOUNT_ON_BOTH_SIDES':
      return new Set(lines.map(({ alias }) => alias)).size < lines.length;
    case 'EXTERNAL_SOURCE_PENDING':
      return (
        request.pending === true &&
        lines.some(({ side, alias }) => side === 'source' && alias.startsWith('@external/'))
      );
    default:
      return false;
  }
}

/** Only a usual transaction may be pending. */
const fundsWereThere = (
  command: Command,
  ledger: BookedLedger,
  head: number,
): string | undefined => {
  const isUsual = command.type !== 'PostTransaction' || command.as === undefined;
  const steps = requestsOf(command).map((request) => ({
    lines: linesOf(request),
    pending: request.pending === true && isUsual,
  }));
  return wereThere(steps, ledger, head);
};

type Step = Readonly<{ lines: readonly AskedLine[]; pending: boolean }>;

/** Plays the steps one after the other as things stood at every moment since then. */
export function wereThere(
  steps: readonly Step[],
  ledger: BookedLedger,
  head: number,
): string | undefined {
  const aliases = new Set(steps.flatMap(({ lines }) => lines.map(({ alias }) => alias)));
  const accounts = [...aliases].flatMap((alias) => ledger.accounts.get(alias) ?? []);
  // What a part of a group is going to credit to a debit balance is nobody else's to credit.
  const isKept = ({ standings, alias }: BookedAccount): boolean =>
    standings.some(({ direction }) => direction === 'debit') && isAwaited(ledger, alias, head);
  if (accounts.some((account) => !account.external && isKept(account))) return undefined;
  const moments = new Set([head]);
  for (const { standings, allowances } of accounts) {
    for (const { revision } of [...standings, ...allowances]) {
      if (revision > head) moments.add(revision);
    }
  }
  const short = [...moments].some((moment) => {
    const left = new Map(
      accounts
        .filter(({ external }) => !external)
        .flatMap((account) => {
          const left = leftOf(account, moment);
          return left === undefined ? [] : [[account.alias, left] as const];
        }),
    );
    return steps.some((step) => fallsShort(step, left));
  });
  return short ? undefined : 'the funds were there';
}

type Left = Readonly<{ amount: bigint; mirrored: boolean }>;

/**
 * What an account could give at a moment, its overdraft included, or a debit balance could receive; undefined for any
 * amount.
 */
function leftOf({ standings, allowances }: BookedAccount, moment: number): Left | undefined {
  const { available, onHold, owed, direction } = asOf(standings, moment);
  if (direction === 'debit') return { amount: available - onHold, mirrored: true };
  const { allowed, limit } = asOf(allowances, moment);
  if (!allowed) return { amount: available, mirrored: false };
  return limit === undefined ? undefined : { amount: available + limit - owed, mirrored: false };
}

/** A hold gives nothing to its destinations yet. */
function fallsShort({ lines, pending }: Step, left: Map<string, Left>): boolean {
  for (const { side, alias, amount } of lines) {
    const has = left.get(alias);
    if (has === undefined || (pending && side === 'destination')) continue;
    // A hold raises what a debit balance has and what it keeps alike.
    if (pending && has.mirrored) continue;
    const falls = (side === 'source') !== has.mirrored;
    left.set(alias, { ...has, amount: falls ? has.amount - amount : has.amount + amount });
  }
  return [...left.values()].some(({ amount }) => amount < 0n);
}
