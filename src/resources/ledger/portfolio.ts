import type { PortfolioRecord } from '#src/events/ledger/records.ts';
import {
  changedMetadata,
  changedName,
  changedStatus,
  instant,
  instantOrNull,
  metadataView,
  name,
  newMetadata,
  newStatus,
  record,
  statusView,
  text,
  uuid,
} from '#src/kernel/schema-fragments.ts';
import type { Schema } from '#src/kernel/schema.ts';

/** Contract ledger §3.3. */
export const createPortfolioBody = record(
  { name: name(256), entityId: text(256), status: newStatus, metadata: newMetadata },
  ['name'],
) satisfies Schema;

export const updatePortfolioBody = record(
  { name: changedName(256), entityId: text(256), status: changedStatus, metadata: changedMetadata },
  [],
) satisfies Schema;

export const portfolioSchema = {
  title: 'Portfolio',
  ...record(
    {
      id: uuid,
      organizationId: uuid,
      ledgerId: uuid,
      name: { type: 'string' },
      entityId: { type: 'string' },
      status: statusView,
      metadata: metadataView,
      createdAt: instant,
      updatedAt: instant,
      deletedAt: instantOrNull,
    },
    ['id', 'organizationId', 'ledgerId', 'name', 'status', 'createdAt', 'updatedAt', 'deletedAt'],
  ),
} as const satisfies Schema;

export const portfolioView = (portfolio: PortfolioRecord) => ({
  id: portfolio.id,
  organizationId: portfolio.organizationId,
  ledgerId: portfolio.ledgerId,
  name: portfolio.name,
  entityId: portfolio.entityId,
  status: portfolio.status,
  metadata: portfolio.metadata,
  createdAt: portfolio.createdAt,
  updatedAt: portfolio.updatedAt,
  deletedAt: portfolio.deletedAt,
});
