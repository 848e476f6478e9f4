import { expect } from 'chai';
import fc from 'fast-check';
import { besides, movementsOf, transactionProjection } from '#projections/ledger/transaction.ts';
import { OPERATION, type WantedOperations } from '#queries/ledger/operation-text.ts';
import { TRANSACTION_V2 } from '#queries/ledger/renderers.ts';
import { openLoggedBodies } from '#src/adapters/embedded/logged-bodies.ts';
import { openEmbeddedReadStore } from '#src/adapters/embedded/read-store.ts';
import { openEmbeddedReadStoreWriter } from '#src/adapters/embedded/read-store-writer.ts';
import { bodiesFromLog } from '#src/bootstrap/bodies-from-log.ts';
import { READ_WORKER } from '#src/bootstrap/stores.ts';
import { partId } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { OperationRecord, TransactionRecord } from '#src/events/ledger/transaction.ts';
import { START, type Position } from '#src/ports/event-store.ts';
import type { Page } from '#src/ports/page.ts';
import type { Change, Condition, ReadStore } from '#src/ports/read-store.ts';
import { dataFolders, newUuid } from '#test/contracts/samples.ts';
import { anyTransaction } from '#test/support/any-transaction.ts';
import { LEDGER } from '#test/support/ledger-samples.ts';
import { openTestLog } from '#test/support/log-backed.ts';
import { nthId } from '#test/support/stamps.ts';
import { transactionId } from '#test/support/transaction-samples.ts';

const { collection, on } = transactionProjection;
const TYPES = ['TransactionHeld', 'TransactionCommitted', 'TransactionUpdated'] as const;
const DAYS = ['2026-01-01', '2026-01-02', '2026-01-03'] as const;

/** Draws the events of a few transactions, in any order: each event has the whole of one. */
const events = fc.array(
  fc.record({
    transaction: anyTransaction,
    which: fc.nat(9),
    type: fc.constantFrom(...TYPES),
    day: fc.constantFrom(...DAYS),
    tier: fc.constantFrom('gold', 'a"b', 7, undefined),
  }),
  { minLength: 20, maxLength: 60 },
);
type Happened = typeof events extends fc.Arbitrary<infer All> ? All : never;

/** The transactions of a ledger in two stores: one keeps their bodies, the other reads them from the log. */
describe('lists of log-backed rows', () => {
  const newFolder = dataFolders();

  it('are those of a store that keeps bodies, with every filter', async function () {
    this.timeout(120_000);
    await fc.assert(
      fc.asyncProperty(events, async (all) => {
        const folders = [newFolder(), newFolder()] as const;
        await write(folders[0], all, false);
        await write(folders[1], all, true);
        const lists = folders.map(async (dir) => {
          const store = openEmbeddedReadStore(dir, READ_WORKER, { budgetMs: 30_000 });
          return everyList(store, all).finally(() => store.close());
        });
        const [kept, logged] = await Promise.all(lists);
        expect(logged).to.deep.equal(kept);
      }),
      { numRuns: 4, endOnFailure: true },
    );
  });
});

async function write(dir: string, all: Happened, logBacked: boolean): Promise<void> {
  const log = openTestLog(dir);
  const bodies = openLoggedBodies(dir, bodiesFromLog);
  const writer = openEmbeddedReadStoreWriter(dir, logBacked ? { bodies } : {});
  await writer.open(newUuid(), [collection]);
  const operations = new Map<number, readonly OperationRecord[]>();
  for (const [n, happened] of all.entries()) {
    const position = String(n + 1).padStart(16, '0') as Position;
    const data = { transaction: recordOf(happened, operations), changed: [] };
    const text = JSON.stringify(n % 2 === 0 ? { transaction: data.transaction } : data);
    log.append(position, text);
    const event = { data, text, tenantId: 'default', revision: n, position };
    const changes = on[happened.type]!(event as never).map(
      (change) => ({ position, ...change }) as Change,
    );
    await writer.apply([{ collection: collection.name, changes, checkpoint: START }]);
  }
  await writer.close();
  log.close();
  bodies.close();
}

