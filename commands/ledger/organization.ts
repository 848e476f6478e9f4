import type { OrganizationFact } from './state/journal-facts.ts';
import { organizationNotFound } from '#src/events/ledger/absent.ts';
import type { Decider } from '#src/kernel/decider.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import { unreachable } from '#src/kernel/unreachable.ts';
import type { OrganizationEvent } from '#src/events/ledger/organization.ts';
import { decideLedgerName, folded, needsLedgerName } from '#commands/ledger/state/ledger-names.ts';
import {
  createOrganization,
  deleteOrganization,
  needsOrganization,
  updateOrganization,
} from '#commands/ledger/records/organization-record.ts';
import type { OrganizationCommand } from './organization-commands.ts';
import {
  absentOrganization,
  type Organization,
  type Rename,
} from '#commands/ledger/state/organization-state.ts';
import { decideRoute, needsRoute } from './routing/decide.ts';
import { isRouteSnapshot, RouteBook } from '#commands/ledger/state/route-book.ts';
import type { RouteOwner } from './routing/route-owner.ts';
import { claimMetadata, needsClaim } from './unique/claim.ts';
import { revisionInOrganization } from './unique/revisions.ts';
import { withUniqueValues } from '#commands/ledger/unique/with-unique-values.ts';

const rules: Decider<Organization, OrganizationCommand, OrganizationEvent> = {
  category: 'organization',
  snapshotVersion: 3,

  initialState: absentOrganization,

  needs(organization, command, facts) {
    switch (command.type) {
      case 'CreateOrganization':
      case 'UpdateOrganization':
      case 'DeleteOrganization':
        return needsOrganization(organization, command, facts);
      case 'FindLedgerOpening':
      case 'FindLedgerChange':
      case 'SettleLedgerChange':
        return needsLedgerName(organization, command, facts);
      case 'UpdateOperationRoute':
      case 'DeleteOperationRoute':
      case 'CreateTransactionRoute':
      case 'UpdateTransactionRoute':
      case 'DeleteTransactionRoute':
        return needsRoute(routeOwner(organization), command, facts);
      case 'ClaimMetadata':
        return needsClaim(organization, command, facts, revisionInOrganization);
      default:
        return undefined; // The state is enough.
    }
  },

  decide(organization, command, facts, stamp) {
    switch (command.type) {
      case 'CreateOrganization':
        return createOrganization(organization, command, facts, stamp);
      case 'UpdateOrganization':
        return updateOrganization(organization, command, facts, stamp);
      case 'DeleteOrganization':
        return deleteOrganization(organization, command, facts, stamp);
      case 'CreateOperationRoute':
      case 'UpdateOperationRoute':
      case 'DeleteOperationRoute':
      case 'CreateTransactionRoute':
      case 'UpdateTransactionRoute':
      case 'DeleteTransactionRoute':
        if (organization.is !== 'live') throw organizationNotFound();
        return decideRoute(routeOwner(organization), command, facts, stamp);
      case 'ClaimMetadata':
        if (organization.is !== 'live') return [];
        return claimMetadata(organization, command, facts, revisionInOrganization);
      default:
        if (organization.is === 'absent') throw organizationNotFound();
        return decideLedgerName(organization, command, facts, stamp);
    }
  },

  evolve(organization, event, revision) {
    switch (event.type) {
      case 'OrganizationCreated':
        organization.is = 'live';
        organization.id = event.data.organization.id;
        organization.revision = revision;
        organization.holderId = event.data.holderId;
        break;
      case 'OrganizationUpdated':
        organization.revision = revision;
        break;
      case 'OrganizationDeleted':
        organization.is = 'deleted';
        organization.revision = revision;
        break;
      case 'LedgerNameReserved':
        organization.ledgerNames.set(folded(event.data.ledger.name), event.data.ledger.id);
        organization.unsettled.add(event.data.ledger.id);
        organization.shown.set(event.data.ledger.id, revision);
        break;
      case 'LedgerNameSettled':
        organization.unsettled.delete(event.data.ledgerId);
        break; // The name stays reserved.
      case 'MetadataClaimed':
        break; // Claims are looked up in the journal index.
      case 'LedgerRenameReserved':
        organization.ledgerNames.set(folded(event.data.name), event.data.ledgerId);
        organization.renames.set(event.data.ledgerId, {
          revision,
          ...(event.data.changes.metadata !== undefined && { metadata: true }),
        });
        break;
      case 'LedgerNameFreed':
        organization.ledgerNames.delete(event.data.name);
        organization.renames.delete(event.data.ledgerId);
        if (event.data.closed) organization.shown.delete(event.data.ledgerId);
        break;
      case 'LedgerMetadataReserved':
        organization.renames.set(event.data.ledgerId, { revision, metadata: true });
        break;
      case 'LedgerMetadataSettled':
        organization.renames.delete(event.data.ledger.id);
        organization.shown.set(event.data.ledger.id, revision);
        break;
      case 'OperationRouteCreated':
      case 'OperationRouteUpdated':
      case 'OperationRouteDeleted':
      case 'TransactionRouteCreated':
      case 'TransactionRouteUpdated':
      case 'TransactionRouteDeleted':
        organization.routes.evolve(event, revision);
        break;
      default:
        unreachable(event);
    }
  },

  fact: ({ is, routes }): OrganizationFact | undefined =>
    is === 'absent' ? undefined : { live: is === 'live', ...routes.fact() },

  toSnapshot: ({ ledgerNames, unsettled, renames, shown, routes, ...rest }) => [
    JSON.stringify({
      ...rest,
      ledgerNames: [...ledgerNames],
      unsettled: [...unsettled],
      renames: [...renames],
      shown: [...shown],
    }),
    ...routes.toSnapshot(),
  ],
  fromSnapshot(chunks) {
    const [chunk = '', ...more] = chunks;
    const routes = new RouteBook();
    for (const text of more.filter(isRouteSnapshot)) routes.fromSnapshot(text);
    const { ledgerNames, unsettled, renames, shown, ...rest } = JSON.parse(
      chunk,
    ) as OrganizationSnapshot;
    return {
      ...rest,
      ledgerNames: new Map(ledgerNames),
      unsettled: new Set(unsettled),
      renames: new Map(renames),
      shown: new Map(shown),
      routes,
    };
  },
};

export const organizationDecider = withUniqueValues(rules, revisionInOrganization);

const routeOwner = ({ id, ledgerNames, routes }: Organization): RouteOwner => ({
  organizationId: id,
  routes,
  ledgers: () => [...new Set(ledgerNames.values())],
});

type OrganizationSnapshot = Omit<
  Organization,
  'ledgerNames' | 'unsettled' | 'renames' | 'shown' | 'routes'
> & {
  ledgerNames: [string, Uuid][];
  unsettled: Uuid[];
  renames: [Uuid, Rename][];
  shown: [Uuid, Revision][];
};
