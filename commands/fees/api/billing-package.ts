import type { BillingPackageChanges } from '#commands/fees/billing/billing-packages.ts';
import {
  newBillingPackage,
  type SentBillingPackage,
} from '#commands/fees/billing/new-billing-package.ts';
import type { FeesCommand } from '#commands/fees/fees.ts';
import { parentsCheck, requireLedger } from '#commands/ledger/api/parents.ts';
import { recordWriteRoutes, type RecordHome } from '#src/http/record-routes.ts';
import type { Route } from '#src/http/route.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import {
  billingPackageBodies,
  billingPackageChanges,
  billingPackageView,
  shownBillingPackage,
} from '#src/resources/fees/billing-package.ts';
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

export const billingPackageWriteRoutes: readonly Route[] = FEE_FORMS.flatMap((form) =>
  recordWriteRoutes(resourceOf(form), homeOf(form)),
);

function resourceOf(form: FeeForm) {
  return {
    name: 'BillingPackage',
    nouns: ['a billing package', 'billing packages'],
    tag: 'Billing packages',
    path: 'billing-packages',
    namespace: 'plugin-fees',
    create: billingPackageBodies[form],
    update: billingPackageChanges,
    view: billingPackageView,
    notes: { create: 'a volume package charges transactions, a maintenance package accounts' },
    remarks: {
      create: 'Only one enabled volume package of a ledger may have the same transaction route.',
      update:
        'Enabling a volume package is refused if another enabled one has its transaction route.',
      delete: 'It is left out of calculations from then on, also for earlier periods.',
    },
    refusals: {
      notFound: 'BILLING_PACKAGE_NOT_FOUND',
      create: [
        ...(form === 'ledger' ? [] : ['LEDGER_NOT_FOUND']),
        ...(['BILLING_VOLUME_INCOMPLETE', 'BILLING_MAINTENANCE_INCOMPLETE'] as const),
        ...(['BILLING_ROUTE_TAKEN', 'IDEMPOTENCY_KEY_IN_USE', 'TOO_LARGE'] as const),
      ],
      update: ['BILLING_ROUTE_TAKEN'],
    },
  } as const;
}

function homeOf(form: FeeForm): RecordHome {
  const admit = form === 'header' ? undefined : parentsCheck(`${pathOf[form]}/`);
  return {
    path: pathOf[form],
    ...(form === 'ledger' && { owner: 'a ledger' }),
    operationId: (action, name) => `${action}${name}${suffixOf[form]}`,
    refusals: parentRefusals[form],
    ...(admit && { admit }),
    codes: codesOf(form),
    idempotent: true,
    async submit(request, services, sent) {
      await requireParents(form, request, services);
      const { organization_id: organizationId, ledger_id: ledgerInPath } =
        request.path as PathInForm;
      if (!('fields' in sent)) {
        const command = { ...sent, ledgerId: ledgerInPath } as ChangeCommand as FeesCommand;
        return submitToFees(request, services, command);
      }
      const { ledgerId = ledgerInPath, ...fields } = sent.fields as NewBillingPackageBody;
      if (ledgerId === undefined) throw new Error('A package names its ledger');
      if (form !== 'ledger')
        await requireLedger(services.commands, request, organizationId, ledgerId);
      const command = {
        type: 'CreateBillingPackage',
        fields: newBillingPackage({ organizationId, ledgerId }, fields),
      } as const;
      return submitToFees(request, services, command, ledgerId);
    },
    show: (data) =>
      Promise.resolve(
        shownBillingPackage((data as Readonly<{ billingPackage: object }>).billingPackage),
      ),
  };
}

/** `ledgerId` is in the path or in the body. */
type NewBillingPackageBody = SentBillingPackage & Readonly<{ ledgerId?: Uuid }>;

type ChangeCommand = Readonly<{ type: string; id?: Uuid; changes?: BillingPackageChanges }>;
