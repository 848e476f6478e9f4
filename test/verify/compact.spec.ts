import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { audit } from '#src/bootstrap/audit.ts';
import { GENESIS, seal } from '#src/journal/chain.ts';
import type { EventMetadata } from '#src/kernel/event-metadata.ts';
import { createJournalVerifier, type StoredText } from '#src/verify/journal.ts';
import { LEDGER } from '#test/support/ledger-samples.ts';

type Entry = Pick<StoredText, 'type' | 'data' | 'metadata'>;
const { compact } = JSON.parse(
  readFileSync(new URL('../events/golden.json', import.meta.url), 'utf8'),
) as Readonly<{ compact: readonly Entry[] }>;

/** Returns the auditor's finding on a journal whose n-th event was written with other data, in a sound chain. */
function judged(n = -1, change = (data: string): string => data, changes = {}) {
  const verifier = createJournalVerifier(audit, `ledger-${LEDGER}`);
  let prevHash = GENESIS;
  for (const [revision, { type, data: before, metadata }] of compact.entries()) {
    const data = revision === n ? change(before) : before;
    const { hash: _, ...open } = JSON.parse(metadata) as EventMetadata;
    const link = { ...open, ...(revision === n && changes), prevHash };
    const sealed = seal(type, data, link);
    prevHash = sealed.hash;
    const id = String(open.eventId);
    const found = verifier.take({ revision, id, type, data, metadata: sealed.metadata });
    if (found !== undefined) return `${found.revision}: ${found.what}`;
  }
  return verifier.summary().transactions;
}

describe('the auditor of compact postings', () => {
  it('finds nothing wrong with those that make sense', () => {
    expect(judged()).to.equal(7);
  });

  for (const [what, change] of Object.entries<(data: string) => string>({
    'moves more than its operations say': (data) => data.replace('"BRL","12.5"', '"BRL","13.5"'),
    'takes less than it states': (data) => data.replace('"500","487.5"', '"500","488.5"'),
    'begins at another amount': (data) => data.replace('"500","487.5"', '"501","488.5"'),
    'leaves out a version': (data) => data.replace('"487.5",2', '"487.5",3'),
    'is of another account': (data) => data.replace('"@bob"', '"@carol"'),
    'has only one side': (data) => data.replace(/,\["C".*\]\]/, ']'),
    'says something that is not read': (data) => data.replace(/}$/, ',"more":{"spare":1}}'),
  })) {
    it(`sees a posting that ${what}`, () => {
      expect(judged(7, change)).to.match(/^7: /);
    });
  }

  it('sees data that is in another form than its metadata states', () => {
    for (const [n, schemaVersion] of [
      [7, 1],
      [10, 2],
    ] as const) {
      expect(judged(n, undefined, { schemaVersion })).to.match(/not in the form that its metadata/);
    }
  });
});
