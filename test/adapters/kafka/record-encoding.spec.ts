import { createRequire } from 'node:module';
import { expect } from 'chai';
import fc from 'fast-check';
import { kafkajs } from '#src/adapters/kafka/driver.ts';
import { keyPartitioner } from '#src/adapters/kafka/partitioner.ts';
import {
  encodeRecord,
  type DriverRecord,
  type EncodedRecord,
} from '#src/adapters/kafka/record-encoding.ts';

const require = createRequire(import.meta.url);
const path = require.resolve('kafkajs/src/protocol/recordBatch/record/v0/index.js');
const driversOwn = (() => {
  const replaced = require.cache[path];
  Reflect.deleteProperty(require.cache, path);
  const own = require(path) as (record: DriverRecord) => EncodedRecord;
  require.cache[path] = replaced;
  return own;
})();

const text = fc.string({ unit: 'grapheme', maxLength: 200 });
const bytes = fc.uint8Array({ maxLength: 300 }).map((all) => Buffer.from(all));
const field = fc.oneof(text, bytes, fc.constant('é'.repeat(20_000)));
const anyRecord = fc.record({
  offsetDelta: fc.oneof(fc.nat(200), fc.nat(2 ** 31 - 1)),
  timestampDelta: fc.oneof(fc.constant(0), fc.nat(2 ** 31 - 1), fc.integer({ min: -9000, max: 0 })),
  key: fc.option(field),
  value: fc.option(field),
  headers: fc.dictionary(text, fc.oneof(field, fc.array(field, { maxLength: 3 }))),
});

describe('a record on its way to Kafka', () => {
  it('has the bytes that the driver would write', () => {
    fc.assert(
      fc.property(anyRecord, (record) => {
        const { buffer } = encodeRecord(record);
        expect(buffer.equals(driversOwn(record).buffer)).to.equal(true);
      }),
    );
    expect(encodeRecord({}).buffer.equals(driversOwn({}).buffer)).to.equal(true);
  });

  it('goes to the partition that other clients choose for its key', () => {
    const theirs = kafkajs.Partitioners.DefaultPartitioner();
    const ours = keyPartitioner();
    fc.assert(
      fc.property(
        fc.oneof(text, bytes, fc.uuid()),
        fc.integer({ min: 1, max: 50 }),
        (key, many) => {
          const partitionMetadata = Array.from({ length: many }, (_, n) => ({
            partitionId: n,
            leader: 1,
          }));
          const args = { topic: 't', partitionMetadata, message: { key, value: '' } } as never;
          expect(ours(args)).to.equal(theirs(args));
        },
      ),
    );
  });

  it('is encoded by us when the driver sends it', async () => {
    const request =
      require('kafkajs/src/protocol/requests/produce/v3/request.js') as ProduceRequest;
    const noValue = { key: 'k', value: 'v', headers: { h: undefined } };
    expect(() => driversOwn(noValue)).to.throw();
    const topicData = [{ topic: 't', partitions: [{ partition: 0, messages: [noValue] }] }];
    const { buffer } = await request({ acks: -1, timeout: 1, topicData }).encode();
    expect(buffer.includes(encodeRecord(noValue).buffer)).to.equal(true);
  });
});

type ProduceRequest = (request: object) => Readonly<{ encode: () => Promise<EncodedRecord> }>;
