import type { FeesEvent } from '#src/events/fees/fees.ts';
import { refuse } from '#src/events/fees/refusals.ts';
import type { Decider, JournalFact, JournalOf } from '#src/kernel/decider.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { FeeCharger } from '#src/kernel/fee-charge.ts';
import { feesJournal } from '#src/kernel/journal-name.ts';
import {
  decideBillingPackage,
  emptyBillingPackages,
  evolveBillingPackages,
  isBillingCommand,
  isBillingEvent,
  needsOfBillingPackage,
  type BillingPackageCommand,
  type BillingPackages,
  type LiveBillingPackage,
} from './billing/billing-packages.ts';
import { preparePackage, type PreparedPackage } from './calculation/prepared-package.ts';
import { chargeTransaction } from './charge-transaction.ts';
import {
  decidePackage,
  emptyPackages,
  evolvePackages,
  needsOfPackage,
  type FeePackageCommand,
  type FeePackages,
  type LivePackage,
} from './packages/fee-packages.ts';

/** The packages of fees and of billing of an organization, as decisions and calculations need them. */
export type FeesState = {
  began: boolean;
  readonly packages: FeePackages;
  readonly billing: BillingPackages;
  /** The packages of each ledger as they are now; absent until they are asked for. */
  byLedger?: PackagesByLedger | undefined;
};

type PackagesByLedger = Readonly<{
  fees: ReadonlyMap<Uuid, readonly PreparedPackage[]>;
  billing: ReadonlyMap<Uuid, readonly LiveBillingPackage[]>;
}>;

export type FeesCommand = FeePackageCommand | BillingPackageCommand;

export type FeesJournal = JournalOf<FeesCommand, FeesEvent>;

export const journalOfFees = (organizationId: Uuid): FeesJournal => ({
  name: feesJournal(organizationId),
});

/** The public state of the journal: the packages that calculations choose from. */
export type FeesFact = JournalFact &
  FeeCharger &
  Readonly<{
    packagesOf: (ledgerId: Uuid) => readonly PreparedPackage[];
    packageWith: (id: Uuid) => LivePackage | undefined;
    /** The billing packages of a ledger, enabled or not. */
    billingPackagesOf: (ledgerId: Uuid) => readonly LiveBillingPackage[];
  }>;

export const feesDecider: Decider<FeesState, FeesCommand, FeesEvent> = {
  category: 'fees',
  snapshotVersion: 2,
  isOftenAbsent: true,
  unreachable: () =>
    refuse('FEE_PACKAGES_UNAVAILABLE', 'The packages of fees cannot be read; nothing was charged.'),

  initialState: () => ({
    began: false,
    packages: emptyPackages(),
    billing: emptyBillingPackages(),
  }),
  needs: ({ packages, billing }, command, facts) =>
    isBillingCommand(command)
      ? needsOfBillingPackage(billing, command, facts)
      : needsOfPackage(packages, command, facts),
  decide: ({ packages, billing }, command, facts, stamp) =>
    isBillingCommand(command)
      ? decideBillingPackage(billing, command, facts, stamp)
      : decidePackage(packages, command, facts, stamp),
  evolve(state, event, revision) {
    state.began = true;
    state.byLedger = undefined;
    if (isBillingEvent(event)) evolveBillingPackages(state.billing, event, revision);
    else evolvePackages(state.packages, event, revision);
  },

  fact(state): Omit<FeesFact, 'revision'> | undefined {
    if (!state.began) return undefined;
    // A fact may be kept while the state changes, so it holds the packages as they are now.
    const byLedger = (state.byLedger ??= {
      fees: preparedByLedger(state.packages),
      billing: Map.groupBy(state.billing.all(), (one) => one.ledgerId),
    });
    const packagesOf = (ledgerId: Uuid) => byLedger.fees.get(ledgerId) ?? [];
    return {
      live: true,
      packagesOf,
      packageWith: (id) => state.packages.get(id),
      billingPackagesOf: (ledgerId) => byLedger.billing.get(ledgerId) ?? [],
      charge: (ledgerId, transaction) => chargeTransaction(packagesOf(ledgerId), transaction),
    };
  },

  *toSnapshot({ began, packages, billing }) {
    yield JSON.stringify(began);
    for (const one of packages.all()) yield JSON.stringify(['fees', one]);
    for (const one of billing.all()) yield JSON.stringify(['billing', one]);
  },
  fromSnapshot(chunks) {
    const [began, ...packages] = [...chunks].map((chunk) => JSON.parse(chunk) as unknown);
    const state = { ...feesDecider.initialState(), began: began === true };
    for (const [kind, one] of packages as SnapshotEntry[]) {
      if (kind === 'fees') state.packages.put(one);
      else state.billing.put(one);
    }
    return state;
  },
};

function preparedByLedger(packages: FeePackages): ReadonlyMap<Uuid, readonly PreparedPackage[]> {
  const byLedger = Map.groupBy(packages.all(), ({ ledgerId }) => ledgerId);
  return new Map([...byLedger].map(([ledgerId, all]) => [ledgerId, all.map(preparePackage)]));
}

type SnapshotEntry = readonly ['fees', LivePackage] | readonly ['billing', LiveBillingPackage];
