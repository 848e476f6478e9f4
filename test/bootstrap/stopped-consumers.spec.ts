import { expect } from 'chai';
import { createStoppedConsumers } from '#src/bootstrap/stopped-consumers.ts';
import { START } from '#src/ports/event-store.ts';

describe('consumers that stopped', () => {
  const report = (stopped: boolean, caughtUp = true) => ({
    collections: new Map([['account', { checkpoint: START, rebuilding: false, stopped }]]),
    caughtUp,
  });

  it('are shown until a report has them at work', () => {
    const { failed, heard, reasons } = createStoppedConsumers();
    failed({ projection: 'account', message: 'account stopped at event 7' });
    heard(report(true));
    expect([...reasons]).to.deep.equal([['account', 'account stopped at event 7']]);
    heard(report(false));
    expect(reasons.size).to.equal(0);
  });

  it('include the thread itself, until it has caught up again', () => {
    const { failed, heard, reasons } = createStoppedConsumers();
    failed({ projection: 'projector', message: 'The projector failed and is started anew' });
    heard(report(false, false));
    expect(reasons.size).to.equal(1);
    heard(report(false));
    expect(reasons.size).to.equal(0);
  });

  it('stay if reports say nothing of them', () => {
    const { failed, heard, reasons } = createStoppedConsumers();
    failed({ projection: 'journal index', message: 'the journal index stopped at event 7' });
    heard(report(false));
    expect(reasons.size).to.equal(1);
  });
});
