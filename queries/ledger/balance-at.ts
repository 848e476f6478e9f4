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

type Log = Services['log'];

/**
 * The last revision of a journal that had been recorded at an instant; NONE before its first. Events of a journal are
 * recorded one after the other, so their times are searched by halves: some fifty reads in a journal of millions.
 */
export async function revisionAt(log: Log, journal: JournalName, at: Instant): Promise<Revision> {
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

/** When an event that is there was recorded. */
export async function recordedAt(
  log: Log,
  journal: JournalName,
  revision: Revision,
): Promise<Instant> {
  const time = await timeOf(log, journal, revision);
  if (time === undefined) throw new Error(`${journal} has no revision ${revision}`);
  return time;
}

async function timeOf(
  log: Log,
  journal: JournalName,
  revision: Revision,
): Promise<Instant | undefined> {
  const [event] = await log.read(journal, revision, 1);
  return event && (JSON.parse(event.metadata) as EventMetadata).recordedAt;
}

/** What an operation left of its balance, and where it was recorded. */
export type BalanceAt = Readonly<{ state: BalanceState; revision: Revision }>;

/**
 * What the last operation of a balance up to a revision left; undefined when nothing had moved it. One entry is read,
 * however many operations there were.
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
