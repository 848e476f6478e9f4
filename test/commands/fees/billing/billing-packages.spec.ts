import { expect } from 'chai';
import { feesDecider, type FeesFact } from '#commands/fees/fees.ts';
import type { FeesEvent } from '#src/events/fees/fees.ts';
import { specFor } from '#test/support/decider-spec.ts';
import { idOf } from '#test/support/ledger-samples.ts';
import {
  billingPackageCreated,
  billingPackageDeleted,
  billingPackageUpdated,
  maintenancePackage,
  volumePackage,
} from '#test/support/billing-samples.ts';

const { given } = specFor(feesDecider);
const creating = (fields: ReturnType<typeof volumePackage>) => {
  const { id: _, ...rest } = fields;
  return { type: 'CreateBillingPackage', fields: rest } as const;
};
const first = volumePackage();
const off = volumePackage({ id: idOf('second'), enable: false });
const enabling = (id: typeof first.id) =>
  ({ type: 'UpdateBillingPackage', id, changes: { enable: true } }) as const;

describe('billing packages in the fees journal', () => {
  it('bill a route of a ledger once', () => {
    const created = given(billingPackageCreated(first));
    created.when(creating(volumePackage())).thenRefused('BILLING_ROUTE_TAKEN');
    expect(created.when(creating(volumePackage({ enable: false }))).happened()).to.have.length(1);
  });

  it('leave other ledgers, other routes and maintenance alone', () => {
    const other = [
      volumePackage({ ledgerId: idOf('other ledger') }),
      volumePackage({ eventFilter: { transactionRoute: 'ted', status: 'APPROVED' } }),
    ];
    for (const fields of other) {
      expect(given(billingPackageCreated(first)).when(creating(fields)).happened()).to.have.length(
        1,
      );
    }
    expect(
      given(billingPackageCreated(maintenancePackage())).when(creating(first)).happened(),
    ).to.have.length(1);
  });

  it('are enabled only while no other bills the route', () => {
    const both = [billingPackageCreated(first), billingPackageCreated(off)] as const;
    given(...both)
      .when(enabling(off.id))
      .thenRefused('BILLING_ROUTE_TAKEN');
    const disabled = billingPackageUpdated({ ...first, enable: false }, ['enable']);
    expect(
      given(...both, disabled)
        .when(enabling(off.id))
        .happened(),
    ).to.have.length(1);
    expect(
      given(...both, billingPackageDeleted(first))
        .when(enabling(off.id))
        .happened(),
    ).to.have.length(1);
  });

  it('of another ledger than that of the path read as absent', () => {
    const command = { ...enabling(first.id), ledgerId: idOf('other ledger') };
    given(billingPackageCreated(first)).when(command).thenRefused('BILLING_PACKAGE_NOT_FOUND');
    given().when(enabling(first.id)).thenRefused('BILLING_PACKAGE_NOT_FOUND');
  });

  it('stay as they are without a member that changes them', () => {
    const command = { ...enabling(first.id), changes: {} };
    given(billingPackageCreated(first)).when(command).thenNothing();
  });

  it('are the same after a snapshot', () => {
    const state = feesDecider.initialState();
    const events: FeesEvent[] = [first, off, maintenancePackage()].map(billingPackageCreated);
    events.forEach((event, revision) => {
      feesDecider.evolve(state, event, revision);
    });
    const copy = feesDecider.fromSnapshot(feesDecider.toSnapshot(state));
    expect([...copy.billing.all()]).to.deep.equal([...state.billing.all()]);
    expect([...copy.packages.all()]).to.deep.equal([]);
    const { billingPackagesOf } = feesDecider.fact(copy) as FeesFact;
    expect(billingPackagesOf(first.ledgerId)).to.have.length(3);
  });
});
