import { accountProjection } from '#projections/ledger/account.ts';
import { ledgerProjection } from '#projections/ledger/ledger.ts';
import { organizationProjection } from '#projections/ledger/organization.ts';
import { transactionProjection } from '#projections/ledger/transaction.ts';
import { openEmbeddedReadStoreWriter } from '#src/adapters/embedded/read-store-writer.ts';
import type { TransactionRecord } from '#src/events/transaction.ts';
import { START, type Position } from '#src/ports/event-store.ts';
import type { Rows } from '#src/ports/projection.ts';
import type { Change, CollectionSpec } from '#src/ports/read-store.ts';
import { LEDGER, ORGANIZATION } from './ledger-samples.ts';
import { funded } from './transaction-samples.ts';
import { nthId } from './stamps.ts';

/** The log that the rows of these files claim to be built from. */
export const SCAN_LOG = nthId(77);
export const SCAN_COLLECTIONS: readonly CollectionSpec[] = [
  organizationProjection.collection,
  ledgerProjection.collection,
  accountProjection.collection,
  transactionProjection.collection,
];

/** A record that differs from the others of its kind in its id alone: `n` in its last digits. */
export type Nth = (n: number) => TransactionRecord;

/**
 * Writes transactions into read.db as the projector would, a thousand at a time, without a log: a million operations
 * take seconds. `first` and the ids after it must be new to the file.
 */
export async function writeTransactions(
  dir: string,
  { count, first = 1, nth = oneTransfer }: Readonly<{ count: number; first?: number; nth?: Nth }>,
): Promise<void> {
  const writer = openEmbeddedReadStoreWriter(dir);
  await writer.open(SCAN_LOG, SCAN_COLLECTIONS);
  const { collection, on } = transactionProjection as Rows;
  const project = on['TransactionHeld']!;
  for (let from = first; from < first + count; from += BATCH) {
    const changes: Change[] = [];
    for (let n = from; n < Math.min(from + BATCH, first + count); n += 1) {
      const position = positionAt(n);
      const data = { transaction: nth(n) };
      const text = '';
      const event = { data, text, tenantId: 'default', revision: n, position } as never;
      for (const write of project(event)) changes.push({ position, ...write } as Change);
    }
    await writer.apply([{ collection: collection.name, changes, checkpoint: START }]);
  }
  if (first === 1) await writeParents(writer);
  await writer.close();
}

async function writeParents(writer: ReturnType<typeof openEmbeddedReadStoreWriter>): Promise<void> {
  const position = positionAt(99_999_999);
  const keys = { tenantId: 'default' };
  const put = (collection: string, id: string, more: Record<string, string>) => ({
    collection,
    changes: [{ position, put: { id, born: '00000001', keys: { ...keys, ...more }, body: '{}' } }],
    checkpoint: START,
  });
  await writer.apply([
    put(organizationProjection.collection.name, ORGANIZATION, {}),
    put(ledgerProjection.collection.name, LEDGER, { organizationId: ORGANIZATION }),
  ]);
}

/** 500 from outside to one account, always the same, with the words of a real one. */
export const oneTransfer: Nth = (n) => {
  const common = n.toString(16).padStart(8, '0');
  return JSON.parse(
    SAMPLE.replaceAll(SAMPLE_ID, `${SAMPLE_ID.slice(0, -8)}${common}`),
  ) as TransactionRecord;
};

const { id, ...sample } = (funded('@busy').data as { transaction: TransactionRecord }).transaction;
/** Without the digits by which its parts differ. */
const SAMPLE_ID = id.slice(0, -4);
const SAMPLE = JSON.stringify({ id, ...sample });

const positionAt = (n: number): Position => String(n).padStart(16, '0') as Position;

const BATCH = 1000;
