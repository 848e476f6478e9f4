import type { GroupPartEvent } from '#src/events/ledger/group.ts';
import type { BlockExceptionRecord } from '#src/events/ledger/account.ts';
import type { TransactionEvent, TransactionRecord } from '#src/events/ledger/transaction.ts';
import { units, wholeLegs, type BookedException, type BookedLedger } from './booked.ts';
import { assertThat } from './log-oracle.ts';

export function bookGrants(
  { exceptions, accounts, journal }: BookedLedger,
  granted: readonly BlockExceptionRecord[],
  grantedAt: number,
): void {
  for (const { id, accountAlias: alias, amount, expiresAt } of granted) {
    assertThat(
      accounts.has(alias) && !exceptions.has(id),
      `${journal}: an exception ${id} for ${alias}`,
    );
    const kept = [{ revision: grantedAt, by: undefined }];
    exceptions.set(id, { id, alias, amount: units(amount), expiresAt, grantedAt, kept });
  }
}

/**
 * Books what an event does to exceptions: each is used once, in its time, for one debit of its very amount; by a group
 * when that is posted, and until then it is kept for it. Answers the account whose debits pass.
 */
export function bookException(
  ledger: BookedLedger,
  event: TransactionEvent | GroupPartEvent,
  revision: number,
  recordedAt: string,
): string | undefined {
  if (event.type === 'TransactionUpdated' || event.type === 'OperationUpdated') return undefined;
  const { groupId } = event.data.transaction;
  const id =
    'accountBlockExceptionId' in event.data ? event.data.accountBlockExceptionId : undefined;
  const at = `${ledger.journal} revision ${revision}, ${event.type} by exception ${id ?? 'none'}`;
  const kept = groupId === undefined ? undefined : keptFor(ledger, groupId);
  const exception = ledger.exceptions.get(id ?? '');
  assertThat(id === undefined || exception !== undefined, `${at}: nobody granted it`);
  if (groupId !== undefined && isPosted(event)) {
    assertThat(exception === kept, `${at}: ${kept?.id ?? 'none'} was kept for its group`);
    if (exception !== undefined) use(exception, revision, at);
    return undefined;
  }
  kept?.kept.push({ revision, by: undefined });
  if (exception === undefined) return undefined;
  assertThat(exception.usedAt === undefined, `${at}: it was used at ${exception.usedAt ?? -1}`);
  assertThat(exception.kept.at(-1)?.by === undefined, `${at}: it is kept for another group`);
  assertThat(recordedAt < exception.expiresAt, `${at}: it ended at ${exception.expiresAt}`);
  checkFits(exception, event, at);
  if (groupId === undefined) use(exception, revision, at);
  else exception.kept.push({ revision, by: groupId });
  return exception.alias;
}

function checkFits(
  { alias, amount }: BookedException,
  event: TransactionEvent | GroupPartEvent,
  at: string,
): void {
  const { operations, awaiting = [] } = event.data.transaction as TransactionRecord;
  const step =
    'stepOperations' in event.data ? operations.slice(-event.data.stepOperations) : operations;
  const booked = wholeLegs(step).map(({ operation: { direction, accountAlias }, whole }) => {
    return { direction, accountAlias, whole };
  });
  const unheld = awaiting.map((leg) => ({ ...leg, whole: units(leg.amount) }));
  const [debit, ...others] = [...booked, ...unheld].filter(
    (leg) => leg.direction === 'debit' && leg.accountAlias === alias,
  );
  const fits = others.length === 0 && debit?.whole === amount;
  assertThat(fits, `${at}: it lets one debit of ${amount} pass`);
}

function use(exception: BookedException, revision: number, at: string): void {
  assertThat(exception.usedAt === undefined, `${at}: it was used at ${exception.usedAt ?? -1}`);
  exception.usedAt = revision;
}

const isPosted = ({ type }: TransactionEvent | GroupPartEvent): boolean =>
  type === 'TransactionPosted' || type === 'TransactionCommitted';

const keptFor = ({ exceptions }: BookedLedger, groupId: string): BookedException | undefined =>
  [...exceptions.values()].find(
    ({ kept, usedAt }) => usedAt === undefined && kept.at(-1)?.by === groupId,
  );
