import {
  applicablePackage,
  isInRange,
  sharedSegment,
} from '#commands/fees/calculation/applicable-package.ts';
import { assetScale } from '#commands/fees/calculation/asset-scale.ts';
import { chargeFees } from '#commands/fees/calculation/charge-fees.ts';
import { explainFees } from '#commands/fees/calculation/explain-fees.ts';
import {
  preparePackage,
  type PreparedPackage,
} from '#commands/fees/calculation/prepared-package.ts';
import {
  chargeableOf,
  feeMetadata,
  withFees,
} from '#commands/fees/calculation/transaction-with-fees.ts';
import type { FeesFact } from '#commands/fees/fees.ts';
import { parentsCheck, requireLedger } from '#commands/ledger/api/parents.ts';
import { sendBodyLocations } from '#commands/ledger/api/locations.ts';
import { liveLedgerIn } from '#commands/ledger/state/journal-facts.ts';
import type { RequestedLeg, TransactionRequest } from '#commands/ledger/transaction/commands.ts';
import type { RequestLocations } from '#commands/ledger/transaction/locations.ts';
import { refuse } from '#src/events/fees/refusals.ts';
import { ok } from '#src/http/reply.ts';
import type { Request } from '#src/http/request.ts';
import { route, type Route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import type { ChargeableTransaction } from '#src/kernel/fee-charge.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { feesJournal, ledgerJournal } from '#src/kernel/journal-name.ts';
import {
  calculateBody,
  calculatedView,
  estimateBodies,
  estimateView,
} from '#src/resources/fees/calculation.ts';
import {
  codesOf,
  FEE_FORMS,
  parentRefusals,
  pathOf,
  suffixOf,
  type FeeForm,
  type PathInForm,
} from '#src/resources/fees/forms.ts';
import { requireParents } from './in-form.ts';
import { feeServices } from './services.ts';

/** The refusals of a transaction whose fees are calculated. */
const CALCULATION = [
  ...(['LEDGER_NOT_FOUND', 'LEG_QUANTITY', 'TOTALS_DIFFER', 'VALUE_NOT_POSITIVE'] as const),
  ...(['ASSET_NOT_FOUND', 'FEE_DEDUCTION_TOO_LARGE', 'FEE_NOT_COMPUTABLE'] as const),
];

const facts = (resource: string, form: FeeForm) => {
  const admit = form === 'header' ? undefined : parentsCheck(`${pathOf[form]}/`);
  return {
    tag: 'Fees',
    method: 'post',
    permission: { namespace: 'plugin-fees', resource, action: 'post' },
    codes: codesOf(form),
    noUniqueMetadata: true,
    ...(admit && { admit }),
  } as const;
};

export const calculateRoutes: readonly Route[] = [
  route({
    ...facts('fees', 'header'),
    operationId: 'calculateFees',
    summary: 'Calculate the fees of a transaction',
    description:
      'Chooses the package that applies and returns the transaction with its fees, to be posted under version 1. Nothing ' +
      'is stored. `explain` has an entry for each fee: its rule, reference amount, rounding and total.',
    path: `${pathOf.header}/fees`,
    entityType: 'Fee',
    body: calculateBody,
    replies: { 200: calculatedView },
    refusals: [...CALCULATION, 'FEE_PACKAGES_AMBIGUOUS'],
    async handle(request, services) {
      const { segmentId, ledgerId } = request.body;
      const occasion = await occasionOf(request, services, ledgerId);
      const { transaction, chargeable, packages } = occasion;
      const { metadata = {}, routeId, route: named } = transaction;
      const applied = applicablePackage(packages?.packagesOf(ledgerId) ?? [], {
        ...{ routeId, route: named, metadata, value: chargeable.value },
        segmentId: segmentId ?? sharedSegment(chargeable.from),
      });
      const scale = assetScale(transaction.send.asset, feeServices(services).scales);
      const { isNothing: _, ...found } = charged(occasion, applied, scale);
      const shown = { segmentId: segmentId ?? null, ledgerId, ...found };
      return ok(JSON.stringify(shown));
    },
  }),

  ...FEE_FORMS.map((form) =>
    route({
      ...facts('estimates', form),
      operationId: `estimateFees${suffixOf[form]}`,
      summary: 'Estimate the fees of a transaction with a package',
      description:
        'Charges the package that the request names, even a disabled one, if the value is within its amounts. Nothing is ' +
        'stored.',
      path: `${pathOf[form]}/estimates`,
      entityType: 'Estimate',
      body: estimateBodies[form],
      replies: { 200: estimateView },
      refusals: [...parentRefusals[form], ...CALCULATION, 'NOT_FOUND'],
      async handle(request, services) {
        await requireParents(form, request, services);
        const sent = request.body as Readonly<{ packageId: Uuid; ledgerId?: Uuid }>;
        const ledgerId = sent.ledgerId ?? (request.path as PathInForm).ledger_id!;
        const occasion = await occasionOf(request, services, ledgerId);
        const { packages, chargeable, transaction } = occasion;
        const named = packages?.packageWith(sent.packageId);
        if (named?.ledgerId !== ledgerId) {
          throw refuse('NOT_FOUND', 'There is no such package.', { entityType: 'FeePackage' });
        }
        const prepared = preparePackage(named);
        const asked = isInRange(prepared, chargeable.value) ? prepared : undefined;
        const { scales } = feeServices(services);
        const scale = form === 'header' ? assetScale(transaction.send.asset, scales) : undefined;
        const found = charged(occasion, asked, scale, 'estimate');
        if (found.isNothing) return ok(JSON.stringify(NOTHING));
        const { segmentId } = named;
        const shown = {
          ...(segmentId !== null && { segmentId }),
          ledgerId,
          transaction: form === 'ledger' ? found.transaction : withUnset(found.transaction),
          explain: found.explain,
        };
        return ok(JSON.stringify({ message: 'Fees estimated', feesApplied: shown }));
      },
    }),
  ),
];

/** Clients accept exactly this text without fees. */
const NOTHING = { message: 'no matching fee rules found', feesApplied: null } as const;

type FeeOccasionFacts = Readonly<{
  transaction: TransactionRequest;
  chargeable: ChargeableTransaction;
  packages: FeesFact | undefined;
}>;

/**
 * Reads the transaction of a request, with the segments of its accounts and the packages of its organization, from the
 * journals that own them. Errors: LEDGER_NOT_FOUND, those of chargeableOf, Unavailable.
 */
async function occasionOf(
  request: Request,
  { commands }: Services,
  ledgerId: Uuid,
): Promise<FeeOccasionFacts> {
  const { organization_id: organizationId } = request.path as PathInForm;
  await requireLedger(commands, request, organizationId, ledgerId);
  const ledger = liveLedgerIn(
    await commands.fact(request, ledgerJournal(ledgerId)),
    organizationId,
  );
  const packages = (await commands.fact(request, feesJournal(organizationId))) as
    FeesFact | undefined;
  const { transaction } = request.body as Readonly<{ transaction: TransactionRequest }>;
  const segmentOf = (alias: string) => ledger?.accountNamed(alias)?.segmentId;
  return { transaction, chargeable: chargeableOf(transaction, segmentOf, LOCATIONS), packages };
}

/** `isNothing`: a package was charged, but it took nothing and exempted nobody. */
function charged(
  { transaction, chargeable }: FeeOccasionFacts,
  applied: PreparedPackage | undefined,
  scale: number | undefined,
  as?: 'estimate',
) {
  if (applied === undefined) {
    const { value, to } = chargeable;
    const amounts = to.map(({ amount }) => amount);
    const unchanged = { value, to: amounts, feesFrom: [], feesTo: [] };
    const shown = withFees(transaction, chargeable, unchanged, {});
    return { transaction: shown, explain: [], isNothing: false };
  }
  const result = chargeFees(applied, chargeable, scale);
  const metadata = feeMetadata(applied.id, result, as === 'estimate');
  return {
    transaction: withFees(transaction, chargeable, result, metadata),
    explain: explainFees(applied.id, result.fees, scale),
    isNothing: !result.isCharged && result.exemption === undefined,
  };
}

/** Shows the members of legs that version 1 shows when they are not set. */
function withUnset({ send, ...rest }: TransactionRequest): object {
  const shown = (leg: RequestedLeg) => ({
    ...leg,
    chartOfAccounts: leg.chartOfAccounts ?? '',
    metadata: leg.metadata ?? null,
  });
  return {
    ...rest,
    send: {
      ...send,
      source: { ...send.source, from: send.source.from.map(shown) },
      distribute: { ...send.distribute, to: send.distribute.to.map(shown) },
    },
  };
}

/** The transaction is a member of the body. */
const LOCATIONS: RequestLocations = {
  ...sendBodyLocations,
  asset: `transaction.${sendBodyLocations.asset}`,
  value: `transaction.${sendBodyLocations.value}`,
  lists: {
    debit: `transaction.${sendBodyLocations.lists.debit}`,
    credit: `transaction.${sendBodyLocations.lists.credit}`,
  },
};
