import type { PortfolioRecord } from '#src/events/ledger/records.ts';
import type { RecordResource } from '#src/kernel/record-resource.ts';
import {
  changedMetadata,
  changedName,
  changedStatus,
  metadataView,
  name,
  newMetadata,
  newStatus,
  record,
  recordView,
  statusView,
  text,
} from '#src/kernel/schema-fragments.ts';

/** Contract ledger §3.3. */
export const portfolioResource = {
  name: 'Portfolio',
  nouns: ['a portfolio', 'portfolios'],
  tag: 'Portfolios',
  path: 'portfolios',

  create: record(
    { name: name(256), entityId: text(256), status: newStatus, metadata: newMetadata },
    ['name'],
  ),
  update: record(
    {
      name: changedName(256),
      entityId: text(256),
      status: changedStatus,
      metadata: changedMetadata,
    },
    [],
  ),
  view: recordView(
    'Portfolio',
    ['organizationId', 'ledgerId'],
    {
      name: { type: 'string' },
      entityId: { type: 'string' },
      status: statusView,
      metadata: metadataView,
    },
    ['entityId', 'metadata'],
  ),

  notes: { delete: 'accounts that name it keep its id' },
  remarks: { create: 'Several portfolios may have the same name.' },
  list: {
    paging: 'page',
    filters: {
      entity_id: { type: 'string' },
      status: { type: 'string', description: 'The code, whatever it is' },
    },
    where: ({ entity_id: entityId, status }: Readonly<Record<string, string>>) => ({
      entityId,
      status,
    }),
  },
  rows: {
    parent: 'ledgerId',
    keys: {
      entityId: ({ entityId }: PortfolioRecord) => entityId ?? null,
      status: ({ status }: PortfolioRecord) => status.code,
    },
    indexed: ['entityId'],
  },
} as const satisfies RecordResource;
