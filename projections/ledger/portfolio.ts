import { bornAt, projection, put, remove } from '#projections/projection.ts';
import type { PortfolioEvent, PortfolioRecord } from '#src/events/ledger/records.ts';
import type { Recorded, Write } from '#src/ports/projection.ts';

export const portfolioProjection = projection<PortfolioEvent>(
  {
    name: 'portfolio',
    version: 1,
    keys: {
      tenantId: 'text',
      ledgerId: 'text',
      entityId: 'text',
      status: 'text',
      createdAt: 'text',
    },
    indexes: [
      ['tenantId', 'ledgerId'],
      ['tenantId', 'ledgerId', 'entityId'],
    ],
  },
  {
    PortfolioCreated: whole,
    PortfolioUpdated: whole,
    PortfolioDeleted: ({ data: { portfolio } }) => remove(portfolio.id),
  },
);

/** It keeps its place in the list. */
function whole({
  data: { portfolio },
  tenantId,
  revision,
}: Recorded<Readonly<{ portfolio: PortfolioRecord }>>): readonly Write[] {
  return put({
    id: portfolio.id,
    born: bornAt(revision),
    keys: {
      tenantId,
      ledgerId: portfolio.ledgerId,
      entityId: portfolio.entityId ?? null,
      status: portfolio.status.code,
      createdAt: portfolio.createdAt,
    },
    body: JSON.stringify(portfolio),
  });
}
