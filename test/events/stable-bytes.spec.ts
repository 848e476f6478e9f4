import { expect } from 'chai';
import fc from 'fast-check';
import type { Metadata } from '#src/events/shared.ts';
import { follows, hashOf } from '#src/kernel/event-hash.ts';
import { GENESIS, seal } from '#src/journal/chain.ts';
import { runsOf, seedOfRun } from '#test/support/random.ts';
import { accountOpened, assetCreated } from '#test/support/ledger-samples.ts';
import { metadataOf } from '#test/support/stored-samples.ts';

const RUNS = { numRuns: runsOf(5_000), seed: seedOfRun(20_260_105) };

/** Any UTF-16 units at all: lone surrogates, control characters, line separators among them. */
const units = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 24 })
  .map((codes) => String.fromCharCode(...codes));
const anyText = fc.oneof(
  units,
  fc.string({ unit: 'binary', maxLength: 24 }),
  fc.constantFrom('', '"', '\\', '\u0000', '\u2028', '\ud800', '\udc00\ud800', '🪢', '}{', '"}'),
);
/** Keys that engines order or treat in their own way are as good as any other. */
const anyKey = fc.oneof(
  anyText,
  fc.nat().map(String),
  fc.constantFrom('0', '00', '-1', '4294967295', '__proto__', 'constructor', 'toJSON', 'length'),
  fc.constantFrom('hash', 'prevHash', 'idempotencyKey', '$correlationId'),
);
const anyNumber = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constantFrom(-0, 0.1, 1e21, 1e-7, 5e-324, Number.MAX_VALUE, 2 ** 53 + 1),
);

/** Metadata as it comes in: parsed from a text, in the client's own order of keys. */
const anyMetadata = fc
  .uniqueArray(fc.tuple(anyKey, fc.oneof(anyText, anyNumber, fc.boolean())), {
    selector: ([key]) => key,
    maxLength: 12,
  })
  .map((members) => {
    const texts = members.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
    return JSON.parse(`{${texts.join(',')}}`) as Metadata;
  });

const again = (text: string): string => JSON.stringify(JSON.parse(text));

describe('the bytes of an event', () => {
  it('are the same when data is parsed and written again, whatever clients put in', () => {
    fc.assert(
      fc.property(anyText, anyMetadata, (name, metadata) => {
        for (const event of [assetCreated({ name, metadata }), accountOpened({ name, metadata })]) {
          const text = JSON.stringify(event.data);
          expect(again(text)).to.equal(text);
          expect(Buffer.from(text, 'utf8').toString('utf8')).to.equal(text);
        }
      }),
      RUNS,
    );
  });

  it('are the same when metadata is parsed and written again, and so is the hash', () => {
    fc.assert(
      fc.property(anyText, anyText, anyMetadata, (requestId, idempotencyKey, metadata) => {
        const data = JSON.stringify({ metadata });
        const open = metadataOf(GENESIS, { requestId, idempotencyKey });
        const sealed = seal('AccountOpened', data, open);
        expect(again(sealed.metadata)).to.equal(sealed.metadata);
        expect(hashOf(sealed.metadata)).to.equal(sealed.hash);

        const stored = {
          type: 'AccountOpened',
          data: again(data),
          metadata: again(sealed.metadata),
        };
        expect(follows(stored, GENESIS)).to.equal(true);
      }),
      RUNS,
    );
  });

  it('hold no member that was never set', () => {
    const open = metadataOf(GENESIS, {});
    expect(seal('LedgerOpened', '{}', open).metadata).not.to.match(/undefined|null/);
  });
});
