import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import { wholeLegs, type BookedLedger } from './booked.ts';
import { linesOf, type AskedLine } from './lines.ts';
import type { Command } from './request.ts';
import { stopped } from './moments.ts';
import { mirrorOf, requestsOf } from './transaction-oracle.ts';

/** Whether an exception could not be used for what was asked, at some moment after `head`. */
export function justifiedException(
  command: Command,
  ledger: BookedLedger | undefined,
  head: number,
  now: string,
): string | undefined {
  if (ledger === undefined) return 'there is no ledger';
  const requests = requestsOf(command).filter((one) => one.accountBlockExceptionId !== undefined);
  const ids = requests.map((one) => one.accountBlockExceptionId);
  if (new Set(ids).size < ids.length) return undefined; // One of a batch may use up what the next one names.
  const asked: Named[] = requests.map((one) => {
    return { id: one.accountBlockExceptionId, debits: linesOf(one) };
  });
  if (command.type === 'CommitTransaction' || command.type === 'RevertTransaction') {
    const member = ledger.transactions.get(command.transactionId)?.images.at(-1)?.record;
    const lines = command.type === 'RevertTransaction' ? mirrorOf : heldBy;
    asked.push({ id: command.accountBlockExceptionId, debits: member ? lines(member) : [] });
  }
  const isJust = asked.some(({ id, debits }) => {
    return id !== undefined && justifiedUse(id, ledger, head, { now, debits }) === undefined;
  });
  return isJust ? undefined : 'its exception could be used';
}

type Named = Readonly<{ id: string | undefined; debits: readonly AskedLine[] }>;
type Asked = Readonly<{ now: string; debits: readonly AskedLine[] }>;

export function justifiedUse(
  id: string,
  { exceptions }: BookedLedger,
  head: number,
  { now, debits }: Asked,
): string | undefined {
  const exception = exceptions.get(id);
  if (exception === undefined || exception.grantedAt > head) return undefined;
  const { usedAt, expiresAt, kept, alias, amount } = exception;
  const isGone = usedAt !== undefined || expiresAt <= now;
  if (isGone || stopped(kept, head, ({ by }) => by !== undefined)) return undefined;
  const [debit, ...others] = debits.filter((line) => {
    return line.side === 'source' && line.alias === alias;
  });
  const fits = others.length === 0 && debit?.amount === amount;
  return fits ? 'the exception could be used' : undefined;
}

/** What a hold will give. */
export function heldBy({ operations }: TransactionRecord): readonly AskedLine[] {
  const type = operations[0]?.type; // What holds comes first, however it is booked.
  return wholeLegs(operations)
    .filter(({ operation }) => operation.type === type && operation.direction === 'debit')
    .map(({ operation: { accountAlias: alias }, whole: amount }) => {
      return { side: 'source', alias, amount };
    });
}
