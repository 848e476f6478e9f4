import { bornAt } from '#projections/projection.ts';
import { transactionProjection } from '#projections/ledger/transaction.ts';
import { refuse } from '#src/domain/errors.ts';
import { NONE, type Revision, type Uuid } from '#src/domain/ids.ts';
import type { Instant } from '#src/domain/instant.ts';
import type { JournalName } from '#src/domain/journal-name.ts';
import type { BalanceState, TransactionRecord } from '#src/events/ledger.ts';
import type { EventMetadata } from '#src/events/metadata.ts';
import type { Services } from '#src/http/services.ts';
import type { Born, ReadStore } from '#src/ports/read-store.ts';

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
export type Then = Readonly<{ state: BalanceState; revision: Revision }>;

/**
 * By balance id, what the last operations up to a revision left. The account's entries are read backwards from there:
 * mostly the first one answers. Balances that nothing had moved are left out. Errors: Refusal UNAVAILABLE when too
 * many operations of the account's other balances stand before.
 */
export async function statesAt(
  reads: Pick<ReadStore, 'listEntries'>,
  accountId: Uuid,
  wanted: ReadonlySet<Uuid>,
  upTo: Revision,
): Promise<ReadonlyMap<Uuid, Then>> {
  const found = new Map<Uuid, Then>();
  let after: Born = bornAt(upTo + 1);
  let limit = ENTRIES_FIRST;
  for (let read = 0; read < ENTRIES_MAX; read += limit) {
    const entries = await reads.listEntries(transactionProjection.collection, {
      at: accountId,
      order: 'desc',
      after,
      limit,
    });
    for (const { body, ordinal, entryBorn } of entries) {
      const operation = (JSON.parse(body) as TransactionRecord).operations[ordinal - 1];
      if (operation === undefined) throw new Error(`${accountId} has no operation ${ordinal}`);
      const { balanceId, balanceAffected, balanceAfter } = operation;
      const moves = balanceAffected !== false && wanted.has(balanceId) && !found.has(balanceId);
      if (moves) found.set(balanceId, { state: balanceAfter, revision: revisionOf(entryBorn) });
      after = entryBorn;
    }
    if (entries.length < limit || found.size === wanted.size) return found;
    limit = ENTRIES_MORE;
  }
  throw refuse('UNAVAILABLE', 'Too much has happened to the account since that balance moved.');
}

const revisionOf = (born: Born): Revision => Math.floor(Number(born) / bornAt(1));

const ENTRIES_FIRST = 4;
const ENTRIES_MORE = 100;
const ENTRIES_MAX = 100_000;
