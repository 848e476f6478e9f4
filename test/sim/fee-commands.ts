import { journalOfFees } from '#commands/fees/fees.ts';
import type { FeePackageChanges } from '#commands/fees/packages/fee-packages.ts';
import type { CalculationModel, Fee, FeePackageRecord } from '#src/events/fees/fee-package.ts';
import type { BookedLedger } from './booked.ts';
import { ALIASES, inLedger, KEY, orgOf, VALUES } from './fixtures.ts';
import type { Random } from './random.ts';
import type { Command, CommandWish } from './request.ts';

/** Creates, changes or deletes a package of fees of a ledger; `packages` are those that it has. */
export function feeCommand(
  random: Random,
  of: BookedLedger,
  packages: readonly FeePackageRecord[],
): CommandWish {
  const few = packages.length < PACKAGES_WANTED;
  const what = random.weighted({ create: few ? 3 : 0.5, change: few ? 1 : 3, delete: 0.7 });
  const one = packages.length === 0 ? undefined : random.pick(packages);
  if (what === 'create' || one === undefined) return inFees('package', of, creation(random, of));
  const { id, ledgerId } = one;
  if (what === 'delete') {
    return inFees('package change', of, { type: 'DeleteFeePackage', id, ledgerId });
  }
  const changes = changesOf(random, of, one);
  return inFees('package change', of, { type: 'UpdateFeePackage', id, ledgerId, changes });
}

function inFees(
  kind: 'package' | 'package change',
  of: BookedLedger,
  command: Command,
): CommandWish {
  return { ...inLedger(kind, of, command), journal: { name: journalOfFees(orgOf(of)).name } };
}

function creation(random: Random, of: BookedLedger): Command {
  const [minimumAmount, maximumAmount] = random.pick(RANGES);
  const second = random.oneIn(3) ? { second: feeOf(random, of, 2) } : {};
  const fields = {
    organizationId: orgOf(of),
    ledgerId: of.id as FeePackageRecord['ledgerId'],
    feeGroupLabel: 'Simulated',
    description: null,
    segmentId: null,
    transactionRoute: null,
    minimumAmount,
    maximumAmount,
    waivedAccounts: waived(random),
    fees: { first: feeOf(random, of, 1), ...second },
    enable: !random.oneIn(10),
    ...(random.oneIn(4) && { metadataSelector: { [KEY]: random.pick(VALUES) } }),
  };
  return { type: 'CreateFeePackage', fields };
}

function changesOf(
  random: Random,
  of: BookedLedger,
  { enable, fees }: FeePackageRecord,
): FeePackageChanges {
  const what = random.pick(['enable', 'waive', 'model', 'replace', 'range', 'label'] as const);
  const [key] = random.pick(Object.entries(fees));
  switch (what) {
    case 'enable':
      return { enable: !enable };
    case 'waive':
      return { waivedAccounts: waived(random) };
    case 'model':
      return { fees: { [key]: { calculationModel: random.pick(MODELS) } } };
    case 'replace':
      return { fees: { [key]: null, third: feeOf(random, of, 3) } };
    case 'range': {
      const [minimumAmount, maximumAmount] = random.pick(RANGES);
      return { minimumAmount, maximumAmount };
    }
    case 'label':
      return { feeGroupLabel: random.pick(['Simulated', 'Renamed']) };
  }
}

/** Seldom to somebody who is not there; to an account of any asset, which is not always that of the transaction. */
function feeOf(random: Random, { accounts }: BookedLedger, priority: number): Fee {
  const own = [...accounts.values()].filter(({ external }) => !external);
  const known = own.length > 0 && !random.oneIn(20);
  const isDeductibleFrom = random.oneIn(3);
  const mayFollow = priority > 1 && !isDeductibleFrom;
  return {
    feeLabel: 'Simulated',
    calculationModel: random.pick(MODELS),
    referenceAmount: mayFollow && random.oneIn(2) ? 'afterFeesAmount' : 'originalAmount',
    priority,
    isDeductibleFrom,
    creditAccount: known ? random.pick(own).alias : random.pick(ALIASES),
  };
}

const waived = (random: Random): readonly string[] | null =>
  random.oneIn(3) ? [random.pick(ALIASES), random.pick(ALIASES)] : null;

const flat = (value: string) => ({ type: 'flat', value }) as const;
const percentage = (value: string) => ({ type: 'percentage', value }) as const;

/** Some totals have parts that no number of digits holds; a flat fee of 30 is more than many transactions move. */
const MODELS: readonly CalculationModel[] = [
  { applicationRule: 'flatFee', calculations: [flat('0.5')] },
  { applicationRule: 'flatFee', calculations: [flat('30')] },
  { applicationRule: 'percentual', calculations: [percentage('2.5')] },
  { applicationRule: 'percentual', calculations: [percentage('33.3')] },
  { applicationRule: 'percentual', calculations: [percentage('0')] },
  { applicationRule: 'maxBetweenTypes', calculations: [flat('1'), percentage('7')] },
];

/** The widest one, which overlaps the others, makes that most transactions are charged. */
const RANGES = [
  ['1', '1000'],
  ['1', '1000'],
  ['1', '20'],
  ['20.01', '50'],
  ['50.01', '1000'],
  ['1', '1000'],
] as const;
const PACKAGES_WANTED = 2;
