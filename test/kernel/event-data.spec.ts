import { expect } from 'chai';
import { parseData, storedData } from '#src/kernel/event-data.ts';
import { assetCreated } from '#test/support/ledger-samples.ts';
import { funded, transactionPosted, transactionRecord } from '#test/support/transaction-samples.ts';

describe('the data of an event', () => {
  it('is stored in a short form of version 2 if it is a usual posting', () => {
    const { data, schemaVersion } = storedData(funded('@alice'));
    expect(schemaVersion).to.equal(2);
    expect(data.length).to.be.below(JSON.stringify(funded('@alice').data).length / 2.5);
    expect(parseData(data)).to.deep.equal(funded('@alice').data);
  });

  it('is stored as it is, in version 1, otherwise', () => {
    const pending = { ...transactionRecord('one', []), status: 'PENDING' } as const;
    for (const event of [assetCreated(), transactionPosted(pending)]) {
      const data = JSON.stringify(event.data);
      expect(storedData(event)).to.deep.equal({ data, schemaVersion: 1 });
      expect(parseData(data)).to.deep.equal(event.data);
    }
  });

  it('is stored in version 1 if even its short form is long, so that its size is limited', () => {
    const described = (length: number) =>
      transactionPosted(transactionRecord('one', [], { description: 'x'.repeat(length) }));
    const long = described(65_536);
    expect(storedData(long)).to.deep.equal({ data: JSON.stringify(long.data), schemaVersion: 1 });
    expect(storedData(described(60_000))).to.include({ schemaVersion: 2 });
  });

  it('of another type cannot look like it', () => {
    const data = { posted: [], postings: [] };
    expect(() => storedData({ type: 'SomethingPosted', data })).to.throw('SomethingPosted');
  });
});
