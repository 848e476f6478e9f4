import { pageFilters, pageReply } from '#queries/paging.ts';
import { notFound, readRow, readRows } from '#queries/reading.ts';
import { created, ok } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import { instant, name, pageOf, record, uuid } from '#src/kernel/schema-fragments.ts';
import { labelRoutes } from './labels.ts';
import { voucherServices } from './settings.ts';
import { voucherProjection, vouchersJournal, voucherText } from './vouchers.ts';

const PATH = '/v1/organizations/{organization_id}/vouchers';
const voucherSchema = {
  title: 'Voucher',
  ...record(
    {
      id: uuid,
      organizationId: uuid,
      name: { type: 'string' },
      status: { type: 'string' },
      createdAt: instant,
    },
    [...(['id', 'organizationId', 'name', 'status', 'createdAt'] as const)],
  ),
} as const;
const common = { tag: 'Vouchers', entityType: 'Voucher' } as const;

export const routes = [
  ...labelRoutes,
  route({
    ...common,
    permission: 'vouchers:post',
    operationId: 'issueVoucher',
    summary: 'Issue a voucher',
    method: 'post',
    path: PATH,
    body: record({ name: name(20) }, ['name']),
    replies: { 201: voucherSchema },
    refusals: ['VOUCHER_NAME_TAKEN', 'VOUCHERS_EXHAUSTED'],
    handle: async (request, services) => {
      const journal = vouchersJournal(request.path.organization_id);
      const { organization_id: organizationId } = request.path;
      const { name } = request.body;
      const { vouchersMax } = voucherServices(services);
      const command = { type: 'IssueVoucher', organizationId, name, vouchersMax } as const;
      const { events, revision } = await services.commands.submit(request, journal, command);
      const token = { [journal.name]: revision };
      return created(JSON.stringify(events[0]!.data.voucher), { token });
    },
  }),
  route({
    ...common,
    permission: 'vouchers:post',
    operationId: 'redeemVoucher',
    summary: 'Begin to redeem a voucher; what follows is left to be resumed',
    method: 'post',
    path: `${PATH}/{voucher_id}/redeem`,
    replies: { 200: voucherSchema },
    refusals: ['NOT_FOUND'],
    handle: async (request, { commands }) => {
      const journal = vouchersJournal(request.path.organization_id);
      const command = { type: 'BeginRedemption', id: request.path.voucher_id } as const;
      const { events, revision } = await commands.submit(request, journal, command);
      const token = { [journal.name]: revision };
      return ok(JSON.stringify(events[0]!.data.voucher), { token });
    },
  }),
  route({
    ...common,
    permission: 'vouchers:get',
    operationId: 'getVoucher',
    summary: 'Retrieve a voucher',
    method: 'get',
    path: `${PATH}/{voucher_id}`,
    replies: { 200: voucherSchema },
    refusals: ['NOT_FOUND'],
    handle: async (request, services) => {
      const row = await readRow(services, request, {
        of: voucherProjection,
        after: vouchersJournal(request.path.organization_id).name,
        where: { id: request.path.voucher_id, organizationId: request.path.organization_id },
      });
      if (row === undefined) throw notFound('voucher');
      return ok(voucherText(row));
    },
  }),
  route({
    ...common,
    permission: 'vouchers:get',
    operationId: 'listVouchers',
    summary: 'List vouchers',
    method: 'get',
    path: PATH,
    paging: 'page',
    replies: { 200: pageOf(voucherSchema) },
    refusals: [],
    handle: async (request, services) => {
      const sequence = await readRows(services, request, {
        of: voucherProjection,
        after: vouchersJournal(request.path.organization_id).name,
        where: { organizationId: request.path.organization_id },
        filters: pageFilters(request.page),
      });
      return pageReply(sequence, request.page);
    },
  }),
];
