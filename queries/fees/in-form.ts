import { requireLedger, requireOrganization } from '#queries/ledger/parents.ts';
import { pageFilters, pageReply } from '#queries/paging.ts';
import { readRow, readRows, type Reading } from '#queries/reading.ts';
import type { Reply } from '#src/http/reply.ts';
import type { PageRequest, Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { feesJournal } from '#src/kernel/journal-name.ts';
import { record } from '#src/kernel/schema-fragments.ts';
import type { Schema } from '#src/kernel/schema.ts';
import type { Projection } from '#src/ports/projection.ts';
import type { Condition, Row } from '#src/ports/read-store.ts';
import { mustNotBeNil, type FeeForm, type PathInForm } from '#src/resources/fees/forms.ts';

/** The rows of an organization that an operation of this form sees. Errors: as the commands' requireParents. */
async function reading(
  form: FeeForm,
  of: Projection,
  request: Request,
  services: Services,
): Promise<Reading> {
  const { organization_id: organizationId, ledger_id: ledgerId } = request.path as PathInForm;
  mustNotBeNil(ledgerId);
  if (ledgerId !== undefined) await requireLedger(services, request, organizationId, ledgerId);
  else if (form !== 'header') await requireOrganization(services, request, organizationId);
  const where = { organizationId, ...(ledgerId !== undefined && { ledgerId }) };
  return { of, after: feesJournal(organizationId), where };
}

/** Reads one row that the form sees; undefined if there is none. Errors: as readRow. */
export async function rowInForm(
  form: FeeForm,
  of: Projection,
  request: Request,
  services: Services,
  id: Uuid,
): Promise<Row | undefined> {
  const { where, ...rest } = await reading(form, of, request, services);
  return readRow(services, request, { ...rest, where: { ...where, id } });
}

/** Lists by page number, with the number of all rows that match. Errors: as pageReply. */
export async function pageInForm(
  form: FeeForm,
  of: Projection,
  request: Request<unknown, unknown, unknown, PageRequest>,
  services: Services,
  filters: readonly Condition[],
): Promise<Reply> {
  const { page } = request;
  const all = [...filters, ...pageFilters(page)];
  const found = await reading(form, of, request, services);
  const sequence = await readRows(services, request, { ...found, filters: all });
  const reply = await pageReply(sequence, { ...page, page: page.page ?? 1 });
  const { tenantId } = request.context;
  const where = { ...found.where, tenantId };
  let total = 0;
  let after: Row['born'] | undefined;
  for (;;) {
    const listing = { where, filters: all, order: 'asc', limit: COUNTED_AT_ONCE } as const;
    const rows = await services.reads.list(of.collection, {
      ...listing,
      ...(after !== undefined && { after }),
    });
    total += rows.length;
    after = rows.at(-1)?.born;
    if (rows.length < COUNTED_AT_ONCE) return { ...reply, body: withTotal(reply.body, total) };
  }
}

/** Version 2 names the ledger in the path, and refuses it in the query. */
export const ledgerFilter = (form: FeeForm) =>
  form === 'ledger'
    ? ({
        type: 'string',
        enum: [],
        refusal: 'FEE_LEDGER_IN_QUERY',
        published: { type: 'string', maxLength: 0 },
        description: 'Not allowed: the path names the ledger',
      } as const)
    : ({ type: 'string', format: 'uuid' } as const);

/** A list of packages, with what clients need to count the pages. */
export const countedPageOf = <const Item extends Schema>(items: Item) =>
  record(
    {
      items: { type: 'array', items },
      limit: { type: 'integer' },
      page: { type: 'integer' },
      total: { type: 'integer' },
    },
    ['items', 'limit', 'page', 'total'],
  );

/** Adds a member to the end of a list. */
function withTotal(body: Reply['body'] = '', total: number): NonNullable<Reply['body']> {
  const member = `,"total":${total}}`;
  if (typeof body === 'string') return body.slice(0, -1) + member;
  const last = Buffer.from(body.at(-1)!).toString();
  return [...body.slice(0, -1), Buffer.from(last.slice(0, -1) + member)];
}

const COUNTED_AT_ONCE = 500;
