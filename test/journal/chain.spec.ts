import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { follows, hashOf } from '#src/kernel/event-hash.ts';
import { GENESIS, seal } from '#src/journal/chain.ts';
import { accountOpened, assetCreated, ledgerOpened } from '#test/support/ledger-samples.ts';
import { metadataOf, storedOf, type Stored } from '#test/support/stored-samples.ts';

const journal = storedOf(
  [ledgerOpened(), assetCreated(), accountOpened({ name: 'Ñandú 🪢 "}{" \ud800' })],
  { idempotencyKey: 'key-1', requestHash: 'ab'.repeat(32), replyVersion: 1 },
);

/** Whether each event follows the one before. */
const isWhole = (events: readonly Stored[]): boolean => {
  let previous = GENESIS;
  return events.every((event) => {
    if (!followsSafely(event, previous)) return false;
    previous = hashOf(event.metadata);
    return true;
  });
};

/** Metadata that was not sealed here is an error rather than an answer; both stop whoever verifies. */
function followsSafely(event: Stored, previous: string): boolean {
  try {
    return follows(event, previous);
  } catch {
    return false;
  }
}

describe('hash chain', () => {
  it('is whole when nothing was touched', () => {
    expect(isWhole(journal)).to.equal(true);
  });

  it('is the SHA-256 that the design gives, as any other program computes it', () => {
    const [event] = journal;
    const { hash: claimed, ...open } = JSON.parse(event!.metadata) as Record<string, unknown>;
    const digest = createHash('sha256')
      .update(GENESIS)
      .update(event!.type)
      .update(event!.data)
      .update(JSON.stringify(open))
      .digest('hex');
    expect(digest).to.equal(claimed).and.to.equal(event!.hash);
  });

  it('names its hash as the last member of metadata that is still JSON', () => {
    const { metadata, hash } = seal('LedgerOpened', '{}', metadataOf(GENESIS));
    expect(Object.keys(JSON.parse(metadata) as object).at(-1)).to.equal('hash');
    expect(hashOf(metadata))
      .to.equal(hash)
      .and.to.match(/^[0-9a-f]{64}$/);
  });

  it('covers texts of any length', () => {
    for (const length of [10, 21_000, 22_000, 66_000]) {
      for (const letter of ['a', 'ñ', '🪢']) {
        const data = JSON.stringify({ text: letter.repeat(length) });
        const { metadata, hash } = seal('LedgerOpened', data, metadataOf(GENESIS));
        const open = `${metadata.slice(0, metadata.lastIndexOf(',"hash":'))}}`;
        const whole = `${GENESIS}LedgerOpened${data}${open}`;
        expect(createHash('sha256').update(whole).digest('hex')).to.equal(hash);

        const event = { type: 'LedgerOpened', data, metadata };
        expect(follows(event, GENESIS)).to.equal(true);
        expect(follows({ ...event, data: data.replace(letter, 'b') }, GENESIS)).to.equal(false);
      }
    }
  });

  it('starts at genesis', () => {
    expect((JSON.parse(journal[0]!.metadata) as { prevHash: string }).prevHash).to.equal(GENESIS);
  });

  for (const part of ['type', 'data', 'metadata'] as const) {
    it(`shows the change of any character of ${part}`, () => {
      for (const changed of mutations(journal[1]![part])) {
        const event = { ...journal[1]!, [part]: changed };
        const seen = !isWhole([journal[0]!, event, journal[2]!]);
        if (!seen) expect.fail(`unseen: ${changed}`);
      }
    });
  }

  it('shows a character that moved from one part to the next, or it can be read no more', () => {
    const types = new Set(['LedgerOpened', 'AssetCreated', 'AccountOpened', 'TransactionPosted']);
    const { type, data, metadata } = journal[1]!;
    const texts = type + data + metadata;
    let unseen = 0;
    for (let first = 0; first <= type.length + 3; first += 1) {
      for (let second = first; second <= texts.length; second += 1) {
        if (first === type.length && second === first + data.length) continue;
        const moved = {
          type: texts.slice(0, first),
          data: texts.slice(first, second),
          metadata: texts.slice(second),
          hash: '',
        };
        const read = types.has(moved.type) && isJson(moved.data) && isJson(moved.metadata);
        if (read && followsSafely(moved, journal[0]!.hash)) unseen += 1;
      }
    }
    expect(unseen).to.equal(0);
  });

  it('shows every other order, every gap and every repetition', () => {
    const [a, b, c] = journal as [Stored, Stored, Stored];
    for (const events of [
      [a, c, b],
      [b, a, c],
      [c, b, a],
      [a, c],
      [b, c],
      [c],
      [a, a, b, c],
      [a, b, b, c],
    ]) {
      expect(isWhole(events)).to.equal(false);
    }
  });

  it('shows an event of another journal, sealed soundly, in the place of one of its own', () => {
    const other = storedOf([ledgerOpened({ name: 'Other' }), assetCreated(), accountOpened()]);
    expect(isWhole(other)).to.equal(true);
    expect(isWhole([journal[0]!, other[1]!, journal[2]!])).to.equal(false);
  });

  it('shows an event sealed anew after a change, by the one that follows', () => {
    const forged = seal('AssetCreated', '{"asset":{}}', metadataOf(journal[0]!.hash));
    const event = { type: 'AssetCreated', data: '{"asset":{}}', ...forged };
    expect(follows(event, journal[0]!.hash)).to.equal(true);
    expect(isWhole([journal[0]!, event, journal[2]!])).to.equal(false);
  });

  it('stops at metadata that was not sealed', () => {
    const open = JSON.stringify(metadataOf(GENESIS));
    for (const metadata of ['', '{}', open, `${open.slice(0, -1)},"hash":"short"}`]) {
      expect(() => hashOf(metadata), metadata).to.throw('no hash');
    }
  });

  it('asks for the hash of the predecessor in the metadata, not only under the seal', () => {
    const { type, data } = journal[1]!;
    const previous = journal[0]!.hash;
    const open = JSON.stringify(metadataOf(GENESIS)); // Names another predecessor than it is sealed to.
    const digest = createHash('sha256')
      .update(previous + type + data + open)
      .digest('hex');
    const metadata = `${open.slice(0, -1)},"hash":"${digest}"}`;
    expect(follows({ type, data, metadata }, previous)).to.equal(false);
    expect(follows({ type, data, metadata }, GENESIS)).to.equal(false);
  });
});

/** Every way to change, drop, double or swap one character. */
function* mutations(text: string): Iterable<string> {
  for (let at = 0; at < text.length; at += 1) {
    const [before, unit, after] = [text.slice(0, at), text[at]!, text.slice(at + 1)];
    yield before + String.fromCharCode(unit.charCodeAt(0) ^ 1) + after;
    yield before + after;
    yield before + unit + unit + after;
    if (after !== '' && !after.startsWith(unit)) yield before + after[0]! + unit + after.slice(1);
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
