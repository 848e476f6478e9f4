import { expect } from 'chai';
import { until } from '#test/support/server.ts';
import type { Consumed } from '../kafka.ts';
import type { Cluster } from './cluster.ts';
import type { Posted } from './money.ts';
import type { Reader } from './reader.ts';

/** What came to the consumer beside what had to; how many records came more than once. */
export type Delivery = Readonly<{ posted: readonly Consumed[]; repeated: number }>;

/**
 * Every transaction of the journal has arrived, and every change of a balance; what came again is the same record with
 * the same ce-id; the versions of a balance came in order, one by one.
 */
export async function checkPublished(
  reader: Pick<Reader, 'records' | 'count'>,
  { topics }: Pick<Cluster, 'topics'>,
  journal: readonly Posted[],
): Promise<Delivery> {
  const due = journal.map(({ transaction }) => transaction.id);
  const changes = journal.flatMap(({ transaction }) => transaction.operations);
  const transactionIds = (): string[] =>
    firsts(reader.records(topics.posted)).map(({ key }) => key);
  await until(
    () =>
      new Set(transactionIds()).size >= due.length &&
      firsts(reader.records(topics.changed)).length >= changes.length,
    ARRIVED_MS,
    'everything that was posted is published',
  );
  const posted = firsts(reader.records(topics.posted));
  expect(posted.map(({ key }) => key).sort()).to.deep.equal(due.toSorted());

  const changed = firsts(reader.records(topics.changed));
  expect(changed.map(operationOf).sort()).to.deep.equal(changes.map(({ id }) => id).sort());
  for (const [key, records] of Map.groupBy(changed, (record) => record.key)) {
    expect(new Set(records.map(({ partition }) => partition))).to.have.length(1);
    const versions = records.map(({ value }) => (JSON.parse(value) as { version: number }).version);
    expect(versions, key).to.deep.equal(Array.from(versions, (_, at) => at + 1));
  }
  const came = reader.count(topics.posted) + reader.count(topics.changed);
  return { posted, repeated: came - posted.length - changed.length };
}

/** Of each ce-id the first record; the others are the same byte for byte. */
function firsts(records: readonly Consumed[]): Consumed[] {
  const byId = new Map<string, Consumed>();
  for (const record of records) {
    const id = record.headers['ce-id'] ?? '';
    const first = byId.get(id);
    if (first === undefined) byId.set(id, record);
    else expect({ ...record, offset: '' }).to.deep.equal({ ...first, offset: '' });
  }
  return [...byId.values()];
}

const operationOf = ({ value }: Consumed): string =>
  (JSON.parse(value) as { operationId: string }).operationId;

const ARRIVED_MS = 120_000;
