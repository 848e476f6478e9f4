import { recordProjection } from '#projections/record.ts';
import { equal } from '#queries/reading.ts';
import { recordRenderer } from '#queries/record.ts';
import { refuse } from '#src/events/fees/refusals.ts';
import { ok } from '#src/http/reply.ts';
import { route, type Route } from '#src/http/route.ts';
import type { Filters } from '#src/kernel/filters.ts';
import { feePackageRows, feePackageView } from '#src/resources/fees/fee-package.ts';
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

const projection = recordProjection(feePackageRows);
const render = recordRenderer(feePackageRows);

const facts = {
  tag: 'Fee packages',
  method: 'get',
  entityType: 'FeePackage',
  permission: { namespace: 'plugin-fees', resource: 'packages', action: 'get' },
} as const;

const filters = (form: FeeForm) =>
  ({
    segmentId: { type: 'string', format: 'uuid' },
    ledgerId: ledgerFilter(form),
    transactionRoute: { type: 'string' },
    enable: { type: 'string', enum: ['true', 'false'] },
  }) as const satisfies Filters;

export const feePackageReadRoutes: readonly Route[] = FEE_FORMS.flatMap((form) => [
  route({
    ...facts,
    codes: codesOf(form),
    operationId: `listFeePackages${suffixOf[form]}`,
    summary: `List fee packages${form === 'ledger' ? ' of a ledger' : ''}`,
    description:
      'Returns the packages that are not deleted, disabled ones included, in the order of their creation. `total` ' +
      'counts all that match every filter that is sent.',
    path: `${pathOf[form]}/packages`,
    paging: 'page',
    noMetadata: true,
    pageRefusal: 'FEE_PAGE_INVALID',
    filters: filters(form),
    replies: { 200: countedPageOf(feePackageView) },
    refusals: parentRefusals[form],
    handle: (request, services) => {
      const { segmentId, ledgerId, transactionRoute, enable } = request.query;
      return pageInForm(form, projection, request, services, [
        ...equal('segmentId', segmentId),
        ...equal('ledgerId', ledgerId),
        ...equal('transactionRoute', transactionRoute),
        ...equal('enable', enable),
      ]);
    },
  }),

  route({
    ...facts,
    codes: codesOf(form),
    operationId: `getFeePackage${suffixOf[form]}`,
    summary: `Retrieve a fee package${form === 'ledger' ? ' of a ledger' : ''}`,
    description: 'A disabled package is returned; a deleted one is refused with 404.',
    path: `${pathOf[form]}/packages/{package_id}`,
    replies: { 200: feePackageView },
    refusals: [...parentRefusals[form], 'NOT_FOUND'],
    handle: async (request, services) => {
      const { package_id: id } = request.path as PathInForm;
      const row = await rowInForm(form, projection, request, services, id);
      if (row !== undefined) return ok(render(row));
      throw refuse('NOT_FOUND', 'There is no such package.');
    },
  }),
]);
