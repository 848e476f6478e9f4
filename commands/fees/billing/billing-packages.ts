import type {
  BillingPackageEvent,
  BillingPackageFields,
} from '#src/events/fees/billing-package.ts';
import { refuse } from '#src/events/fees/refusals.ts';
import type { Decision, Facts, Needs, Stamp } from '#src/kernel/decider.ts';
import type { Refusal } from '#src/kernel/errors.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import { declareRecord } from '#src/kernel/record.ts';

const absent = (): Refusal =>
  refuse('BILLING_PACKAGE_NOT_FOUND', 'There is no such billing package.');

const records = declareRecord({
  name: 'BillingPackage',
  patch: { label: 'replace', description: 'replace', enable: 'replace' },
  kept: (fields: BillingPackageFields) => detachedRules(fields),
  notFound: absent,
});

export type BillingPackages = ReturnType<typeof records.initialState>;

/** A live billing package, as calculations read it. */
export type LiveBillingPackage = NonNullable<ReturnType<BillingPackages['get']>>;

/** A member that is absent stays as it is; null removes the description. */
export type BillingPackageChanges = Partial<
  Pick<BillingPackageFields, 'label' | 'description' | 'enable'>
>;

/** `ledgerId` is the ledger of the path; a package of another one reads as absent. */
export type BillingPackageCommand =
  | Readonly<{ type: 'CreateBillingPackage'; fields: BillingPackageFields }>
  | Readonly<{
      type: 'UpdateBillingPackage';
      id: Uuid;
      ledgerId?: Uuid | undefined;
      changes: BillingPackageChanges;
    }>
  | Readonly<{ type: 'DeleteBillingPackage'; id: Uuid; ledgerId?: Uuid | undefined }>;

const { commands, events } = records;

export const isBillingCommand = (
  command: Readonly<{ type: string }>,
): command is BillingPackageCommand => (commands as readonly string[]).includes(command.type);

export const isBillingEvent = (event: Readonly<{ type: string }>): event is BillingPackageEvent =>
  (events as readonly string[]).includes(event.type);

export const emptyBillingPackages = records.initialState;
export const evolveBillingPackages = (
  packages: BillingPackages,
  event: BillingPackageEvent,
  revision: Revision,
): void => {
  records.evolve(packages, event, revision);
};

export const needsOfBillingPackage = (
  packages: BillingPackages,
  command: BillingPackageCommand,
  facts: Facts,
): Needs | undefined => records.needs(packages, command, facts);

/**
 * Errors: BILLING_ROUTE_TAKEN for a second enabled volume package of a route, BILLING_PACKAGE_NOT_FOUND.
 */
export function decideBillingPackage(
  packages: BillingPackages,
  command: BillingPackageCommand,
  facts: Facts,
  stamp: Stamp,
): Decision<BillingPackageEvent> {
  if (command.type === 'CreateBillingPackage') {
    checkRoute(packages, command.fields);
    return records.decide(packages, command, facts, stamp, {});
  }
  const { id } = command;
  const known = packages.get(id);
  const isElsewhere = command.ledgerId !== undefined && known?.ledgerId !== command.ledgerId;
  if (known === undefined || isElsewhere) throw absent();
  if (command.type === 'DeleteBillingPackage') {
    return records.decide(packages, { type: 'DeleteBillingPackage', id }, facts, stamp, {});
  }
  const { changes } = command;
  if (changes.enable === true) checkRoute(packages, { ...known, enable: true });
  return records.decide(packages, { type: 'UpdateBillingPackage', id, changes }, facts, stamp, {});
}

/** Requires that no other enabled package of the ledger bills the transactions of the same route. */
function checkRoute(
  packages: BillingPackages,
  own: BillingPackageFields & Readonly<{ id?: Uuid }>,
): void {
  const route = routeOf(own);
  if (route === undefined) return;
  for (const other of packages.all()) {
    if (other.id === own.id || other.ledgerId !== own.ledgerId || routeOf(other) !== route)
      continue;
    const location = 'eventFilter.transactionRoute';
    throw refuse('BILLING_ROUTE_TAKEN', `Package ${other.id} already bills the route ${route}.`, {
      findings: [{ location, message: 'is billed by another enabled package', value: route }],
    });
  }
}

/** Returns the route that a package bills; undefined for maintenance and for disabled packages. */
const routeOf = (one: BillingPackageFields): string | undefined =>
  one.type === 'volume' && one.enable ? one.eventFilter.transactionRoute : undefined;

/** Copies the rules, which would otherwise keep the request in memory that they were cut from. */
const detachedRules = ({ description: _, ...rules }: BillingPackageFields): BillingPackageFields =>
  JSON.parse(JSON.stringify(rules)) as BillingPackageFields;
