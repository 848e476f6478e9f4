import { liveLedgerIn } from '#commands/ledger/state/journal-facts.ts';
import type { Decision, Facts, Needs, Stamp } from '#src/kernel/decider.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import { ledgerJournal } from '#src/kernel/journal-name.ts';
import { declareRecord } from '#src/kernel/record.ts';
import type { FeePackageEvent, FeePackageFields, Fees } from '#src/events/fees/fee-package.ts';
import { refuse } from '#src/events/fees/refusals.ts';
import { mergedFees, type FeesChanges } from './merge-fees.ts';
import { checkRange } from './package-range.ts';
import { checkPackage } from './package-rules.ts';

const records = declareRecord({
  name: 'FeePackage',
  patch: {
    feeGroupLabel: 'replace',
    description: 'replace',
    minimumAmount: 'replace',
    maximumAmount: 'replace',
    waivedAccounts: 'replace',
    fees: 'replace',
    enable: 'replace',
  },
  kept: ({ feeGroupLabel: _, description: __, ...rules }: FeePackageFields) => detachedRules(rules),
  notFound: () => refuse('NOT_FOUND', 'There is no such package.'),
});

export type FeePackages = ReturnType<typeof records.initialState>;

/** The rules of a live package, as calculations read them. */
export type LivePackage = NonNullable<ReturnType<FeePackages['get']>>;

/** The changes of an update; a member that is absent stays as it is. */
export type FeePackageChanges = Partial<
  Pick<
    FeePackageFields,
    | 'feeGroupLabel'
    | 'description'
    | 'minimumAmount'
    | 'maximumAmount'
    | 'waivedAccounts'
    | 'enable'
  >
> &
  Readonly<{ fees?: FeesChanges | undefined }>;

/** `ledgerId` is the ledger of the path; a package of another one reads as absent. */
export type FeePackageCommand =
  | Readonly<{ type: 'CreateFeePackage'; fields: FeePackageFields }>
  | Readonly<{
      type: 'UpdateFeePackage';
      id: Uuid;
      ledgerId?: Uuid | undefined;
      changes: FeePackageChanges;
    }>
  | Readonly<{ type: 'DeleteFeePackage'; id: Uuid; ledgerId?: Uuid | undefined }>;

export const emptyPackages = records.initialState;
export const evolvePackages = (
  packages: FeePackages,
  event: FeePackageEvent,
  revision: Revision,
): void => {
  records.evolve(packages, event, revision);
};

export function needsOfPackage(
  packages: FeePackages,
  command: FeePackageCommand,
  facts: Facts,
): Needs | undefined {
  if (command.type === 'CreateFeePackage') return needsLedger(command.fields.ledgerId, facts);
  const ledgerId = packages.get(command.id)?.ledgerId;
  const image = records.needs(packages, { type: 'DeleteFeePackage', id: command.id }, facts);
  if (image !== undefined || command.type === 'DeleteFeePackage') return image;
  if (ledgerId === undefined || command.changes.fees === undefined) return undefined;
  return needsLedger(ledgerId, facts);
}

export function decidePackage(
  packages: FeePackages,
  command: FeePackageCommand,
  facts: Facts,
  stamp: Stamp,
): Decision<FeePackageEvent> {
  switch (command.type) {
    case 'CreateFeePackage': {
      const { fields } = command;
      checkPackage(fields, fields);
      checkReferences(fields, {}, facts);
      checkRange(fields, packages.all());
      return records.decide(packages, command, facts, stamp, {});
    }
    case 'UpdateFeePackage': {
      const known = existing(packages, command);
      const changes = mergedChanges(known, command.changes);
      const merged = { ...known, ...changes };
      checkPackage(merged, changes);
      checkReferences({ ...merged, segmentId: null }, known.fees, facts);
      if (changes.minimumAmount !== undefined || changes.maximumAmount !== undefined) {
        checkRange(
          merged,
          [...packages.all()].filter(({ id }) => id !== known.id),
        );
      }
      const update = { type: 'UpdateFeePackage', id: known.id, changes } as const;
      return records.decide(packages, update, facts, stamp, {});
    }
    case 'DeleteFeePackage': {
      const { id } = existing(packages, command);
      return records.decide(packages, { type: 'DeleteFeePackage', id }, facts, stamp, {});
    }
  }
}

/** Errors: NOT_FOUND, also for a package of another ledger than that of the path. */
function existing(
  packages: FeePackages,
  { id, ledgerId }: Readonly<{ id: Uuid; ledgerId?: Uuid | undefined }>,
): LivePackage {
  const known = packages.get(id);
  const isElsewhere = ledgerId !== undefined && known?.ledgerId !== ledgerId;
  if (known === undefined || isElsewhere) {
    throw refuse('NOT_FOUND', 'There is no such package.');
  }
  return known;
}

/** Errors: FEE_NOTHING_TO_UPDATE; those of mergedFees. */
function mergedChanges(known: LivePackage, { fees: sent, ...others }: FeePackageChanges) {
  const fees = mergedFees(known.fees, sent);
  const changes = { ...others, ...(fees !== undefined && { fees }) };
  if (Object.values<unknown>(changes).some((value) => value !== undefined)) return changes;
  throw refuse('FEE_NOTHING_TO_UPDATE', 'The update has no member that changes the package.');
}

/**
 * Requires the records to which a package begins to refer; the journal of their ledger is asked. Errors: NOT_FOUND for
 * the segment, FEE_CREDIT_ACCOUNT_NOT_FOUND, also when there is no such ledger.
 */
function checkReferences(
  { organizationId, ledgerId, segmentId, fees }: Referring,
  before: Fees,
  facts: Facts,
): void {
  const known = new Set(Object.values(before).map(({ creditAccount }) => creditAccount));
  const ledger = liveLedgerIn(facts.journal(ledgerJournal(ledgerId)), organizationId);
  for (const [key, { creditAccount }] of Object.entries(fees)) {
    if (known.has(creditAccount) || ledger?.accountNamed(creditAccount) !== undefined) continue;
    const detail = `The ledger has no account ${creditAccount}.`;
    const location = `fees.${key}.creditAccount`;
    const findings = [{ location, message: 'is no account of the ledger', value: creditAccount }];
    throw refuse('FEE_CREDIT_ACCOUNT_NOT_FOUND', detail, { findings });
  }
  if (segmentId === null || ledger?.hasSegment(segmentId) === true) return;
  throw refuse('NOT_FOUND', 'The ledger has no such segment.', {
    entityType: 'Segment',
    findings: [{ location: 'segmentId', message: 'is no segment of the ledger', value: segmentId }],
  });
}

type Referring = Pick<FeePackageFields, 'organizationId' | 'ledgerId' | 'segmentId' | 'fees'>;

const needsLedger = (ledgerId: Uuid, facts: Facts): Needs | undefined => {
  const journal = ledgerJournal(ledgerId);
  return facts.journal(journal) === undefined ? { journals: [journal] } : undefined;
};

/** Copies the rules, which would otherwise keep the request in memory that they were cut from. */
const detachedRules = <Rules extends object>(rules: Rules): Rules =>
  JSON.parse(JSON.stringify(rules)) as Rules;
