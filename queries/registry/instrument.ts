import { holderProjection, type HolderRow } from '#projections/registry/holder.ts';
import { instrumentProjection, roleKeys } from '#projections/registry/instrument.ts';
import { requireOrganization } from '#queries/ledger/parents.ts';
import { pageFilters, pageReply } from '#queries/paging.ts';
import { equal, readRow, readRows } from '#queries/reading.ts';
import { holderNotFound, instrumentNotFound } from '#src/events/registry/absent.ts';
import { PARTY_ROLES, type InstrumentRecord } from '#src/events/registry/instrument.ts';
import { ok, type Reply } from '#src/http/reply.ts';
import type { PageRequest, Request } from '#src/http/request.ts';
import { route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import type { Filtered } from '#src/kernel/filters.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { organizationJournal, registryJournal } from '#src/kernel/journal-name.ts';
import { pageOf } from '#src/kernel/schema-fragments.ts';
import type { Condition } from '#src/ports/read-store.ts';
import {
  instrumentSchema,
  instrumentSearch,
  instrumentView,
  openedInstrument,
  valuesAt,
  type InstrumentSearch,
} from '#src/resources/registry/instrument.ts';
import { includeDeleted, isTrue, mustBeSearchable, opened } from './sealed-rows.ts';
import { registryServices } from './services.ts';

const ORGANIZATION = '/v1/organizations/{organization_id}';
const OF_HOLDER = `${ORGANIZATION}/holders/{holder_id}/instruments` as const;

const facts = {
  tag: 'Instruments',
  method: 'get',
  entityType: 'Instrument',
  permission: { namespace: 'core', resource: 'instruments', action: 'get' },
} as const;

const text = { type: 'string' } as const;
const id = { type: 'string', format: 'uuid' } as const;

const narrowing = {
  account_id: id,
  ledger_id: { ...id, description: 'Lists only the instruments of accounts in this ledger.' },
  banking_details_branch: text,
  related_party_role: { type: 'string', enum: PARTY_ROLES },
  document: text,
  banking_details_account: text,
  banking_details_iban: text,
  regulatory_fields_participant_document: text,
  related_party_document: text,
  include_deleted: includeDeleted,
} as const;

const list = {
  ...facts,
  description:
    'Documents, account numbers and IBANs are found by their exact text; nothing that is encrypted can be searched by a ' +
    'part of it.',
  paging: 'page',
  replies: { 200: pageOf(instrumentSchema) },
} as const;

const listRefusals = [
  ...(['ORGANIZATION_NOT_FOUND', 'KEY_SERVICE_UNAVAILABLE', 'ENCRYPTION_FAILED'] as const),
  ...(['METADATA_FILTERS', 'METADATA_FILTER_KEY', 'METADATA_FILTER_OPERATOR'] as const),
];

export const instrumentReadRoutes = [
  route({
    ...list,
    operationId: 'listInstruments',
    summary: 'List the instruments of an organization',
    path: `${ORGANIZATION}/instruments`,
    filters: {
      holder_id: { ...id, description: 'Lists only the instruments of this holder.' },
      ...narrowing,
    },
    refusals: listRefusals,
    async handle(request, services) {
      await requireOrganization(services, request, request.path.organization_id);
      return listed(request, services, request.query.holder_id);
    },
  }),

  route({
    ...list,
    operationId: 'listInstrumentsOfHolder',
    summary: 'List the alias accounts of a holder; use the list of the organization instead',
    path: OF_HOLDER,
    only: 1,
    successor: `${ORGANIZATION}/instruments`,
    filters: narrowing,
    refusals: [...listRefusals, 'HOLDER_NOT_FOUND'],
    async handle(request, services) {
      const { organization_id: organizationId, holder_id: holderId } = request.path;
      await requireOrganization(services, request, organizationId);
      await requireHolder(request, services, organizationId, holderId);
      return listed(request, services, holderId);
    },
  }),

  route({
    ...facts,
    operationId: 'getInstrument',
    summary: 'Retrieve an instrument',
    description:
      'Decrypts the personal data, which needs the key service. A deleted instrument is refused with 404 unless ' +
      '`include_deleted` is true, and an erased one in any case.',
    path: `${OF_HOLDER}/{instrument_id}`,
    filters: { include_deleted: includeDeleted },
    replies: { 200: instrumentSchema },
    refusals: [
      ...(['ORGANIZATION_NOT_FOUND', 'INSTRUMENT_NOT_FOUND'] as const),
      ...(['KEY_SERVICE_UNAVAILABLE', 'ENCRYPTION_FAILED'] as const),
    ],
    async handle(request, services) {
      const { organization_id: organizationId } = request.path;
      const { holder_id: holderId, instrument_id: instrumentId } = request.path;
      await requireOrganization(services, request, organizationId);
      const row = await readRow(services, request, {
        of: instrumentProjection,
        after: registryJournal(organizationId),
        where: { id: instrumentId, organizationId, holderId },
      });
      const instrument = row && (JSON.parse(row.body) as InstrumentRecord);
      const isShown =
        instrument !== undefined &&
        (instrument.deletedAt === null || isTrue(request.query.include_deleted));
      const shown = isShown ? await instrumentText(request, services, instrument, []) : undefined;
      if (shown === undefined) throw instrumentNotFound();
      return ok(shown);
    },
  }),
];

type ListRequest = Request<
  Readonly<{ organization_id: Uuid }>,
  undefined,
  Filtered<typeof narrowing>,
  PageRequest
>;

type SearchedValue = Readonly<{ search: InstrumentSearch; value: string }>;

async function listed(
  request: ListRequest,
  services: Services,
  holderId: Uuid | undefined,
): Promise<Reply> {
  const { page, query } = request;
  const { organization_id: organizationId } = request.path;
  mustBeSearchable(page);
  const searched = (Object.keys(instrumentSearch) as InstrumentSearch[]).flatMap((search) => {
    const value = query[search];
    return value === undefined ? [] : [{ search, value }];
  });
  const role = query.related_party_role;
  const sequence = await readRows(services, request, {
    of: instrumentProjection,
    after: registryJournal(organizationId),
    where: { organizationId, ...(holderId !== undefined && { holderId }) },
    filters: [
      ...equal('accountId', query.account_id),
      ...equal('ledgerId', query.ledger_id),
      ...equal('branch', query.banking_details_branch),
      ...(role === undefined ? [] : equal(roleKeys[role], 1)),
      ...(isTrue(query.include_deleted) ? [] : equal('isDeleted', 0)),
      ...(await withValues(request, services, searched)),
      ...pageFilters(page),
    ],
  });
  const rows = opened(sequence, (row) =>
    instrumentText(request, services, row as InstrumentRecord, searched),
  );
  return pageReply(rows, page);
}

/** Finds instruments by the tokens of values. */
const withValues = (
  request: ListRequest,
  services: Services,
  searched: readonly SearchedValue[],
): Promise<readonly Condition[]> => {
  const { organization_id: organizationId } = request.path;
  const scope = { tenantId: request.context.tenantId, organizationId };
  return Promise.all(
    searched.map(async ({ search, value }) => ({
      key: 'instrumentId',
      in: await registryServices(services).find(scope, instrumentSearch[search], value),
    })),
  );
};

/**
 * Renders a row in plain text. Undefined if the instrument is being erased, or does not have a value by which it was
 * found: the index may still have one that an interrupted update replaced.
 */
async function instrumentText(
  request: Pick<Request, 'context'>,
  services: Services,
  row: InstrumentRecord,
  searched: readonly SearchedValue[],
): Promise<string | undefined> {
  const { tenantId } = request.context;
  const { organizationId, id: recordId } = row;
  const key = await registryServices(services).keys.open({ tenantId, organizationId, recordId });
  if (key === undefined) return undefined;
  const plain = openedInstrument(key, row);
  const isMeant = searched.every(({ search, value }) => valuesAt(plain, search).includes(value));
  return isMeant ? JSON.stringify(instrumentView(row, plain)) : undefined;
}

/** Errors: HOLDER_NOT_FOUND. */
async function requireHolder(
  request: Request,
  services: Services,
  organizationId: Uuid,
  id: Uuid,
): Promise<void> {
  const { name } = holderProjection.collection;
  const own = organizationJournal(organizationId);
  await services.progress.reached(name, own, request.consistencyToken);
  const row = await readRow(services, request, {
    of: holderProjection,
    after: registryJournal(organizationId),
    where: { id, organizationId },
  });
  const holder = row && (JSON.parse(row.body) as HolderRow);
  if (holder === undefined || (!('own' in holder) && holder.deletedAt !== null)) {
    throw holderNotFound();
  }
}
