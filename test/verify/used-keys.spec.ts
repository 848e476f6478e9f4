import { expect } from 'chai';
import type { Instant } from '#src/kernel/instant.ts';
import type { IdempotencyKey } from '#src/journal/batch.ts';
import { Differs } from '#src/verify/difference.ts';
import { audit } from '#src/bootstrap/audit.ts';
import { createJournalVerifier } from '#src/verify/journal.ts';
import { UsedKeys } from '#src/verify/used-keys.ts';
import { LEDGER } from '#test/support/ledger-samples.ts';
import { sealed, wholeLife, type Draft } from './hand-made.ts';

const SECOND = 1_000_000;

/** The first difference in a whole life whose events at some revisions were caused under keys, a second apart. */
function judged(
  keys: Readonly<Record<number, Partial<IdempotencyKey> & { key: string }>>,
  drafts: readonly Draft[] = wholeLife(),
) {
  const sparse: (IdempotencyKey | undefined)[] = [];
  for (const [at, key] of Object.entries(keys)) {
    sparse[Number(at)] = { requestHash: 'f'.repeat(64), replyVersion: 1, ...key };
  }
  const verifier = createJournalVerifier(audit, `ledger-${LEDGER}`);
  const events = sealed(drafts, { stepMicros: SECOND, keys: sparse });
  for (const event of events) {
    const difference = verifier.take(event);
    if (difference !== undefined) return `${difference.revision}: ${difference.what}`;
  }
  return 'sound';
}

describe('the auditor: idempotency keys', () => {
  it('lets every transaction have a key', () => {
    expect(judged({ 8: { key: 'a' }, 9: { key: 'b' }, 11: { key: 'c' } })).to.equal('sound');
  });

  it('sees a key that was used twice, and where', () => {
    const says = '11: its idempotency key "a" was used at revision 8 and has not expired';
    expect(judged({ 8: { key: 'a' }, 11: { key: 'a' } })).to.equal(says);
  });

  it('sees a second use within the life of a key, and lets one pass after it', () => {
    const key = 'f'.repeat(64); // As for requests without a key, whose hash is one for a while.
    const used = (ttlSeconds: number) =>
      judged({ 8: { key, ttlSeconds }, 11: { key, ttlSeconds }, 14: { key, ttlSeconds } });
    expect(used(3)).to.equal('sound');
    expect(used(4)).to.match(/^11: its idempotency key "f{64}" was used at revision 8 /);
  });

  it('counts the life from the latest use, which may be without end', () => {
    const keys = { 8: { key: 'a', ttlSeconds: 1 }, 9: { key: 'a' }, 11: { key: 'a' } };
    expect(judged(keys)).to.match(/^11: .* was used at revision 9 /);
  });

  describe('that are released', () => {
    const life = wholeLife();
    const canceled = life.findIndex(({ type }) => type === 'TransactionCanceled');
    const release = { key: 'a', releases: 8 };

    it('are free again', () => {
      const keys = { 8: { key: 'a' }, [canceled]: release, [canceled + 1]: { key: 'a' } };
      expect(judged(keys)).to.equal('sound');
    });

    it('must have been in use', () => {
      expect(judged({ [canceled]: release })).to.match(/which was not used$/);
    });

    it('are not released by an event that moves money, which would hide a second use', () => {
      expect(judged({ 8: { key: 'a' }, 9: release })).to.match(
        /^9: it releases .* "a", which a TransactionHeld cannot do$/,
      );
    });
  });

  it('wants a key to be a text, and its expiry a moment that has yet to come', () => {
    const keyed = { key: 'a', recordedAt: '2026-01-05T10:00:00.000000Z' as Instant };
    const expired = { ...keyed, expiresAt: '2026-01-05T09:59:59.999999Z' as Instant };
    expect(() => new UsedKeys().take(expired, 'TransactionPosted', 0)).to.throw(Differs, 'expired');
    expect(judged({ 8: { key: '' } })).to.equal('8: its idempotency key is not a text');
  });

  describe('of a journal with more than fit', () => {
    const KEYS_MAX = 96;
    const instant = (second: number) =>
      `2026-01-05T${String(Math.floor(second / 3600)).padStart(2, '0')}:` +
      `${String(Math.floor(second / 60) % 60).padStart(2, '0')}:` +
      `${String(second % 60).padStart(2, '0')}.000000Z`;
    const journal = () => {
      const used = new UsedKeys(KEYS_MAX);
      let revision = 0;
      const use = (key: string, ttlSeconds?: number): void => {
        const at = { recordedAt: instant(revision) as Instant };
        const until = ttlSeconds === undefined ? {} : { expiresAt: instant(revision + ttlSeconds) };
        used.take({ key, ...at, ...(until as typeof at) }, 'TransactionPosted', revision);
        revision += 1;
      };
      return { used, use };
    };

    it('are compared with the latest of them, and the others are counted', () => {
      const { used, use } = journal();
      for (let n = 0; n < 20 * KEYS_MAX; n += 1) {
        use(`key ${n}`);
        if (n < 2) continue;
        const one = Math.max(0, n - KEYS_MAX + 1);
        expect(() => use(`key ${one}`), `${one} after ${n}`).to.throw(Differs, 'was used');
      }
      expect(used.forgotten).to.be.within(17 * KEYS_MAX, 19 * KEYS_MAX);
    });

    it('never forget one that is in use for those that have expired', () => {
      const { used, use } = journal();
      use('kept');
      for (let n = 0; n < 20 * KEYS_MAX; n += 1) use(`key ${n}`, 10);
      expect(() => use('kept')).to.throw(Differs, 'was used at revision 0');
      expect(used.forgotten).to.equal(0);
    });
  });
});
