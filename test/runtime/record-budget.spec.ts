import { expect } from 'chai';
import fc from 'fast-check';
import { createRecordBudget } from '#src/runtime/record-budget.ts';

describe('the budget of records in hand', () => {
  it('gives a busy lane what the others leave, and keeps a part for each of them', () => {
    const budget = createRecordBudget(10_000, 70);
    const busy = budget.take();
    expect(busy.records).to.equal(1000);
    const held = busy.settle(1000);
    const others = Array.from({ length: 69 }, () => budget.take());
    expect(others.every(({ records }) => records >= 71)).to.equal(true);
    for (const other of others) other.settle(0).release();
    held.release();
    expect(budget.take().records).to.equal(1000);
  });

  it('is never exceeded, whatever lanes take, use and finish', () => {
    const load = fc.record({ lane: fc.nat(9), used: fc.nat(1000), finishes: fc.boolean() });
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 5000 }), fc.array(load), (recordsMax, loads) => {
        const budget = createRecordBudget(recordsMax, 10);
        const inHand = new Map<number, Readonly<{ used: number; release(): void }>>();
        for (const { lane, used, finishes } of loads) {
          inHand.get(lane)?.release();
          inHand.delete(lane);
          if (finishes) continue;
          const share = budget.take();
          const taken = Math.min(used, share.records);
          inHand.set(lane, { used: taken, ...share.settle(taken) });
          const sum = [...inHand.values()].reduce((total, one) => total + one.used, 0);
          expect(sum).to.be.at.most(recordsMax);
        }
      }),
    );
  });
});
