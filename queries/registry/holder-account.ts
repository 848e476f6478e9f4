import { accountProjection } from '#projections/ledger/account.ts';
import { ledgerProjection } from '#projections/ledger/ledger.ts';
import { DELETED_LEDGERS, holderAccountProjection } from '#projections/registry/holder-account.ts';
import { accountText } from '#queries/ledger/renderers.ts';
import { pageFilters, pageReply, type Sequence } from '#queries/paging.ts';
import { readRows } from '#queries/reading.ts';
import { holderNotFound } from '#src/events/registry/absent.ts';
import type { Request } from '#src/http/request.ts';
import { route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { pageOf } from '#src/kernel/schema-fragments.ts';
import type { Condition, Row } from '#src/ports/read-store.ts';
import { accountSchema } from '#src/resources/ledger/account.ts';
import { readHolder } from './holder.ts';

type OfHolder = Request<Readonly<{ organization_id: Uuid; holder_id: Uuid }>>;

/** Contract registry-and-fees §A2. */
export const holderAccountRoutes = [
  route({
    operationId: 'listHolderAccounts',
    summary: 'List the accounts that a holder owns, in all ledgers of the organization',
    description:
      'The organization itself is the owner of every account that was opened without a holder, external ones excepted.',
    tag: 'Holders',
    method: 'get',
    path: '/v1/organizations/{organization_id}/holders/{holder_id}/accounts',
    only: 'path',
    permission: 'holders:get',
    entityType: 'Holder',
    paging: 'page',
    noMetadata: true,
    filters: {
      ledger_id: {
        type: 'string',
        format: 'uuid',
        description: 'Lists only the accounts in this ledger.',
      },
    },
    replies: { 200: pageOf(accountSchema) },
    refusals: ['ORGANIZATION_NOT_FOUND', 'HOLDER_NOT_FOUND'],
    async handle(request, services) {
      const { path, query, page } = request;
      if ((await readHolder(request, services, false)) === undefined) throw holderNotFound();
      await services.progress.reached(ACCOUNTS.name, 'ledger', request.consistencyToken);
      const sequence = await readRows(services, request, {
        of: holderAccountProjection,
        after: 'ledger',
        where: {
          organizationId: path.organization_id,
          holderId: path.holder_id,
          ...(query.ledger_id !== undefined && { ledgerId: query.ledger_id.toLowerCase() }),
        },
        filters: [...(await inLiveLedgers(request, services)), ...pageFilters(page)],
      });
      return pageReply(withAccounts(sequence, request, services), page);
    },
  }),
];

/**
 * Leaves out the accounts of deleted ledgers. Most organizations have deleted none, and their lists need no condition.
 * Errors: as readRow.
 */
async function inLiveLedgers(request: OfHolder, services: Services): Promise<readonly Condition[]> {
  const { organization_id: organizationId } = request.path;
  const { tenantId } = request.context;
  const deleted = { tenantId, organizationId, holderId: DELETED_LEDGERS };
  const marks = { where: deleted, order: 'asc', limit: 1 } as const;
  const found = await services.reads.list(holderAccountProjection.collection, marks);
  if (found.length === 0) return [];

  const { collection } = ledgerProjection;
  await services.progress.reached(collection.name, 'ledger', request.consistencyToken);
  const live: Row[] = [];
  for (;;) {
    const after = live.at(-1)?.born;
    const rows = await services.reads.list(collection, {
      ...{ where: { tenantId, organizationId }, order: 'asc', limit: LEDGERS_AT_ONCE },
      ...(after !== undefined && { after }),
    });
    live.push(...rows);
    if (rows.length < LEDGERS_AT_ONCE) break;
  }
  return [{ key: 'ledgerId', in: live.map(({ id }) => id) }];
}

/** Renders the accounts of each page, whose rows hold their ids; one that was deleted meanwhile is left out. */
const withAccounts = (sequence: Sequence, request: OfHolder, services: Services): Sequence => ({
  ...sequence,
  async page(stretch) {
    const page = await sequence.page(stretch);
    const { items } = page;
    const text = typeof items === 'string' ? items : Buffer.from(items).toString();
    const ids = (JSON.parse(`[${text}]`) as readonly Readonly<{ id: string }>[]).map(
      ({ id }) => id,
    );
    const { tenantId } = request.context;
    const found = await services.reads.getAll(ACCOUNTS, ids, { tenantId });
    const texts = new Map(found.map((row) => [row.id, accountText(row)]));
    return { ...page, items: ids.flatMap((id) => texts.get(id) ?? []).join() };
  },
});

const ACCOUNTS = accountProjection.collection;
const LEDGERS_AT_ONCE = 250;
