import { parentsCheck } from '#commands/ledger/api/parents.ts';
import { feeOf, type FeeChanges } from '#commands/fees/packages/merge-fees.ts';
import type { FeePackageChanges } from '#commands/fees/packages/fee-packages.ts';
import type { FeePackageFields } from '#src/events/fees/fee-package.ts';
import type { FeesEvent } from '#src/events/fees/fees.ts';
import { created, noContent, ok } from '#src/http/reply.ts';
import { route, type Route } from '#src/http/route.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { viewBy } from '#src/kernel/record-resource.ts';
import { feePackageView, packageBodies } from '#src/resources/fees/fee-package.ts';
import {
  codesOf,
  FEE_FORMS,
  parentRefusals,
  pathOf,
  suffixOf,
  type FeeForm,
  type PathInForm,
} from '#src/resources/fees/forms.ts';
import { requireParents, submitToFees } from './in-form.ts';

const view = viewBy(feePackageView);

/** The refusals of a package that breaks its rules. */
const RULES = [
  ...(['FEE_PRIORITY_INVALID', 'FEE_FIRST_REFERENCE', 'FEE_CALCULATION_COUNT'] as const),
  ...(['FEE_PERCENTUAL_TYPE', 'FEE_FLAT_TYPE', 'FEE_TOO_FEW_CALCULATIONS'] as const),
  ...(['FEE_DEDUCTIBLE_REFERENCE', 'FEE_DEDUCTIBLE_PERCENTAGE', 'FEE_DEDUCTIBLE_FLAT'] as const),
  ...(['FEE_MINIMUM_ABOVE_MAXIMUM', 'FEE_CREDIT_ACCOUNT_NOT_FOUND'] as const),
  ...(['FEE_PACKAGE_DUPLICATE', 'FEE_RANGE_OVERLAPS'] as const),
];
const deferrable = (form: FeeForm) => (form === 'header' ? [] : ['FEE_DEFERRABLE_DEDUCTIBLE']);

export const feePackageWriteRoutes: readonly Route[] = FEE_FORMS.flatMap((form) => {
  const admit = form === 'header' ? undefined : parentsCheck(`${pathOf[form]}/`);
  const facts = (action: 'post' | 'patch' | 'delete') =>
    ({
      tag: 'Fee packages',
      method: action,
      entityType: 'FeePackage',
      permission: { namespace: 'plugin-fees', resource: 'packages', action },
      codes: codesOf(form),
      ...(admit && { admit }),
    }) as const;
  const inLedger = form === 'ledger' ? ' of a ledger' : '';
  const { create, update } = packageBodies[form];

  return [
    route({
      ...facts('post'),
      operationId: `createFeePackage${suffixOf[form]}`,
      summary: `Create a fee package${inLedger}`,
      description:
        'The package applies to transactions of its ledger, route and segment whose value is from minimumAmount to ' +
        'maximumAmount. No two packages of one scope have amounts in common.',
      path: `${pathOf[form]}/packages`,
      body: create,
      idempotent: true,
      replies: { 201: feePackageView },
      refusals: [
        ...parentRefusals[form],
        ...(['NOT_FOUND', 'IDEMPOTENCY_KEY_IN_USE', 'TOO_LARGE'] as const),
        ...RULES,
        ...deferrable(form),
      ],
      async handle(request, services) {
        await requireParents(form, request, services);
        const path = request.path as PathInForm;
        const sent = request.body as CreatedPackage;
        const fields = fieldsOf(path, sent);
        const command = { type: 'CreateFeePackage', fields } as const;
        const outcome = await submitToFees(request, services, command, fields.ledgerId);
        const { token, replayed } = outcome;
        return created(shown(outcome.events), { token, replayed });
      },
    }),

    route({
      ...facts('patch'),
      operationId: `updateFeePackage${suffixOf[form]}`,
      summary: `Change a fee package${inLedger}`,
      description:
        'Only the members that are sent change, in each fee too; calculationModel is replaced as a whole. `[]` or null for ' +
        'a key of fees removes that fee. The rules are checked on the package that results.',
      path: `${pathOf[form]}/packages/{package_id}`,
      body: update,
      replies: { 200: feePackageView },
      refusals: [
        ...parentRefusals[form],
        ...(['NOT_FOUND', 'FEE_NOTHING_TO_UPDATE', 'FEE_INCOMPLETE'] as const),
        ...(['FEE_MAXIMUM_BELOW_MINIMUM', 'TOO_MANY_KEYS', 'TOO_LARGE'] as const),
        ...RULES,
        ...deferrable(form),
      ],
      async handle(request, services) {
        await requireParents(form, request, services);
        const { package_id: id, ledger_id: ledgerId } = request.path as PathInForm;
        const changes = request.body as FeePackageChanges;
        const command = { type: 'UpdateFeePackage', id, ledgerId, changes } as const;
        const { events, token } = await submitToFees(request, services, command);
        return ok(shown(events), { token });
      },
    }),

    route({
      ...facts('delete'),
      operationId: `deleteFeePackage${suffixOf[form]}`,
      summary: `Delete a fee package${inLedger}`,
      description:
        'It charges no transaction any more; fees that it charged stay, and so do debts. Deleting it again is ' +
        'refused with 404.',
      path: `${pathOf[form]}/packages/{package_id}`,
      replies: { 204: null },
      refusals: [...parentRefusals[form], 'NOT_FOUND'],
      async handle(request, services) {
        await requireParents(form, request, services);
        const { package_id: id, ledger_id: ledgerId } = request.path as PathInForm;
        const command = { type: 'DeleteFeePackage', id, ledgerId } as const;
        const { token } = await submitToFees(request, services, command);
        return noContent({ token });
      },
    }),
  ];
});

/** The body of a creation in any form; `ledgerId` is in the path or in the body. */
type CreatedPackage = Readonly<{ ledgerId?: Uuid; fees: Readonly<Record<string, FeeChanges>> }> &
  Pick<FeePackageFields, 'feeGroupLabel' | 'minimumAmount' | 'maximumAmount' | 'enable'> &
  Partial<
    Pick<
      FeePackageFields,
      'description' | 'segmentId' | 'transactionRoute' | 'waivedAccounts' | 'metadataSelector'
    >
  >;

function fieldsOf(path: PathInForm, sent: CreatedPackage): FeePackageFields {
  const { ledgerId = path.ledger_id, metadataSelector } = sent;
  if (ledgerId === undefined) throw new Error('A package names its ledger');
  const fees = Object.entries(sent.fees).map(([key, fee]) => [key, feeOf(fee)] as const);
  return {
    organizationId: path.organization_id,
    ledgerId,
    feeGroupLabel: sent.feeGroupLabel,
    description: sent.description ?? null,
    segmentId: sent.segmentId ?? null,
    transactionRoute: sent.transactionRoute ?? null,
    minimumAmount: sent.minimumAmount,
    maximumAmount: sent.maximumAmount,
    waivedAccounts: sent.waivedAccounts ?? null,
    fees: Object.fromEntries(fees),
    enable: sent.enable,
    ...(metadataSelector && { metadataSelector }),
  };
}

function shown([event]: readonly FeesEvent[]): string {
  if (event !== undefined && 'feePackage' in event.data) {
    return JSON.stringify(view(event.data.feePackage));
  }
  throw new Error('A change of a package is one event');
}
