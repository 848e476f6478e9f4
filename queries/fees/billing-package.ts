import { recordProjection } from '#projections/record.ts';
import { equal } from '#queries/reading.ts';
import { BILLING_TYPES } from '#src/events/fees/billing-package.ts';
import { refuse } from '#src/events/fees/refusals.ts';
import { ok } from '#src/http/reply.ts';
import { route, type Route } from '#src/http/route.ts';
import type { Filters } from '#src/kernel/filters.ts';
import { billingPackageRows, billingPackageView } from '#src/resources/fees/billing-package.ts';
import {
  codesOf,
  FEE_FORMS,
  parentRefusals,
  pathOf,
  suffixOf,
  type FeeForm,
  type PathInForm,
} from '#src/resources/fees/forms.ts';
import { countedPageOf, ledgerFilter, pageInForm, rowInForm } from './in-form.ts';
import { renderBillingPackage } from './renderers.ts';

const projection = recordProjection(billingPackageRows);

const facts = {
  tag: 'Billing packages',
  method: 'get',
  entityType: 'BillingPackage',
  permission: { namespace: 'plugin-fees', resource: 'billing-packages', action: 'get' },
} as const;

const filters = (form: FeeForm) =>
  ({
    type: { type: 'string', enum: BILLING_TYPES, refusal: 'BILLING_TYPE_UNKNOWN' },
    ledgerId: ledgerFilter(form),
  }) as const satisfies Filters;

export const billingPackageReadRoutes: readonly Route[] = FEE_FORMS.flatMap((form) => [
  route({
    ...facts,
    codes: codesOf(form),
    operationId: `listBillingPackages${suffixOf[form]}`,
    summary: `List billing packages${form === 'ledger' ? ' of a ledger' : ''}`,
    description:
      'Returns the packages that are not deleted, disabled ones included, in the order of their creation. `total` ' +
      'counts all that match every filter that is sent.',
    path: `${pathOf[form]}/billing-packages`,
    paging: 'page',
    noMetadata: true,
    pageRefusal: 'FEE_PAGE_INVALID',
    filters: filters(form),
    replies: { 200: countedPageOf(billingPackageView) },
    refusals: parentRefusals[form],
    handle: (request, services) => {
      const { type, ledgerId } = request.query;
      return pageInForm(form, projection, request, services, [
        ...equal('type', type),
        ...equal('ledgerId', ledgerId),
      ]);
    },
  }),

  route({
    ...facts,
    codes: codesOf(form),
    operationId: `getBillingPackage${suffixOf[form]}`,
    summary: `Retrieve a billing package${form === 'ledger' ? ' of a ledger' : ''}`,
    description: 'A disabled package is returned; a deleted one is refused with 404.',
    path: `${pathOf[form]}/billing-packages/{billing_package_id}`,
    replies: { 200: billingPackageView },
    refusals: [...parentRefusals[form], 'BILLING_PACKAGE_NOT_FOUND'],
    handle: async (request, services) => {
      const { billing_package_id: id } = request.path as PathInForm;
      const row = await rowInForm(form, projection, request, services, id);
      if (row !== undefined) return ok(renderBillingPackage(row));
      throw refuse('BILLING_PACKAGE_NOT_FOUND', 'There is no such billing package.');
    },
  }),
]);
