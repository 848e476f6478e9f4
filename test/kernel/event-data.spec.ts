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

  it('of another type cannot look like it', () => {
    const data = { posted: [], postings: [] };
    expect(() => storedData({ type: 'SomethingPosted', data })).to.throw('SomethingPosted');
  });
});
