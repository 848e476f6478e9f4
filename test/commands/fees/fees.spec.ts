import { expect } from 'chai';
import { feesDecider, type FeesFact, type FeesState } from '#commands/fees/fees.ts';
import { mergedFees, type FeesChanges } from '#commands/fees/packages/merge-fees.ts';
import type { Fee, FeePackageRecord } from '#src/events/fees/fee-package.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import { refused } from '#test/support/refused.ts';

const LEDGER = '0190a1c0-0000-7000-8000-00000000001e' as Uuid;
const OTHER = '0190a1c0-0000-7000-8000-00000000002e' as Uuid;
const AT = '2026-01-05T10:00:00.000000Z' as Instant;

const fee = (more: Partial<Fee> = {}): Fee => ({
  feeLabel: 'Admin',
  calculationModel: {
    applicationRule: 'flatFee',
    calculations: [{ type: 'flat', value: '5' }],
  },
  referenceAmount: 'originalAmount',
  priority: 1,
  isDeductibleFrom: false,
  creditAccount: '@fees',
  ...more,
});

const record = (n: number, ledgerId: Uuid): FeePackageRecord => ({
  id: `0190a1c0-0000-7000-8000-00000000000${n}` as Uuid,
  organizationId: '0190a1c0-0000-7000-8000-0000000000aa' as Uuid,
  ledgerId,
  feeGroupLabel: 'Pix',
  description: null,
  segmentId: null,
  transactionRoute: null,
  minimumAmount: '0',
  maximumAmount: '10',
  waivedAccounts: null,
  fees: { adm: fee() },
  enable: true,
  createdAt: AT,
  updatedAt: AT,
  deletedAt: null,
});

describe('the fees journal', () => {
  const state = (): FeesState => {
    const folded = feesDecider.initialState();
    [record(1, LEDGER), record(2, OTHER), record(3, LEDGER)].forEach((feePackage, n) => {
      feesDecider.evolve(folded, { type: 'FeePackageCreated', data: { feePackage } }, n);
    });
    const feePackage = { ...record(3, LEDGER), deletedAt: AT };
    feesDecider.evolve(folded, { type: 'FeePackageDeleted', data: { feePackage } }, 3);
    return folded;
  };
  const factOf = (folded: FeesState) => feesDecider.fact(folded) as FeesFact;

  it('tells other journals the live packages of a ledger', () => {
    expect(feesDecider.fact(feesDecider.initialState())).to.equal(undefined);
    const { packagesOf, packageWith } = factOf(state());
    expect(packagesOf(LEDGER).map(({ id }) => id)).to.deep.equal([record(1, LEDGER).id]);
    expect(packageWith(record(3, LEDGER).id)).to.equal(undefined);
    expect(packageWith(record(2, OTHER).id)).to.include({ ledgerId: OTHER, revision: 1 });
  });

  it('is the same after a snapshot', () => {
    const folded = state();
    const copy = feesDecider.fromSnapshot(feesDecider.toSnapshot(folded));
    expect([...copy.packages.all()]).to.deep.equal([...folded.packages.all()]);
    expect(factOf(copy).packagesOf(OTHER)).to.have.lengthOf(1);
  });
});

describe('fees of an update', () => {
  const before = { adm: fee({ routeTo: LEDGER }), tax: fee({ priority: 2 }) };
  const merged = (changes: FeesChanges) => mergedFees(before, changes);

  it('change the members that are sent', () => {
    expect(merged({ adm: { priority: 3, routeTo: null } })).to.deep.equal({
      adm: fee({ priority: 3 }),
      tax: before.tax,
    });
  });

  it('are removed by null, and ignored where there is none to remove', () => {
    expect(merged({ adm: null })).to.deep.equal({ tax: before.tax });
    expect(merged({ other: null })).to.equal(undefined);
    expect(mergedFees(before, undefined)).to.equal(undefined);
  });

  it('are complete when they are new, and at least one is left', async () => {
    const fails = (changes: FeesChanges) => refused(Promise.try(() => merged(changes)));
    expect(await fails({ neu: { priority: 3 } })).to.equal('FEE_INCOMPLETE');
    expect(await fails({ adm: null, tax: null })).to.equal('REQUIRED_FIELDS');
    const many = Object.fromEntries(Array.from({ length: 99 }, (_, n) => [`k${n}`, fee()]));
    expect(await fails(many)).to.equal('TOO_MANY_KEYS');
  });
});
