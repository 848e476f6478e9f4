import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parseData } from '#src/kernel/event-data.ts';
import type { TransactionPosted } from '#src/events/ledger/transaction.ts';

const guide = readFileSync('docs/journal.md', 'utf8');
const [stored, operation] = Array.from(
  guide.matchAll(/```json\n([^]*?)```/g),
  ([, text = '']) => JSON.parse(text) as object,
);
const { compact } = JSON.parse(readFileSync('test/events/golden.json', 'utf8')) as Readonly<{
  compact: readonly Readonly<{ data: string }>[];
}>;

describe('the guide to the journal', () => {
  it('shows an event as it is stored, and an operation that follows from it', () => {
    const text = JSON.stringify(stored);
    expect(compact.map(({ data }) => data)).to.include(text);
    const { transaction } = parseData(text) as TransactionPosted['data'];
    expect(transaction.operations[0]).to.deep.equal(operation);
  });
});
