import { expect } from 'chai';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { PostTransaction, TransactionRequest } from '#commands/ledger/transaction/commands.ts';
import { prepare } from '#commands/ledger/transaction/prepare.ts';
import { defaultSettings } from '#src/events/ledger/ledger-settings.ts';
import { posted } from '#test/support/booked.ts';
import { specFor } from '#test/support/decider-spec.ts';
import { inflow, ledgerOpened, ledgerWith, postTransaction } from '#test/support/ledger-samples.ts';

const { given } = specFor(ledgerDecider);

type Overrides = Partial<typeof defaultSettings.overrides>;

/** A funded ledger that allows this to be left out. */
function bank(overrides: Overrides = {}) {
  const settings = {
    ...defaultSettings,
    overrides: { ...defaultSettings.overrides, ...overrides },
  };
  const [, ...others] = ledgerWith('BRL', '@alice', '@bob');
  return given(ledgerOpened({ settings }), ...others).after(inflow('@alice', '500'));
}

const skipping = (skip: TransactionRequest['skip'], more: object = {}): PostTransaction => {
  const command = postTransaction({ from: '@alice', to: '@bob', amount: '10' });
  return { ...command, request: { ...command.request, skip, ...more } };
};

describe('a request, prepared', () => {
  it('tells what each leg moves, and that the request asked for it', () => {
    const asked = postTransaction({ from: '@alice', to: ['@bob 30%', '@x'], amount: '10' });
    const { postings, skipped } = prepare(asked, { settings: defaultSettings });
    expect(postings.map(({ alias, origin }) => [alias, origin])).to.deep.equal([
      ['@alice', 'request'],
      ['@bob', 'request'],
      ['@x', 'request'],
    ]);
    expect(skipped).to.deep.equal({});
  });

  it('leaves out fees or the tracer where the ledger allows it, and says so', () => {
    const free = bank({ allowFeeSkip: true, allowTracerSkip: true });
    const fees = posted(free.when(skipping({ fees: true })).happened());
    expect([fees.feesSkipped, fees.tracerSkipped]).to.deep.equal([true, undefined]);
    const both = posted(free.when(skipping({ fees: true, tracer: true })).happened());
    expect([both.feesSkipped, both.tracerSkipped]).to.deep.equal([true, true]);
    const [held] = free.when(skipping({ tracer: true }, { pending: true })).happened();
    expect(held).to.have.nested.property('data.transaction.tracerSkipped', true);
    expect(held).not.to.have.nested.property('data.transaction.feesSkipped');
  });

  it('leaves nothing out that the ledger does not allow', () => {
    bank()
      .when(skipping({ fees: true }))
      .thenRefused('SKIP_NOT_PERMITTED');
    bank({ allowFeeSkip: true })
      .when(skipping({ tracer: true }))
      .thenRefused('SKIP_NOT_PERMITTED');
    bank({ allowTracerSkip: true })
      .when(skipping({ fees: true }))
      .thenRefused('SKIP_NOT_PERMITTED');
  });

  it('says nothing of what is not left out', () => {
    const { feesSkipped } = posted(
      bank()
        .when(skipping({ fees: false }))
        .happened(),
    );
    expect(feesSkipped).to.equal(undefined);
  });
});