/** An event adds operations to those that its transaction had; every other one has a date of its own. */
function recordOf(
  { transaction, which, day, tier }: Happened[number],
  earlier: Map<number, readonly OperationRecord[]>,
): TransactionRecord {
  const createdAt = `${DAYS[which % 3]!}T12:00:00.000001Z` as Instant;
  const bookedAt = `${day}T12:00:00.000002Z` as Instant;
  const id = transactionId(String(which));
  const before = earlier.get(which) ?? [];
  const added = transaction.operations.map((operation, i): OperationRecord => {
    const n = before.length + i;
    const accountId = ACCOUNTS[n % 3]!;
    const own = { id: partId(id, n + 1), accountId, balanceId: partId(accountId, 1 + (n % 2)) };
    return { ...operation, ...own, ...(n % 2 === 1 && { createdAt: bookedAt }) };
  });
  const operations = [...before, ...added];
  earlier.set(which, operations);
  const metadata = tier === undefined ? {} : { metadata: { tier } };
  return { ...transaction, id, operations, createdAt, ...metadata };
}

const ACCOUNTS = [1, 2, 3].map((n) => nthId(0x1_0000 * n));

const FILTERS: readonly (readonly Condition[])[] = [
  [],
  [{ key: 'createdAt', from: `${DAYS[1]}T00:00:00.000000Z` }],
  [{ key: 'createdAt', to: `${DAYS[1]}T12:00:00.000001Z` }],
  [{ key: 'createdAt', is: `${DAYS[2]}T12:00:00.000001Z` }],
  [{ metadata: 'tier', is: 'gold' }],
  [{ metadata: 'tier', is: 'a"b' }],
  [{ metadata: 'tier', is: '7' }],
  [{ mentions: 'gold' }, { key: 'createdAt', from: `${DAYS[0]}T12:00:00.000002Z` }],
];
const FACTS: readonly (readonly Condition[])[] = [
  [{ key: 'type', is: 'DEBIT' }],
  [{ key: 'type', in: ['CREDIT', 'BLOCK'] }],
  [{ key: 'type', prefix: 'C' }],
  [{ key: 'direction', is: null }],
  [{ key: 'direction', is: 'credit' }],
];

/** Everything that a list can be asked for. */
async function everyList(store: ReadStore, all: Happened): Promise<unknown[]> {
  const found: unknown[] = [];
  const where = { tenantId: 'default', ledgerId: LEDGER };
  const keys = ACCOUNTS.flatMap((id) => [id, besides(id), movementsOf(id, partId(id, 2))]);
  for (const order of ['asc', 'desc'] as const) {
    for (const filters of FILTERS) {
      const listing = { where, filters, order, limit: 7 };
      found.push(
        await store.list(collection, listing),
        textOf(await store.page(collection, listing)),
      );
      found.push(textOf(await store.page(collection, { ...listing, as: TRANSACTION_V2, skip: 2 })));
    }
    for (const filters of [...FILTERS, ...FACTS]) {
      for (const at of keys) {
        found.push(await store.listEntries(collection, { at, filters, order, limit: 5 }));
      }
      for (const accountId of ACCOUNTS) {
        const wanted: WantedOperations = {
          ...{ version: 2, ledgerId: LEDGER, accountId, metadata: [] },
          ...{ routeId: undefined, routeCode: undefined },
        };
        const at = [accountId, besides(accountId)];
        const listing = { at, filters, order, limit: 100, as: OPERATION, wanted };
        found.push(textOf(await store.pageEntries(collection, listing)));
      }
    }
  }
  const ids = [...new Set(all.map(({ which }) => transactionId(String(which))))];
  for (const id of ids) found.push(await store.get(collection, { ...where, id }));
  const rows = await store.getAll(collection, ids, where);
  found.push(rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
  return found;
}

const textOf = ({ items, ...page }: Page) => [
  typeof items === 'string' ? items : new TextDecoder().decode(items),
  page,
];
