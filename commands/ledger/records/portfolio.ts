import type { Decision, Facts, Needs, Stamp } from '#src/kernel/decider.ts';
import { detached } from '#src/kernel/detached.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import {
  ifChanged,
  mergedMetadata,
  patched,
  patchedStatus,
  type MetadataChanges,
  type StatusChanges,
} from '#src/kernel/patch.ts';
import { unreachable } from '#src/kernel/unreachable.ts';
import type { PortfolioEvent, PortfolioRecord } from '#src/events/ledger/records.ts';
import { beforeImage, needsBeforeImages } from '#commands/ledger/state/before-image.ts';
import { checkRecordSize } from '#commands/ledger/state/record-size.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { newRecord, deletedRecord } from './record-life.ts';
import type { Records, Portfolio } from '#commands/ledger/state/records.ts';

export type CreatePortfolio = Readonly<{
  type: 'CreatePortfolio';
  organizationId: Uuid;
  fields: Pick<PortfolioRecord, 'name' | 'entityId' | 'status' | 'metadata'>;
}>;

/** A member that is absent stays as it is; metadata are merged. */
export type UpdatePortfolio = Readonly<{
  type: 'UpdatePortfolio';
  organizationId: Uuid;
  portfolioId: Uuid;
  changes: Readonly<{
    name?: string | undefined;
    entityId?: string | undefined;
    status?: StatusChanges | undefined;
    metadata?: MetadataChanges | undefined;
  }>;
}>;

export type DeletePortfolio = Readonly<{
  type: 'DeletePortfolio';
  organizationId: Uuid;
  portfolioId: Uuid;
}>;

export type PortfolioCommand = CreatePortfolio | UpdatePortfolio | DeletePortfolio;

export function needsPortfolio(
  { records: { portfolios } }: Ledger,
  command: PortfolioCommand,
  facts: Facts,
): Needs | undefined {
  const known =
    command.type === 'CreatePortfolio' ? undefined : portfolios.get(command.portfolioId);
  return known && needsBeforeImages(facts, known.revision);
}

/** Names may be equal. Accounts that name a portfolio do not keep it, and keep its id when it is gone. */
export function decidePortfolio(
  ledger: Ledger,
  command: PortfolioCommand,
  facts: Facts,
  stamp: Stamp,
): Decision<PortfolioEvent> {
  switch (command.type) {
    case 'CreatePortfolio':
      return createPortfolio(ledger, command, stamp);
    case 'UpdatePortfolio':
      return updatePortfolio(ledger, command, facts, stamp);
    case 'DeletePortfolio': {
      const { revision } = ledger.records.portfolios.get(command.portfolioId) ?? notFound();
      const portfolio = deletedRecord(beforeImage('portfolio', revision, facts), stamp.instant);
      return [{ type: 'PortfolioDeleted', data: { portfolio } }];
    }
    default:
      return unreachable(command);
  }
}

export function evolvePortfolios(
  portfolios: Records<Portfolio>,
  { type, data: { portfolio } }: PortfolioEvent,
  revision: Revision,
): void {
  if (type === 'PortfolioDeleted') portfolios.remove(portfolio.id);
  else portfolios.put(knownOf(portfolio, revision));
}

function createPortfolio(
  ledger: Ledger,
  { fields }: CreatePortfolio,
  stamp: Stamp,
): PortfolioEvent[] {
  const portfolio: PortfolioRecord = newRecord(ledger, fields, stamp);
  checkRecordSize(portfolio);
  return [{ type: 'PortfolioCreated', data: { portfolio } }];
}

function updatePortfolio(
  ledger: Ledger,
  { portfolioId, changes }: UpdatePortfolio,
  facts: Facts,
  { instant }: Stamp,
): Decision<PortfolioEvent> {
  const known = ledger.records.portfolios.get(portfolioId) ?? notFound();
  const { name, entityId, status, metadata } = changes;
  const before = beforeImage('portfolio', known.revision, facts);
  const patch = {
    ...(name !== undefined && { name }),
    ...(entityId !== undefined && { entityId }),
    status: patchedStatus(before.status, status),
    metadata: mergedMetadata(before.metadata, metadata),
  };
  const { record: portfolio, changed } = patched<PortfolioRecord>(before, patch, instant);
  checkRecordSize(portfolio);
  return ifChanged({ type: 'PortfolioUpdated', data: { portfolio, changed } });
}

const knownOf = ({ id, entityId }: PortfolioRecord, revision: Revision): Portfolio => ({
  id: detached(id),
  ...(entityId !== undefined && { entityId: detached(entityId) }),
  revision,
});

function notFound(): never {
  throw refuse('NOT_FOUND', 'There is no such portfolio.');
}
