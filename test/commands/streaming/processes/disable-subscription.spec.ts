import { expect } from 'chai';
import { createDisableSubscriptions } from '#commands/streaming/processes/disable-subscription.ts';
import { refuse } from '#src/kernel/errors.ts';
import { Unavailable } from '#src/ports/errors.ts';
import { systemIds } from '#src/adapters/system.ts';
import { nthId } from '#test/support/stamps.ts';

describe('disabling a subscription', () => {
  const failingWith = (error: Error) =>
    createDisableSubscriptions({ submit: () => Promise.reject(error) }, systemIds());

  it('has nothing to do for one that was deleted meanwhile', async () => {
    await failingWith(refuse('NOT_FOUND', 'There is no such subscription.'))('default', nthId(1));
  });

  it('fails while the log is unavailable, so that it is tried again', async () => {
    const failure = await failingWith(new Unavailable('away'))('default', nthId(1)).catch(
      (error: unknown) => error,
    );
    expect(failure).to.be.instanceOf(Unavailable);
  });
});
