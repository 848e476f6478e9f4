import { checkClaimed, type Claimed } from '#src/verify/claims.ts';
import { differ } from '#src/verify/difference.ts';
import { createRouteRules, type RouteData } from './routes.ts';
import { createAuditRules, type AuditRules } from '#src/verify/rules.ts';

/** The rules of an organization's journal, which moves no money: its id, and the names reserved for ledgers. */
export function createOrganizationRules(): AuditRules {
  let own = '';
  const reserved = new Set<string>();
  /** Ledgers with a reservation since their metadata was last settled. */
  const changing = new Set<string>();

  const mine = (id: string): void => {
    if (id !== own) differ(`it is about organization ${id}`);
  };
  const ours = (ledgerId: string): void => {
    if (!reserved.has(ledgerId)) differ(`no name was reserved for ledger ${ledgerId}`);
  };
  const rules: Readonly<Record<string, (data: OrganizationData) => void>> = {
    OrganizationCreated: ({ organization }) => mine(organization.id),
    OrganizationUpdated: ({ organization }) => mine(organization.id),
    OrganizationDeleted: ({ organization }) => mine(organization.id),
    LedgerNameReserved({ ledger }) {
      mine(ledger.organizationId);
      reserved.add(ledger.id);
    },
    LedgerNameSettled: ({ ledgerId }) => ours(ledgerId),
    LedgerRenameReserved: ({ ledgerId }) => void changing.add(ledgerId),
    LedgerNameFreed: () => undefined,
    LedgerMetadataReserved({ ledgerId }) {
      ours(ledgerId);
      changing.add(ledgerId);
    },
    LedgerMetadataSettled({ ledger: { id } }) {
      ours(id);
      if (!changing.delete(id)) differ(`nothing was reserved for ledger ${id}`);
    },
    MetadataClaimed: checkClaimed,

    ...createRouteRules(
      ({ organizationId, ledgerId }) => {
        mine(organizationId);
        if (ledgerId !== undefined) differ(`it belongs to ledger ${ledgerId}`);
      },
      () => ({ name: `organization-${own}` }),
    ),
  };

  return createAuditRules(
    'organization',
    ({ organization }: OrganizationData) => (own = organization.id),
    rules,
  );
}

/** The members that the rules read; a missing one is a difference when it is read. */
type OrganizationData = Readonly<{
  organization: Readonly<{ id: string }>;
  ledger: Readonly<{ id: string; organizationId: string }>;
  ledgerId: string;
}> &
  Claimed &
  RouteData;
