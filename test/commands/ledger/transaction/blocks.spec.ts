import { expect } from 'chai';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { PostTransaction } from '#commands/ledger/transaction/commands.ts';
import { booked, posted } from '#test/support/booked.ts';
import { specFor } from '#test/support/decider-spec.ts';
import { inflow, ledgerWith, ORGANIZATION, postTransaction } from '#test/support/ledger-samples.ts';
import { nthWhole } from '#test/support/stamps.ts';

const { given } = specFor(ledgerDecider);

const bank = () => given(...ledgerWith('BRL', '@alice', '@frozen')).after(inflow('@alice', '500'));

const move = (
  as: 'block' | 'unblock',
  amount: string,
  more: Readonly<{ pending?: boolean }> = {},
): PostTransaction => {
  const [from, to] = as === 'block' ? ['@alice', '@frozen'] : ['@frozen', '@alice'];
  return { ...postTransaction({ from, to, amount, ...more }), as };
};

describe('funds set aside', () => {
  it('are a transfer whose operations say so, on both sides', () => {
    expect(booked(bank().when(move('block', '120')).happened())).to.deep.equal([
      'BLOCK @alice 120: 500/0 v1 → 380/0 v2',
      'BLOCK @frozen 120: 0/0 v0 → 120/0 v1',
    ]);
    const { operations } = posted(bank().when(move('block', '120')).happened());
    expect(operations.map(({ direction }) => direction)).to.deep.equal(['debit', 'credit']);
  });

  it('are given back the same way', () => {
    const blocked = bank().after(move('block', '120'));
    expect(booked(blocked.when(move('unblock', '20')).happened())).to.deep.equal([
      'UNBLOCK @alice 20: 380/0 v2 → 400/0 v3',
      'UNBLOCK @frozen 20: 120/0 v1 → 100/0 v2',
    ]);
  });

  it('settle at once, whatever is said of pending', () => {
    const { status, awaiting } = posted(
      bank()
        .when(move('block', '1', { pending: true }))
        .happened(),
    );
    expect([status, awaiting]).to.deep.equal(['APPROVED', undefined]);
  });

  it('cannot be more than there is', () => {
    bank().when(move('block', '501')).thenRefused('INSUFFICIENT_FUNDS');
    bank().when(move('unblock', '1')).thenRefused('INSUFFICIENT_FUNDS');
  });

  it('are reverted by an ordinary transaction, in the direction of each operation', () => {
    const transactionId = nthWhole(2);
    const revert = {
      type: 'RevertTransaction',
      organizationId: ORGANIZATION,
      transactionId,
    } as const;
    const blocked = bank().after(move('block', '120'));
    expect(booked(blocked.when(revert).happened())).to.deep.equal([
      'CREDIT @alice 120: 380/0 v2 → 500/0 v3',
      'DEBIT @frozen 120: 120/0 v1 → 0/0 v2',
    ]);
    blocked.when(revert).thenRefused('REVERTED_ALREADY');
  });
});
