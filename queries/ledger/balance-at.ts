import { bornAt } from '#projections/projection.ts';
import { movementsOf, transactionProjection } from '#projections/ledger/transaction.ts';
import { NONE, type Revision } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { JournalName } from '#src/kernel/journal-name.ts';
import type { BalanceRecord, BalanceState } from '#src/events/ledger/account.ts';
import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import type { EventMetadata } from '#src/kernel/event-metadata.ts';
import type { Services } from '#src/http/services.ts';
import type { ListPosition } from '#src/ports/page.ts';
import type { ReadStore } from '#src/ports/read-store.ts';

/**
 * Returns the last revision of a journal that was recorded by an instant, or NONE before its first. Events of a journal
 * have ascending times, so this is a binary search: about fifty reads in a journal of millions.
 */
export async function revisionAt(
  log: Services['log'],
  journal: JournalName,
  at: Instant,
): Promise<Revision> {
  const isAfter = async (revision: Revision): Promise<boolean> => {
    const time = await timeOf(log, journal, revision);
    return time === undefined || time > at;
  };
  let before: Revision = NONE;
  let after = 1;
  while (!(await isAfter(after))) {
    before = after;
    after *= 2;
  }
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (await isAfter(middle)) after = middle;
    else before = middle;
  }
  return before;
}

/** Returns when an event was recorded; the event must exist. */
export async function recordedAt(
  log: Services['log'],
  journal: JournalName,
  revision: Revision,
): Promise<Instant> {
  const time = await timeOf(log, journal, revision);
  if (time === undefined) throw new Error(`${journal} has no revision ${revision}`);
  return time;
}

async function timeOf(
  log: Services['log'],
  journal: JournalName,
  revision: Revision,
): Promise<Instant | undefined> {
  const [event] = await log.read(journal, revision, 1);
  return event && (JSON.parse(event.metadata) as EventMetadata).recordedAt;
}

/** The state of a balance after an operation, and the revision that recorded it. */
export type BalanceAt = Readonly<{ state: BalanceState; revision: Revision }>;

/**
 * Returns the state that the last operation up to a revision left; undefined if nothing had moved the balance. It reads
 * one entry, however many operations there were.
 */
export async function stateAt(
  reads: Pick<ReadStore, 'listEntries'>,
  { id, accountId }: BalanceRecord,
  upTo: Revision,
): Promise<BalanceAt | undefined> {
  const [entry] = await reads.listEntries(transactionProjection.collection, {
    at: movementsOf(accountId, id),
    order: 'desc',
    after: bornAt(upTo + 1),
    limit: 1,
  });
  if (entry === undefined) return undefined;
  const { operations } = JSON.parse(entry.body) as TransactionRecord;
  const operation = operations[entry.ordinal - 1];
  if (operation === undefined) throw new Error(`${id} has no operation ${entry.ordinal}`);
  return { state: operation.balanceAfter, revision: revisionOf(entry.entryBorn) };
}

const revisionOf = (born: ListPosition): Revision => Math.floor(Number(born) / bornAt(1));
