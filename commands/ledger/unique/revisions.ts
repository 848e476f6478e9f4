import { revisionOfRecord } from '#commands/ledger/records/record-rules.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import type { Organization } from '#commands/ledger/state/organization-state.ts';
import type { RouteBook } from '#commands/ledger/state/route-book.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { Entity } from '#src/kernel/unique-values.ts';

/** The last event of a live record of a ledger; a transaction is known only while it is pending. */
export function revisionInLedger(ledger: Ledger, entity: Entity, id: Uuid): Revision | undefined {
  const { assets, book, pending } = ledger;
  switch (entity) {
    case 'account':
      return book.accountById(id)?.revision;
    case 'asset':
      return assets.get(id)?.revision;
    case 'transaction':
    case 'operation':
      return pending.get(id);
    default:
      return revisionOfRecord(ledger, entity, id) ?? revisionOfRoute(ledger, entity, id);
  }
}

/** The last event of a live route or ledger of an organization. A reservation counts like the ledger itself. */
export function revisionInOrganization(
  organization: Organization,
  entity: Entity,
  id: Uuid,
  at: Revision,
): Revision | undefined {
  if (entity !== 'ledger') return revisionOfRoute(organization, entity, id);
  const { renames, shown } = organization;
  return renames.get(id)?.revision === at ? at : shown.get(id);
}

function revisionOfRoute(
  { routes }: Readonly<{ routes: RouteBook }>,
  entity: Entity,
  id: Uuid,
): Revision | undefined {
  if (entity === 'operation_route') return routes.operationRoute(id)?.revision;
  return entity === 'transaction_route' ? routes.transactionRoute(id)?.revision : undefined;
}
