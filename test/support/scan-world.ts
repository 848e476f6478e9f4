import type { AddressInfo } from 'node:net';
import { ledgerProjection } from '#projections/ledger/ledger.ts';
import { organizationProjection } from '#projections/ledger/organization.ts';
import { transactionProjection } from '#projections/ledger/transaction.ts';
import { operationReadRoutes } from '#queries/ledger/operation.ts';
import { transactionReadRoutes } from '#queries/ledger/transaction.ts';
import { createExistence } from '#src/http/existence.ts';
import { openLoggedBodies } from '#src/adapters/embedded/logged-bodies.ts';
import { openEmbeddedReadStore } from '#src/adapters/embedded/read-store.ts';
import { openEmbeddedReadStoreWriter } from '#src/adapters/embedded/read-store-writer.ts';
import { systemClock, systemIds, systemScheduler } from '#src/adapters/system.ts';
import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import { bothVersions } from '#src/components/mounts.ts';
import { mounted } from '#src/http/mounted.ts';
import { httpServer, type ServedServices } from '#src/http/server.ts';
import { START, type Position } from '#src/ports/event-store.ts';
import type { Change, ReadStoreWriter } from '#src/ports/read-store.ts';
import { bodiesFromLog } from '#src/bootstrap/bodies-from-log.ts';
import { openTestLog } from './log-backed.ts';
import { accountId, LEDGER, ORGANIZATION } from './ledger-samples.ts';
import { nthId } from './stamps.ts';
import { funded } from './transaction-samples.ts';
import { READ_WORKER } from '#src/bootstrap/stores.ts';

/** The log that the rows claim to be built from. */
const LOG = nthId(77);
const BATCH = 1000;

export type NthTransaction = (n: number) => TransactionRecord;

/**
 * Writes transactions into read.db as the projector would, a thousand at a time, beside a log that has no more than
 * their bodies: hundreds of thousands of operations take seconds.
 */
export async function writeTransactions(
  dir: string,
  count: number,
  nth: NthTransaction = oneTransfer,
): Promise<void> {
  const { collection, on } = transactionProjection;
  const project = on['TransactionHeld']!; // It takes any transaction whole.
  const log = openTestLog(dir);
  const writer = openEmbeddedReadStoreWriter(dir, { bodies: openLoggedBodies(dir, bodiesFromLog) });
  const parents = [organizationProjection.collection, ledgerProjection.collection];
  await writer.open(LOG, [...parents, collection]);
  for (let from = 1; from <= count; from += BATCH) {
    const changes: Change[] = [];
    for (let n = from; n < from + BATCH && n <= count; n += 1) {
      const data = { transaction: nth(n) };
      const text = JSON.stringify(data);
      const position = positionAt(n);
      const event = { data, text, tenantId: 'default', revision: n, position };
      log.append(position, text);
      for (const write of project(event as never)) changes.push({ position, ...write } as Change);
    }
    await writer.apply([{ collection: collection.name, changes, checkpoint: START }]);
  }
  await writeParents(writer);
  await writer.close();
  log.close();
}

async function writeParents(writer: ReadStoreWriter): Promise<void> {
  const of = (collection: string, id: string, keys: Readonly<Record<string, string>>) => {
    const put = { id, born: '1', keys: { tenantId: 'default', ...keys }, body: '{}' };
    const changes = [{ position: positionAt(1), put }];
    return { collection, changes, checkpoint: START };
  };
  await writer.apply([
    of(organizationProjection.collection.name, ORGANIZATION, {}),
    of(ledgerProjection.collection.name, LEDGER, { organizationId: ORGANIZATION }),
  ]);
}

/** 500 from outside to one account, always the same, with metadata. */
export const oneTransfer: NthTransaction = (n) => {
  const common = n.toString(16).padStart(8, '0');
  return JSON.parse(
    SAMPLE.replaceAll(SAMPLE_ID, `${SAMPLE_ID.slice(0, -8)}${common}`),
  ) as TransactionRecord;
};

export const BUSY = accountId('@busy');

const event = funded('@busy', 1, { metadata: { invoice: 'one of many', kind: 'sale' } });
const sample = (event.data as { transaction: TransactionRecord }).transaction;
/** Without the digits by which its parts differ. */
const SAMPLE_ID = sample.id.slice(0, -4);
const SAMPLE = JSON.stringify({
  ...sample,
  operations: sample.operations.map((one) => ({ ...one, metadata: { channel: 7, ref: 'r' } })),
});

const positionAt = (n: number): Position => String(n).padStart(16, '0') as Position;

/** Lists of transactions and operations over HTTP, from the rows in a folder. */
export async function serveReads(dir: string) {
  const reads = openEmbeddedReadStore(dir, READ_WORKER);
  const progress = { reached: async () => {} }; // Nothing was written that a read could miss.
  const existence = createExistence({ reads, progress }, systemScheduler);
  const server = httpServer({
    routes: [...transactionReadRoutes, ...operationReadRoutes].flatMap((one) =>
      mounted(one, bothVersions),
    ),
    services: { reads, progress, existence, logId: LOG } as unknown as ServedServices,
    ids: systemIds(),
    clock: systemClock,
    about: {
      ...{ version: 'v0', programVersion: '0.0.0', commit: '', buildTime: '' },
      dirty: async () => false,
    },
    bounds: { limitMax: 100, windowMonthsMax: 1200 },
    allowedOrigins: 'loopback',
    allowedHosts: [],
    memoryLimitBytes: 1024 ** 3, // Pages are bounded by themselves here.
    connectionsMax: 1000,
  });
  const { port }: AddressInfo = await server.listen(0, '127.0.0.1');
  const base = `/v1/organizations/${ORGANIZATION}/ledgers/${LEDGER}`;
  return {
    port,
    transactions: `${base}/transactions`,
    operations: `${base}/accounts/${BUSY}/operations`,
    async close() {
      await server.close();
      await reads.close();
    },
  };
}
